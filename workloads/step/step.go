// Package step carries out single operations on a small table and tells what they do, step
// by step. The steps come from the scheme's own kernels: the instrumented ones of the CPU
// report each (kernels/abi.h, HZ_EVENTS) and wait while the table is looked at.
package step

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Kind says what a step does.
type Kind string

// The kinds of steps.
const (
	Visit    Kind = "visit"    // a walk comes to a place
	Read     Kind = "read"     // memory is read
	Write    Kind = "write"    // memory is written
	Swap     Kind = "swap"     // a compare-and-swap succeeded
	Lost     Kind = "lost"     // a compare-and-swap failed
	Exchange Kind = "exchange" // a pair went in, and another was evicted
	Lock     Kind = "lock"     // a lock was taken or given back
	Allocate Kind = "allocate" // a unit of memory was allocated
	Launch   Kind = "launch"   // the host side launches a kernel
	Host     Kind = "host"     // the host side changed the table
	End      Kind = "end"      // the operation is done
)

// Step is a step of an operation, and the table after it.
type Step struct {
	Kind    Kind
	Text    string  // a sentence without a period
	Hand    string  // the key for which the walk looks for a place; empty: there is no walk
	At      []Place // what it touches
	Changed []Place // the cells that it changes
	State
}

// Place is a cell of a row; cell -1 is the row as a whole.
type Place struct{ Row, Cell int }

// State is the contents of a table.
type State struct {
	Rows   []Row
	Boards []Board
}

// Row is a bucket, a slot or a list.
type Row struct {
	Title string
	Cells []string // 17=170, x for an erased pair, a dot for an unused slot, a bar between nodes
}

// Board is small memory next to the rows: tickets, one for each slot, or words of 4 bytes.
type Board struct {
	Name  string
	Words []string // tickets in binary, words in hexadecimal
}

// Operation is a batch that was carried out.
type Operation struct {
	Text   string // insert 17=170
	Gave   string // ok, or 170, or failed left 8=80
	Before State
	Steps  []Step
}

// Stills are the steps, after the table as it was before them.
func (o Operation) Stills() []Step {
	return append([]Step{{Text: "Before", State: o.Before}}, o.Steps...)
}

// Mark is changed or at if the step changes or touches a cell, and otherwise empty.
func (s Step) Mark(row, cell int) string {
	switch {
	case slices.Contains(s.Changed, Place{row, cell}):
		return "changed"
	case slices.Contains(s.At, Place{row, cell}), slices.Contains(s.At, Place{row, -1}):
		return "at"
	}
	return ""
}

// Table is a small table whose operations are seen step by step.
type Table struct {
	dev    device.Device
	player *engine.Player
	line   engine.VectorLine // makes the table
	done   [][]string        // the operations, to carry them out again
}

// Open makes a small table: the first one of the scheme's vectors if no parameter was set,
// else one of about a dozen slots.
func Open(config schemes.Config) (*Table, error) {
	t := &Table{line: small(config)}
	if !strings.Contains(config.String(), ":") {
		t.line = chosen(config)[0]
	}
	if err := Instrumented(config); err != nil {
		return nil, err
	}
	if err := t.start(); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// small is the line that makes a table of about a dozen slots.
func small(config schemes.Config) engine.VectorLine {
	return engine.VectorLine{Words: []string{"table", config.String(), "pair=" + config.Caps.Pairs[0].String(), "capacity=12", "seed=1"}}
}

// Instrumented returns an error if the kernels of a configuration cannot be watched.
func Instrumented(config schemes.Config) error {
	if config.Reference {
		return fmt.Errorf("scheme %s: the table of a library tells no single steps; hint: take a scheme with kernels of its own", config.Name)
	}
	return nil
}

// start makes the empty table.
func (t *Table) start() (err error) {
	if t.dev, err = devices.Open("cpu", device.Options{Threads: 1}); err != nil {
		return err
	}
	t.player = engine.NewPlayer(t.dev)
	return t.player.Play(t.line)
}

// Close frees the table.
func (t *Table) Close() (err error) {
	if t.player != nil {
		err = t.player.End()
	}
	if t.dev != nil {
		err = cmp.Or(err, t.dev.Close())
	}
	t.player, t.dev = nil, nil
	return err
}

// Title says what kind of table it is.
func (t *Table) Title() string {
	table := t.player.Table
	return fmt.Sprintf("%v, pairs %v, %d slots", table.Config(), table.Pair(), table.Capacity())
}

// Slots is the capacity of the table.
func (t *Table) Slots() int { return int(t.player.Table.Capacity()) }

// Pair is the kind of pairs in it.
func (t *Table) Pair() schemes.Pair { return t.player.Table.Pair() }

// Operations returns the operations that the scheme has.
func (t *Table) Operations() []string {
	return slices.DeleteFunc(slices.Clone(t.player.Table.Config().Caps.Ops), func(op string) bool {
		return kernels.Op(op).Kind == kernels.OnSlots
	})
}

// State returns the contents of the table.
func (t *Table) State() State {
	image, err := readImage(t.player.Table)
	if err != nil {
		return State{}
	}
	return image.state()
}

// Do carries out a batch: Do("insert", "17=170"), Do("find", "17", "18"), Do("resize", "24").
func (t *Table) Do(op string, words ...string) (Operation, error) {
	done, err := watch(t.player, op, words, func() error { return t.player.Do(op, words...) })
	if err == nil {
		t.done = append(t.done, append([]string{op}, words...))
	}
	return done, err
}

// Keep takes back all operations but the first n: it makes the table anew and repeats those.
func (t *Table) Keep(n int) error {
	if n >= len(t.done) {
		return nil
	}
	if err := cmp.Or(t.Close(), t.start()); err != nil {
		return err
	}
	t.done = t.done[:n]
	return lists.Each(t.done, func(words []string) error { return t.player.Do(words[0], words[1:]...) })
}

// Line is a line of a scheme's vectors that was carried out.
type Line struct {
	engine.VectorLine
	Done  *Operation // if it is an operation
	State State      // of the table afterwards
}

// Play carries out the vectors of a scheme step by step: the tables that have all settings of a configuration, or all
// tables if none has. Lines that tell something untrue are errors. Without vectors, it carries out a few operations.
func Play(config schemes.Config, see func(Line) error) error {
	dev, err := devices.Open("cpu", device.Options{Threads: 1})
	if err != nil {
		return err
	}
	defer dev.Close()
	player := engine.NewPlayer(dev)
	defer player.End()
	for _, l := range chosen(config) {
		line, err := play(player, l)
		if err == nil {
			err = see(line)
		}
		if err != nil {
			return err
		}
	}
	return player.End()
}

// Kernels are those that Play needs; the table of a library has none.
func Kernels(config schemes.Config) []string {
	if Instrumented(config) != nil {
		return nil
	}
	return engine.VectorKernels(false, chosen(config))
}

// play carries out a line.
func play(player *engine.Player, l engine.VectorLine) (line Line, err error) {
	line.VectorLine = l
	if kernels.OpNumber(l.Words[0]) < 0 || player.Table == nil {
		err = player.Play(l)
	} else {
		asked, _, _ := strings.Cut(strings.Join(l.Words[1:], " "), "->")
		var done Operation
		done, err = watch(player, l.Words[0], strings.Fields(asked), func() error {
			if l.Number == 0 { // not of the vectors, so it tells no outcome
				return player.Do(l.Words[0], l.Words[1:]...)
			}
			return player.Play(l)
		})
		line.Done = &done
	}
	if err != nil {
		return line, err
	}
	image, err := readImage(player.Table)
	line.State = image.state()
	return line, err
}

// chosen are the lines of the tables that a configuration asks for.
func chosen(config schemes.Config) []engine.VectorLine {
	all, asked := engine.VectorLines(config.Vectors), false
	some := lists.Filter(all, func(l engine.VectorLine) bool {
		if l.Words[0] == "table" && len(l.Words) > 1 {
			asked = agrees(config, l.Words[1])
		}
		return asked
	})
	switch {
	case len(all) == 0:
		return few(config)
	case len(some) == 0:
		return all
	}
	return some
}

// few are operations on a few keys, for a scheme without vectors.
func few(config schemes.Config) []engine.VectorLine {
	lines := []engine.VectorLine{small(config)}
	for _, op := range config.Caps.Ops {
		words := []string{op, "3", "99"}
		switch o := kernels.Op(op); {
		case o.Kind != kernels.OnKeys:
			continue
		case o.Adds:
			words = []string{op, "1=10", "2=20", "3=30", "4=40", "5=50", "6=60", "7=70", "8=80"}
		case o.Value:
			words = []string{op, "3=31", "99=0"}
		}
		for _, word := range words[1:] {
			lines = append(lines, engine.VectorLine{Words: []string{op, word}})
		}
	}
	return lines
}

// agrees reports whether a table of the vectors has all parameters that were set.
func agrees(config schemes.Config, table string) bool {
	other, err := schemes.Parse(table)
	return err == nil && lists.Every(config.Settings(), func(name, value string) bool {
		return !config.Given(name) || other.Settings()[name] == value
	})
}

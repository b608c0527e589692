package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// PlayVectors carries out a file of operations on tiny tables that says what is in every
// slot after each; docs/checking.md describes such files. The device must be a CPU with one
// thread, since the order of operations shows. An error starts with the number of the line
// that is wrong.
func PlayVectors(dev device.Device, text string) error {
	v := &vector{dev: dev}
	if err := v.play(text); err != nil {
		return err
	}
	if !v.looked {
		return fmt.Errorf("1: no line looks at slots")
	}
	return nil
}

// vector is a file that is being played, with instrumented kernels and the oracle.
type vector struct {
	dev    device.Device
	table  *Table
	sample Sample
	looked bool // at slots
}

func (v *vector) play(text string) error {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i], _, _ = strings.Cut(lines[i], "#")
	}
	for i, line := range lines {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, " ") {
			continue
		}
		rows := lines[i+1:]
		if end := slices.IndexFunc(rows, func(row string) bool { return !strings.HasPrefix(row, " ") }); end >= 0 {
			rows = rows[:end]
		}
		if err := v.line(words[0], words[1:], rows); err != nil {
			return fmt.Errorf("%d: %w", i+1, err)
		}
	}
	return v.end()
}

// line carries out one line and the indented rows below it.
func (v *vector) line(what string, words, rows []string) error {
	if what == "table" {
		return v.make(words)
	}
	if v.table == nil {
		return fmt.Errorf("%s before there is a table", what)
	}
	switch what {
	case "slots":
		return v.slots(rows)
	case "places":
		return v.places(words)
	case "counts":
		return v.counts(words)
	case "words":
		return v.words(words)
	case "clear":
		return v.table.Clear()
	}
	return v.operation(what, words)
}

// make starts a table: table CONFIG pair=k4v4 capacity=8 seed=1.
func (v *vector) make(words []string) error {
	if err := v.end(); err != nil {
		return err
	}
	if len(words) == 0 {
		return fmt.Errorf("table takes a scheme")
	}
	config, err := schemes.Parse(words[0])
	spec := Spec{Config: config, Counted: true, Verify: true}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		var to *uint64
		switch name {
		case "pair":
			i := slices.IndexFunc(config.Caps.Pairs, func(p schemes.Pair) bool { return p.String() == value })
			if i < 0 {
				return fmt.Errorf("pair %s is none of %v", value, config.Caps.Pairs)
			}
			spec.Shape.Pair = config.Caps.Pairs[i]
			continue
		case "capacity":
			to = &spec.Shape.Capacity
		case "seed":
			to = &spec.Seed
		default:
			return fmt.Errorf("table: unknown setting %s", name)
		}
		if *to, err = strconv.ParseUint(value, 0, 64); err != nil {
			return fmt.Errorf("%s: %w", word, err)
		}
	}
	if err == nil {
		v.table, err = New(v.dev, spec)
	}
	return err
}

// end checks the contents of a table after its last line.
func (v *vector) end() error {
	if v.table == nil {
		return nil
	}
	if _, err := v.table.Contents(); err != nil {
		return err
	}
	return v.table.Close()
}

// places checks where the hash functions send a key: places 7 2 0 1. It is for the reader.
func (v *vector) places(words []string) error {
	b := v.table.block
	if b.Family != kernels.Universal || v.table.Pair().Key != 4 || len(words) == 0 {
		return fmt.Errorf("places are of a key of 4 bytes, with hash=universal, so that a reader can compute them")
	}
	key, err := strconv.ParseUint(words[0], 0, 64)
	if err != nil {
		return err
	}
	var have []string
	for f := range b.Hashes {
		have = append(have, strconv.FormatUint(PlaceOf(b, int(f), key, 4), 10))
	}
	if !slices.Equal(have, words[1:]) {
		return fmt.Errorf("key %d goes to %v", key, have)
	}
	return nil
}

// counts compares what the last batch counted: counts probes=2 evictions=1.
func (v *vector) counts(words []string) error {
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		if !slices.Contains(kernels.Counters, name) {
			return fmt.Errorf("counts: there is no counter %s", name)
		}
		if have := strconv.FormatUint(v.sample.Counts.Get(name), 10); have != value {
			return fmt.Errorf("%s of %s is %s", name, v.sample.Op, have)
		}
	}
	return nil
}

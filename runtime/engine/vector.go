package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
)

// PlayVectors carries out a file of operations with the expected slots after each (docs/checking.md). Results depend on
// their order, so a CPU has one thread, and a GPU gets them one at a time. An error starts with the number of the wrong
// line.
func PlayVectors(dev device.Device, text string) error {
	v := NewPlayer(dev)
	if err := lists.Each(VectorLines(text), v.Play); err != nil {
		return err
	}
	err := v.End()
	if err == nil && !v.compared {
		err = fmt.Errorf("1: no line looks at slots")
	}
	return err
}

// VectorLine is a line of a file of vectors.
type VectorLine struct {
	Number int
	About  []string // the comments above it, a paragraph each
	Words  []string
	Rows   []string // the indented lines below it
}

// VectorLines reads a file of vectors.
func VectorLines(text string) (list []VectorLine) {
	var about []string
	open := false // the comment goes on
	for i, line := range strings.Split(text, "\n") {
		line, comment, commented := strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) > 0 && strings.HasPrefix(line, " ") && len(list) > 0:
			last := &list[len(list)-1]
			last.Rows = append(last.Rows, line)
		case len(words) > 0:
			list, about = append(list, VectorLine{Number: i + 1, About: about, Words: words}), nil
		case commented && open:
			about[len(about)-1] += "\n" + strings.TrimPrefix(comment, " ")
		case commented:
			about = append(about, strings.TrimPrefix(comment, " "))
		}
		open = commented && len(words) == 0
	}
	return list
}

// Player plays vectors with the oracle and, on a CPU, instrumented kernels.
type Player struct {
	Table  *Table   // the one in use; nil before the first
	Sample Sample   // of the last batch
	Gave   []string // the results of its operations

	dev      device.Device
	gpu      bool // one operation is carried out at a time
	anywhere bool // pairs may lie in other slots than on a CPU
	compared bool // slots
}

// NewPlayer returns a player for a GPU, or a CPU with one thread.
func NewPlayer(dev device.Device) *Player { return &Player{dev: dev, gpu: isGPU(dev)} }

func isGPU(dev device.Device) bool { return !strings.HasPrefix(dev.Info().Name, "cpu") }

// Play carries out a line. Its errors start with the line's number.
func (v *Player) Play(l VectorLine) error {
	if err := v.line(l.Words[0], l.Words[1:], l.Rows); err != nil {
		return fmt.Errorf("%d: %w", l.Number, err)
	}
	return nil
}

// line carries out one line and the indented rows below it.
func (v *Player) line(what string, words, rows []string) error {
	if what == "table" {
		return v.make(words)
	}
	if v.Table == nil {
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
		return v.Table.Clear()
	}
	return v.operation(what, words)
}

func parsed(word string) (uint64, error) { return strconv.ParseUint(word, 0, 64) }

// VectorKernels are the kernels that vectors need, on a CPU the instrumented ones.
func VectorKernels(gpu bool, lines []VectorLine) (names []string) {
	for _, l := range lines {
		if l.Words[0] != "table" {
			continue
		}
		if spec, err := specOf(gpu, l.Words[1:]); err == nil {
			names = append(names, spec.Kernels()...)
		}
	}
	return names
}

// make starts a table: table CONFIG pair=k4v4 capacity=8 seed=1 gpu=pairs.
func (v *Player) make(words []string) error {
	if err := v.End(); err != nil {
		return err
	}
	v.anywhere = v.gpu && slices.Contains(words, "gpu=pairs")
	spec, err := specOf(isGPU(v.dev), words)
	if err == nil {
		v.Table, err = New(v.dev, spec)
	}
	return err
}

func specOf(gpu bool, words []string) (Spec, error) {
	if len(words) == 0 {
		return Spec{}, fmt.Errorf("table takes a scheme")
	}
	config, err := schemes.Parse(words[0])
	spec := Spec{Config: config, Counted: !gpu, Verify: true}
	for _, word := range words[1:] {
		if err != nil {
			return spec, err
		}
		switch name, value, _ := strings.Cut(word, "="); name {
		case "pair":
			i := slices.IndexFunc(config.Caps.Pairs, func(p schemes.Pair) bool { return p.String() == value })
			if i < 0 {
				return spec, fmt.Errorf("pair %s is none of %v", value, config.Caps.Pairs)
			}
			spec.Shape.Pair = config.Caps.Pairs[i]
		case "capacity":
			spec.Shape.Capacity, err = parsed(value)
		case "seed":
			spec.Seed, err = parsed(value)
		case "gpu":
			err = nearest.Check("gpu", value, []string{"pairs"})
		default:
			return spec, fmt.Errorf("table: unknown setting %s", name)
		}
	}
	return spec, err
}

// End checks the contents of the table and closes it.
func (v *Player) End() error {
	if v.Table == nil {
		return nil
	}
	t := v.Table
	v.Table = nil
	_, err := t.Contents()
	return cmp.Or(err, t.Close())
}

// places checks where the hash functions send a key: places 7 2 0 1. It is for the reader.
func (v *Player) places(words []string) error {
	b := v.Table.block
	if b.Family != kernels.Universal || v.Table.Pair().Key != 4 || len(words) == 0 {
		return fmt.Errorf("places are of a key of 4 bytes, with hash=universal, so that a reader can compute them")
	}
	key, err := parsed(words[0])
	if err != nil {
		return err
	}
	have := lists.Make(int(b.Hashes), func(f int) string { return fmt.Sprint(PlaceOf(b, f, key, 4)) })
	if !slices.Equal(have, words[1:]) {
		return fmt.Errorf("key %d goes to %v", key, have)
	}
	return nil
}

// counts compares what the last batch counted: counts probes=2 evictions=1.
func (v *Player) counts(words []string) error {
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		if !slices.Contains(kernels.Counters, name) {
			return fmt.Errorf("counts: there is no counter %s", name)
		}
		if v.gpu && slices.Index(kernels.Counters, name) > slices.Index(kernels.Counters, "evicted") {
			continue // instrumented kernels count it for a whole batch
		}
		if have := fmt.Sprint(v.Sample.Counts.Get(name)); have != value {
			return fmt.Errorf("%s of %s is %s", name, v.Sample.Op, have)
		}
	}
	return nil
}

// operation carries out a batch: insert 1=10 2=20 -> ok failed left 2=20. Without an arrow,
// everything is ok. A mixed batch names the operation of each key: mix insert:1=10 find:2.
// An operation on the whole table has no keys: resize 24.
func (v *Player) operation(op string, words []string) error {
	asked, want := words, []string(nil)
	if arrow := slices.Index(words, "->"); arrow >= 0 {
		asked, want = words[:arrow], words[arrow+1:]
	}
	if err := v.Do(op, asked...); err != nil {
		return err
	}
	if len(want) == 0 {
		want = slices.Repeat([]string{"ok"}, int(v.Sample.N))
	}
	gave := v.Gave
	if v.gpu && slices.Contains(want, "left") {
		gave, want = v.freely(gave), v.freely(want)
	}
	if !slices.Equal(gave, want) {
		return fmt.Errorf("%s gave %s", op, strings.Join(v.Gave, " "))
	}
	return nil
}

// freely sorts the outcomes before the rejected pairs: one at a time, other operations fail. If pairs may lie anywhere,
// only the number of rejected pairs counts.
func (v *Player) freely(list []string) []string {
	list = slices.Clone(list)
	left := max(slices.Index(list, "left"), 0)
	slices.Sort(list[:left])
	for i := left; v.anywhere && i < len(list); i++ {
		list[i] = "left"
	}
	return list
}

// Do carries out a batch, written as in a line of vectors, with any result: on a GPU, one operation at a time.
func (v *Player) Do(op string, words ...string) error {
	if !v.gpu || len(words) < 2 {
		return v.batch(op, words)
	}
	var gave, left []string
	var all Sample
	for _, word := range words {
		if err := v.batch(op, []string{word}); err != nil {
			return err
		}
		outcome, rest, _ := strings.Cut(strings.Join(v.Gave, " "), " left ")
		gave, left = append(gave, outcome), append(left, strings.Fields(rest)...)
		all.Add(v.Sample)
	}
	if v.Gave, v.Sample = gave, all; len(left) > 0 {
		v.Gave = append(append(gave, "left"), left...)
	}
	return nil
}

func (v *Player) batch(op string, words []string) error {
	b, err := batchOf(op, words)
	if err != nil {
		return err
	}
	in, err := Load(v.dev, v.Table.Pair(), b)
	if err != nil {
		return err
	}
	defer in.Release()
	if v.Sample, err = v.Table.Run(in); err != nil {
		return err
	}
	v.Gave, err = v.outcomes(in, b)
	return err
}

func batchOf(op string, words []string) (b Batch, err error) {
	b.Op = op
	if kernels.Op(op).Kind == kernels.OnTable {
		if len(words) > 0 {
			b.Capacity, err = parsed(words[0])
		}
		return b, err
	}
	keys, values, ops := make(List, len(words)), make(List, len(words)), make(List, len(words))
	for i, word := range words {
		if op == Mix {
			name, rest, _ := strings.Cut(word, ":")
			if !slices.Contains(Keyed, name) {
				return b, fmt.Errorf("mix: %s is no operation:key", word)
			}
			ops[i], word = uint64(kernels.OpNumber(name)), rest
		}
		key, value, pair := strings.Cut(word, "=")
		keys[i], err = parsed(key)
		if err == nil && pair {
			values[i], err = parsed(value)
		}
		if err != nil {
			return b, err
		}
	}
	b.Keys = keys
	if kernels.Op(op).Value {
		b.Values = values
	}
	if op == Mix {
		b.Ops = ops
	}
	return b, nil
}

// outcomes returns the outcome or answer of each key, then the rejected pairs.
func (v *Player) outcomes(in *Input, b Batch) (list []string, _ error) {
	pair := v.Table.Pair()
	given, err := in.Given()
	for i, g := range given {
		op := kernels.Op(in.Op)
		if op.Kind == kernels.Mixed {
			op = kernels.Operations[b.Ops.(List)[i]]
		}
		if g.Outcome == "ok" && (op.Counts() || op.Answer == kernels.OneValue && pair.Value > 0) {
			g.Outcome = fmt.Sprint(g.Value)
		}
		list = append(list, g.Outcome)
	}
	if len(v.Sample.leftKeys) > 0 {
		list = append(list, "left")
	}
	for i, key := range v.Sample.leftKeys {
		list = append(list, pair.SlotText(key, v.Sample.leftValues[i]))
	}
	return list, err
}

// words compares the first 4-byte words of a region, in hexadecimal: words tickets f8faffff.
func (v *Player) words(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("words takes a region and numbers")
	}
	region, want := words[0], words[1:]
	m, err := v.Table.region(region)
	if err != nil {
		return fmt.Errorf("words: %w", err)
	}
	r := reader{dev: v.dev}
	have := lists.Map(r.numbers(nil, m.At, uint64(len(want)), 4), func(word uint64) string { return fmt.Sprintf("%08x", word) })
	if r.err == nil && !slices.Equal(have, want) {
		return fmt.Errorf("words: %s has %s", region, strings.Join(have, " "))
	}
	return r.err
}

// slots compares all slots, one row per bucket. A row that starts with any lists them in any order. If a GPU takes other
// slots, or has lists for which one batch is not what several are, the oracle compares the pairs.
func (v *Player) slots(want []string) error {
	v.compared = true
	if v.anywhere || v.gpu && v.Table.spec.Config.Rows != nil {
		_, err := v.Table.Contents()
		return err
	}
	have, err := v.Table.Rows()
	if err != nil {
		return fmt.Errorf("slots: %w", err)
	}
	if len(want) != len(have) {
		return fmt.Errorf("slots: %d rows, the table has %d buckets", len(want), len(have))
	}
	for i, row := range want {
		label, text, _ := strings.Cut(row, ":")
		wanted, found := unfold(strings.Fields(text)), texts(have[i])
		if len(wanted) > 0 && wanted[0] == "any" {
			wanted = slices.Sorted(slices.Values(wanted[1:]))
			slices.Sort(found)
		}
		if strings.TrimSpace(label) != fmt.Sprint(i) || !slices.Equal(wanted, found) {
			return fmt.Errorf("slots: bucket %d has %s", i, strings.Join(texts(have[i]), " "))
		}
	}
	return nil
}

// texts are the slots of a row.
func texts(r schemes.Row) []string {
	return lists.Map(r.Cells, func(c schemes.Cell) string { return c.Text })
}

// unfold writes a run of unused slots, such as .*14, as 14 dots.
func unfold(words []string) (list []string) {
	for _, word := range words {
		n := 1
		if run, ok := strings.CutPrefix(word, ".*"); ok {
			word = "."
			n, _ = strconv.Atoi(run)
		}
		list = append(list, slices.Repeat([]string{word}, n)...)
	}
	return list
}

func slotText(pair schemes.Pair, slot []byte) string {
	key, value := Number(slot, pair.Key, 0), uint64(0)
	if pair.Value > 0 {
		word := min(pair.Value, 8) // values are aligned
		value = Number(slot[(pair.Key+word-1)/word*word:], pair.Value, 0)
	}
	return pair.SlotText(key, value)
}

package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// PlayVectors carries out a file of operations that says what is in every slot after each (docs/checking.md), on a
// CPU with one thread, since their order shows. An error starts with the number of the wrong line.
func PlayVectors(dev device.Device, text string) error {
	v := &vector{dev: dev}
	err := v.play(text)
	if err == nil && !v.looked {
		err = fmt.Errorf("1: no line looks at slots")
	}
	return err
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

func parsed(word string) (uint64, error) { return strconv.ParseUint(word, 0, 64) }

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
		if err != nil {
			return err
		}
		switch name, value, _ := strings.Cut(word, "="); name {
		case "pair":
			i := slices.IndexFunc(config.Caps.Pairs, func(p schemes.Pair) bool { return p.String() == value })
			if i < 0 {
				return fmt.Errorf("pair %s is none of %v", value, config.Caps.Pairs)
			}
			spec.Shape.Pair = config.Caps.Pairs[i]
		case "capacity":
			spec.Shape.Capacity, err = parsed(value)
		case "seed":
			spec.Seed, err = parsed(value)
		default:
			return fmt.Errorf("table: unknown setting %s", name)
		}
	}
	if err == nil {
		v.table, err = New(v.dev, spec)
	}
	return err
}

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
	key, err := parsed(words[0])
	if err != nil {
		return err
	}
	var have []string
	for f := range b.Hashes {
		have = append(have, fmt.Sprint(PlaceOf(b, int(f), key, 4)))
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
		if have := fmt.Sprint(v.sample.Counts.Get(name)); have != value {
			return fmt.Errorf("%s of %s is %s", name, v.sample.Op, have)
		}
	}
	return nil
}

// operation carries out a batch: insert 1=10 2=20 -> ok failed left 2=20. Without an arrow,
// everything is ok. A mixed batch names the operation of each key: mix insert:1=10 find:2.
// An operation on the whole table has no keys: resize 24.
func (v *vector) operation(op string, words []string) error {
	asked, want := words, []string(nil)
	if arrow := slices.Index(words, "->"); arrow >= 0 {
		asked, want = words[:arrow], words[arrow+1:]
	}
	b, err := batchOf(op, asked)
	if err != nil {
		return err
	}
	in, err := Load(v.dev, v.table.Pair(), b)
	if err != nil {
		return err
	}
	defer in.Release()
	if v.sample, err = v.table.Run(in); err != nil {
		return err
	}
	if len(want) == 0 {
		want = slices.Repeat([]string{"ok"}, int(in.N))
	}
	have, err := v.outcomes(in, b)
	if err == nil && !slices.Equal(have, want) {
		err = fmt.Errorf("%s gave %s", op, strings.Join(have, " "))
	}
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

// outcomes are what became of each key: its outcome or the answer, then the pairs left over.
func (v *vector) outcomes(in *Input, b Batch) ([]string, error) {
	pair := v.table.Pair()
	given, err := in.Given()
	var list []string
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
	left := v.sample.Counts.Get("pairs")
	if left == 0 || err != nil {
		return list, err
	}
	r := reader{dev: v.dev}
	keys, values := r.pairs(in.left, left, pair)
	list = append(list, "left")
	for i := range keys {
		list = append(list, pair.SlotText(keys[i], values[i]))
	}
	return list, r.err
}

// words compares the first 4-byte words of a region, in hexadecimal: words tickets f8faffff.
func (v *vector) words(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("words takes a region and numbers")
	}
	region, want := words[0], words[1:]
	at, _, err := v.region(region)
	if err != nil {
		return fmt.Errorf("words: %w", err)
	}
	r := reader{dev: v.dev}
	have := lists.Map(r.numbers(at, uint64(len(want)), 4), func(word uint64) string { return fmt.Sprintf("%08x", word) })
	if r.err == nil && !slices.Equal(have, want) {
		return fmt.Errorf("words: %s has %s", region, strings.Join(have, " "))
	}
	return r.err
}

func (v *vector) region(name string) (device.Addr, uint64, error) {
	for i, r := range v.table.layout.Regions {
		if r.Name == name {
			return device.Addr(v.table.block.Region[i]), uint64(r.Bytes), nil
		}
	}
	return 0, 0, fmt.Errorf("the table has no region %s", name)
}

// slots compares all slots, one row per bucket; "any" before the slots of a row allows any order.
func (v *vector) slots(want []string) error {
	v.looked = true
	have, err := v.rows()
	if err != nil {
		return err
	}
	if len(want) != len(have) {
		return fmt.Errorf("slots: %d rows, the table has %d buckets", len(want), len(have))
	}
	for i, row := range want {
		label, text, _ := strings.Cut(row, ":")
		wanted, found := strings.Fields(text), slices.Clone(have[i])
		if len(wanted) > 0 && wanted[0] == "any" {
			wanted = slices.Sorted(slices.Values(wanted[1:]))
			slices.Sort(found)
		}
		if strings.TrimSpace(label) != fmt.Sprint(i) || !slices.Equal(wanted, found) {
			return fmt.Errorf("slots: bucket %d has %s", i, strings.Join(have[i], " "))
		}
	}
	return nil
}

// rows are the slots of the region of that name, by bucket, or what the scheme shows.
func (v *vector) rows() ([][]string, error) {
	t, pair := v.table, v.table.Pair()
	if rows := t.spec.Config.Rows; rows != nil {
		return rows(t)
	}
	at, bytes, err := v.region("slots")
	if err != nil {
		return nil, fmt.Errorf("slots: %w", err)
	}
	size := pair.SlotBytes()
	if bytes != 0 && bytes != t.layout.Capacity*size { // 0 after the region was replaced
		return nil, fmt.Errorf("slots: %d bytes are no %d pairs of %d: the scheme has to say what is in its slots (Rows)",
			bytes, t.layout.Capacity, size)
	}
	r := reader{dev: t.dev}
	var slots []string
	for slot := range slices.Chunk(r.bytes(at, t.layout.Capacity*size), int(size)) {
		slots = append(slots, slotText(pair, slot))
	}
	return slices.Collect(slices.Chunk(slots, int(t.layout.Capacity/t.layout.Buckets))), r.err
}

func slotText(pair schemes.Pair, slot []byte) string {
	key, value := Number(slot, pair.Key, 0), uint64(0)
	if pair.Value > 0 {
		word := min(pair.Value, 8) // values are aligned
		value = Number(slot[(pair.Key+word-1)/word*word:], pair.Value, 0)
	}
	return pair.SlotText(key, value)
}

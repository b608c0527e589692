package engine

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// The vectors of schemes/testdata: operations on tiny tables, and what is in every
// slot after each. docs/checking.md describes the files. They are carried out by
// one thread, with instrumented kernels and the oracle.

func TestVectors(t *testing.T) {
	files, err := filepath.Glob("../../schemes/testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		told[name] = true
		t.Run(name, func(t *testing.T) {
			v := &vector{dev: openCPU(t, 1)}
			if err := v.play(string(text)); err != nil {
				t.Errorf("%s:%v", file, err)
			}
			if v.looked == 0 {
				t.Errorf("%s never looks at slots", file)
			}
		})
	}
	for _, name := range schemes.Names() {
		if !told[name] {
			t.Errorf("schemes/testdata/%s.txt is not there: every scheme shows what it does to its slots", name)
		}
	}
}

// vector is a file that is being played.
type vector struct {
	dev    device.Device
	table  *Table
	sample Sample
	looked int // slots were looked at so often
}

// play carries out a file line by line. Errors start with the line's number.
func (v *vector) play(text string) error {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line, _, _ := strings.Cut(lines[i], "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		number := i + 1
		var err error
		if words[0] == "slots" {
			var rows []string
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], " ") {
				i++
				row, _, _ := strings.Cut(lines[i], "#")
				rows = append(rows, strings.TrimSpace(row))
			}
			err = v.slots(rows)
		} else {
			err = v.line(words)
		}
		if err != nil {
			return fmt.Errorf("%d: %w", number, err)
		}
	}
	return v.end()
}

func (v *vector) line(words []string) error {
	if words[0] == "table" {
		return v.make(words[1:])
	}
	if v.table == nil {
		return fmt.Errorf("%s before there is a table", words[0])
	}
	switch words[0] {
	case "places":
		return v.places(words[1:])
	case "counts":
		return v.counts(words[1:])
	case "words":
		return v.words(words[1], words[2:])
	case "clear":
		return v.table.Clear()
	default:
		return v.operation(words[0], words[1:])
	}
}

// make starts a table: table CONFIG pair=k4v4 capacity=8 seed=1.
func (v *vector) make(words []string) error {
	if err := v.end(); err != nil {
		return err
	}
	config, err := schemes.Parse(words[0])
	if err != nil {
		return err
	}
	spec := Spec{Config: config, Counted: true, Verify: true}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		number, err := strconv.ParseUint(value, 0, 64)
		switch {
		case name == "pair":
			i := slices.IndexFunc(config.Caps.Pairs, func(p schemes.Pair) bool { return p.String() == value })
			if i < 0 {
				return fmt.Errorf("pair %s is none of %v", value, config.Caps.Pairs)
			}
			spec.Shape.Pair = config.Caps.Pairs[i]
		case err != nil:
			return fmt.Errorf("%s: %w", word, err)
		case name == "capacity":
			spec.Shape.Capacity = number
		case name == "seed":
			spec.Seed = number
		default:
			return fmt.Errorf("table: unknown setting %s", name)
		}
	}
	v.table, err = New(v.dev, spec)
	return err
}

// end looks at the contents of the last table a last time.
func (v *vector) end() error {
	if v.table == nil {
		return nil
	}
	if _, err := v.table.Contents(); err != nil {
		return err
	}
	return v.table.Close()
}

// places states where the hash functions send a key: places 7 2 0 1. It is for the
// reader, but must be true.
func (v *vector) places(words []string) error {
	var want []uint64
	for _, word := range words {
		number, err := strconv.ParseUint(word, 0, 64)
		if err != nil {
			return err
		}
		want = append(want, number)
	}
	var have []uint64
	for f := range v.table.block.Hashes {
		have = append(have, v.hash(int(f), want[0]))
	}
	if !slices.Equal(have, want[1:]) {
		return fmt.Errorf("key %d goes to %v", want[0], have)
	}
	return nil
}

// hash is the universal family as the papers write it, for keys of 4 bytes.
func (v *vector) hash(function int, key uint64) uint64 {
	b := v.table.block
	if b.Family != kernels.Universal || v.table.spec.Shape.Pair.Key != 4 {
		panic("places are stated for hash=universal and keys of 4 bytes, so that a reader can compute them")
	}
	sum := new(big.Int).Mul(new(big.Int).SetUint64(b.Hash[function].A), new(big.Int).SetUint64(key))
	sum.Add(sum, new(big.Int).SetUint64(b.Hash[function].B))
	return sum.Mod(sum, big.NewInt(4294967291)).Uint64() % b.Buckets
}

// operation carries out a batch: insert 1=10 2=20 -> ok failed left 2=20. What is
// behind the arrow may be left out if everything is ok. A mixed one has the operation
// of each: mix insert:1=10 find:2. One on the whole table has no keys: resize 24.
func (v *vector) operation(op string, words []string) error {
	arrow := slices.Index(words, "->")
	if arrow < 0 {
		words, arrow = append(words, "->"), len(words)
	}
	b, err := batchOf(op, words[:arrow])
	if err != nil {
		return err
	}
	in, err := Load(v.dev, v.table.spec.Shape.Pair, b)
	if err != nil {
		return err
	}
	defer in.Release()
	if v.sample, err = v.table.Run(in); err != nil {
		return err
	}
	want := words[arrow+1:]
	if len(want) == 0 {
		want = slices.Repeat([]string{"ok"}, int(in.N))
	}
	have, err := v.outcomes(in, b)
	if err == nil && !slices.Equal(have, want) {
		err = fmt.Errorf("%s gave %s", op, strings.Join(have, " "))
	}
	return err
}

// batchOf reads the words of a batch.
func batchOf(op string, words []string) (Batch, error) {
	b := Batch{Op: op}
	if b.wholeTable() {
		var err error
		if len(words) > 0 {
			b.Capacity, err = strconv.ParseUint(words[0], 0, 64)
		}
		return b, err
	}
	keys, values, ops := List{}, List{}, List{}
	for _, word := range words {
		if op == Mix {
			name, rest, _ := strings.Cut(word, ":")
			if !slices.Contains(Keyed, name) {
				return b, fmt.Errorf("mix: %s is no operation:key", word)
			}
			ops, word = append(ops, opCode(name)), rest
		}
		key, value, err := pairOf(word)
		if err != nil {
			return b, err
		}
		keys, values = append(keys, key), append(values, value)
	}
	b.Keys = keys
	if takesValues[op] {
		b.Values = values
	}
	if op == Mix {
		b.Ops = ops
	}
	return b, nil
}

// outcomes are what became of each key: a found one's value, of find_all and erase_all
// how many; then the pairs left over.
func (v *vector) outcomes(in *Input, b Batch) ([]string, error) {
	pair := v.table.spec.Shape.Pair
	r := reader{dev: v.dev}
	var list []string
	out := r.numbers(in.out, in.N, pair.AnswerBytes())
	for i, status := range r.numbers(in.status, in.N, 1) {
		op, outcome := in.Op, kernels.Outcomes[status]
		if op == Mix {
			op = kernels.Ops[b.Ops.(List)[i]]
		}
		counts := op == "find_all" || op == "erase_all"
		if outcome == "ok" && (counts || op == "find" && pair.Value > 0) {
			outcome = strconv.FormatUint(out[i], 10)
		}
		list = append(list, outcome)
	}
	if left := v.sample.Counts.Get("pairs"); left > 0 {
		keys, values := r.numbers(in.left[0], left, pair.Key), r.values(in.left[1], left, pair)
		list = append(list, "left")
		for i := range keys {
			list = append(list, pairText(pair, keys[i], values[i]))
		}
	}
	return list, r.err
}

// pairText is a pair as vectors have it.
func pairText(pair schemes.Pair, key, value uint64) string {
	switch {
	case pair.Value == 0:
		return strconv.FormatUint(key, 10)
	case value == torn:
		return fmt.Sprintf("%d=torn", key)
	}
	return fmt.Sprintf("%d=%d", key, value)
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

// words compares the first 4-byte words of a region, in hexadecimal: words tickets
// f8faffff.
func (v *vector) words(region string, want []string) error {
	i := slices.IndexFunc(v.table.layout.Regions, func(r schemes.Region) bool { return r.Name == region })
	if i < 0 {
		return fmt.Errorf("words: the table has no region %s", region)
	}
	r := reader{dev: v.dev}
	var have []string
	for _, word := range r.numbers(device.Addr(v.table.block.Region[i]), uint64(len(want)), 4) {
		have = append(have, fmt.Sprintf("%08x", word))
	}
	if r.err == nil && !slices.Equal(have, want) {
		return fmt.Errorf("words: %s has %s", region, strings.Join(have, " "))
	}
	return r.err
}

// slots compares all slots, a row for each bucket. A row that starts with any has
// its slots in any order.
func (v *vector) slots(want []string) error {
	v.looked++
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
		if label != strconv.Itoa(i) || !slices.Equal(wanted, found) {
			return fmt.Errorf("slots: bucket %d has %s", i, strings.Join(have[i], " "))
		}
	}
	return nil
}

// rows are the slots of the region of that name, by bucket, read from the device's
// memory.
func (v *vector) rows() ([][]string, error) {
	t := v.table
	if rows := t.spec.Config.Rows; rows != nil {
		return rows(t)
	}
	region := slices.IndexFunc(t.layout.Regions, func(r schemes.Region) bool { return r.Name == "slots" })
	if region < 0 {
		return nil, fmt.Errorf("slots: the table has no region of that name")
	}
	pair := t.spec.Shape.Pair
	valueAt, size := inMemory(pair)
	if have := t.layout.Regions[region].Bytes; uint64(have) != t.layout.Capacity*uint64(size) {
		return nil, fmt.Errorf("slots: %d bytes are no %d pairs of %d: the scheme has to say what is in its slots (Rows)",
			have, t.layout.Capacity, size)
	}
	raw := make([]byte, t.layout.Capacity*uint64(size))
	if err := t.dev.Read(raw, device.Addr(t.block.Region[region])); err != nil {
		return nil, err
	}
	rows := make([][]string, t.layout.Buckets)
	perBucket := int(t.layout.Capacity / t.layout.Buckets)
	for slot := range int(t.layout.Capacity) {
		bytes := raw[slot*size:][:size]
		key, value := number(bytes[:pair.Key]), uint64(0)
		if pair.Value > 0 {
			value = number(bytes[valueAt:][:pair.Value])
		}
		text := pairText(pair, key, value)
		switch key {
		case pair.EmptyKey():
			text = "."
		case pair.ErasedKey():
			text = "x"
		}
		rows[slot/perBucket] = append(rows[slot/perBucket], text)
	}
	return rows, nil
}

// inMemory says where the value of a pair is, and how many bytes the pair takes
// (PairOf of kernels/pair.h).
func inMemory(pair schemes.Pair) (valueAt, size int) {
	up := func(n, to int) int { return (n + to - 1) / to * to }
	word := max(1, min(pair.Value, 8))
	valueAt = up(pair.Key, word)
	return valueAt, up(valueAt+pair.Value, max(word, pair.Key))
}

// pairOf reads 7=70, or 7 alone.
func pairOf(word string) (key, value uint64, err error) {
	first, second, has := strings.Cut(word, "=")
	if key, err = strconv.ParseUint(first, 0, 64); err != nil || !has {
		return key, 0, err
	}
	value, err = strconv.ParseUint(second, 0, 64)
	return key, value, err
}

// A vector that says something false fails, with its line.
func TestVectorsThatAreFalse(t *testing.T) {
	start := "table 1cht:hashes=2,hash=universal pair=k4v4 capacity=5 seed=1\nplaces 3 4 0\ninsert 3=30\n"
	for text, want := range map[string]string{
		"insert 1=1":                                           "1: insert before there is a table",
		start + "places 3 4 1":                                 "4: key 3 goes to [4 0]",
		start + "find 3 -> 31":                                 "4: find gave 30",
		start + "find 3 -> missing":                            "4: find gave 30",
		start + "erase 4":                                      "4: erase gave missing",
		start + "counts probes=2":                              "4: probes of insert is 1",
		start + "counts smiles=2":                              "4: counts: there is no counter smiles",
		start + "slots\n  0: .\n":                              "4: slots: 1 rows, the table has 5 buckets",
		start + "#\nslots\n 0: .\n 1: .\n 2: .\n 3: .\n 4: .":  "5: slots: bucket 4 has 3=30",
		start + "slots\n 0: .\n 1: .\n 2: .\n 3: .\n 4: any .": "4: slots: bucket 4 has 3=30",
		start + "slots\n 0: .\n 1: .\n 2: .\n 4: .\n 3: 3=30":  "4: slots: bucket 3 has .",
		start + "insert 4=four":                                "4: strconv.ParseUint",
		start + "upsert 4=4":                                   "4: scheme 1cht has no operation upsert",
		start + "resize 9":                                     "4: scheme 1cht has no operation resize",
		start + "mix find:3 erase:4 -> 30 ok":                  "4: mix gave 30 missing",
		start + "mix 3=30":                                     "4: mix: 3=30 is no operation:key",
		"table 1cht pair=k3v3 capacity=1":                      "1: pair k3v3",
		"table 1cht pair=k4v4 slots=1":                         "1: table: unknown setting slots",
	} {
		v := &vector{dev: openCPU(t, 1)}
		if err := v.play(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

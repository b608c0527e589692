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

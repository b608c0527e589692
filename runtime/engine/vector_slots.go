package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

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
	var have []string
	for _, word := range r.numbers(at, uint64(len(want)), 4) {
		have = append(have, fmt.Sprintf("%08x", word))
	}
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

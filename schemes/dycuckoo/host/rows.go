package host

import (
	"encoding/binary"
	"fmt"

	"github.com/hashzoo/hashzoo/schemes"
)

// rows returns the buckets as vectors show them, those of subtable 0 first. Most slots of
// a bucket are unused in small tables, so a run of them is one word.
func rows(t schemes.Table) ([][]string, error) {
	s := openSubtables(t)
	var rows [][]string
	for i := range s.count() {
		raw := make([]byte, int(s.slots(i))*s.pair.Bytes())
		if err := t.Read(raw, s.at(i)); err != nil {
			return nil, err
		}
		for bucket := range s.buckets(i) {
			rows = append(rows, s.row(raw, s.slots(i), bucket*s.bucket))
		}
	}
	return rows, nil
}

// row returns the bucket whose first slot is `from`: all keys come before all values.
func (s *subtables) row(raw []byte, slots, from uint64) (row []string) {
	unused := 0
	for slot := from; slot < from+s.bucket; slot++ {
		key := s.number(raw[slot*uint64(s.pair.Key):], s.pair.Key)
		if key == s.pair.EmptyKey() {
			unused++
			continue
		}
		value := raw[slots*uint64(s.pair.Key)+slot*uint64(s.pair.Value):]
		row = append(unusedSlots(row, unused), fmt.Sprintf("%d=%d", key, s.number(value, s.pair.Value)))
		unused = 0
	}
	return unusedSlots(row, unused)
}

// unusedSlots writes runs of unused slots as .*14.
func unusedSlots(row []string, n int) []string {
	switch n {
	case 0:
		return row
	case 1:
		return append(row, ".")
	}
	return append(row, fmt.Sprintf(".*%d", n))
}

// number returns the number that a value encodes: its first word.
func (s *subtables) number(raw []byte, width int) uint64 {
	if width == 4 {
		return uint64(binary.LittleEndian.Uint32(raw))
	}
	return binary.LittleEndian.Uint64(raw)
}

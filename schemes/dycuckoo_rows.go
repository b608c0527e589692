package schemes

import (
	"encoding/binary"
	"fmt"
)

// rowsOfSubtables are the buckets as vectors show them, those of subtable 0 first. Of a
// bucket's slots most are unused in small tables: several in a row are one word.
func rowsOfSubtables(t Table) ([][]string, error) {
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

// row is the bucket whose first slot is `from`: all keys come before all values.
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

// number is the number that a value stands for: its first word.
func (s *subtables) number(raw []byte, width int) uint64 {
	if width == 4 {
		return uint64(binary.LittleEndian.Uint32(raw))
	}
	return binary.LittleEndian.Uint64(raw)
}

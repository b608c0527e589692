package schemes

import (
	"cmp"
	"fmt"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// Row is a part of a table as vectors and single steps show it: a bucket or a list.
type Row struct {
	Name  string // for example list 3; empty: its number says which bucket it is
	Cell  string // what a cell is called; empty: a slot
	At    []Span // all of its memory
	Cells []Cell
}

// Cell is a slot of a row.
type Cell struct {
	Text string // 7=70, x for an erased pair, a dot for an unused slot, a bar between nodes of a list
	At   []Span // its key and value, which may be apart
}

// Span is a piece of memory.
type Span struct {
	At    device.Addr
	Bytes uint64
}

// Overlaps reports whether two pieces have a byte in common.
func (s Span) Overlaps(other Span) bool {
	return s.At < other.At+device.Addr(other.Bytes) && other.At < s.At+device.Addr(s.Bytes)
}

// CellTitle returns the name of a cell, given its number and the row's. Bars are no cells.
func (r Row) CellTitle(row, cell int) string {
	if r.Name == "" && len(r.Cells) == 1 {
		return r.Title(row)
	}
	number := cell
	for _, c := range r.Cells[:cell] {
		if len(c.At) == 0 {
			number--
		}
	}
	return fmt.Sprintf("%s %d of %s", cmp.Or(r.Cell, "slot"), number, r.Title(row))
}

// Title returns the row's name, given its number.
func (r Row) Title(number int) string {
	switch {
	case r.Name != "":
		return r.Name
	case len(r.Cells) == 1:
		return fmt.Sprintf("slot %d", number)
	}
	return fmt.Sprintf("bucket %d", number)
}

package rows

import (
	"io"
	"slices"
)

// Part is made of rows of a file that follow each other.
type Part interface {
	// Take takes rows of a width, whose cells are valid until it returns. An error comes with the place of its cell,
	// before whose row all are taken.
	Take(cells []Cell, width int) (at int, err error)
}

// Parts is how to make parts of a file, on all cores at the same time.
type Parts struct {
	Rows  uint64              // how many to read, from the first; 0: all
	First func(cells []Cell)  // sees the first row, before any part takes it
	New   func(rows int) Part // as many are expected; 0: any number
	Done  func(Part) error    // gets the parts in the order of the file
}

// Make makes parts of all rows. Before an error, Done gets the rows that precede it.
func (r *Reader) Make(p Parts) (err error) {
	if r.make == nil {
		serial := &pipeline{Reader: r, serial: true, most: 1}
		serial.fetch = func() (int, func(*block) error) { return 0, r.some }
		r.make = serial.make
	}
	if err = r.make(p); err == io.EOF {
		return nil
	}
	return r.wrong(err)
}

// serialRows are those of a block of a format that is read row by row.
const serialRows = 1 << 14

// some adds the next rows to a block.
func (r *Reader) some(b *block) (err error) {
	for err == nil && len(b.lines) < serialRows {
		if err = r.next(r.cells); err == nil {
			b.at = r.at
			copy(b.add(), r.cells)
		}
	}
	return err
}

// first decides by the first row how to read all.
func (r *Reader) first(p Parts, cells []Cell) {
	if r.begun {
		return
	}
	r.begin(cells)
	cells = slices.Clone(cells)
	_, _ = r.scaled(cells) // give says what is wrong
	p.First(cells)
}

// give passes rows, with their line numbers, to a part.
func (r *Reader) give(part Part, cells []Cell, lines []uint64) error {
	width := len(r.Columns)
	wrong, err := r.scaled(cells)
	if at, first := part.Take(cells[:wrong-wrong%width], width); first != nil {
		wrong, err = at, first
	}
	if err == nil {
		return nil
	}
	r.at = lines[wrong/width]
	return r.Wrong(wrong%width, err)
}

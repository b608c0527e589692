package rows

import (
	"io"
	"slices"
)

// Part is made of rows of a file that follow each other.
type Part interface {
	// Take takes a row, whose cells are valid until it returns. An error comes with the column that it is about.
	Take(cells []Cell) (column int, err error)
}

// Parts is how to make parts of a file, on all cores at the same time.
type Parts struct {
	Rows  uint64             // how many to read, from the first; 0: all
	First func(cells []Cell) // sees the first row, before any part takes it
	New   func() Part
	Done  func(Part) error // gets the parts in the order of the file
}

// Make makes parts of all rows. Before an error, Done gets the rows that precede it.
func (r *Reader) Make(p Parts) (err error) {
	if r.make != nil && p.Rows == 0 {
		err = r.make(p)
	} else {
		err = r.makeSerial(p)
	}
	if err == io.EOF {
		return nil
	}
	return r.wrong(err)
}

// serialRows are those of a part of a format that is read row by row.
const serialRows = 1 << 14

func (r *Reader) makeSerial(p Parts) (err error) {
	part := p.New()
	for n := uint64(0); err == nil && (p.Rows == 0 || n < p.Rows); n++ {
		if n > 0 && n%serialRows == 0 {
			if err := p.Done(part); err != nil {
				return err
			}
			part = p.New()
		}
		err = r.row(p, part)
	}
	if err := p.Done(part); err != nil {
		return err
	}
	return err
}

// row reads a row and gives it to a part.
func (r *Reader) row(p Parts, part Part) error {
	if err := r.next(r.cells); err != nil {
		return err
	}
	r.first(p, r.cells)
	return r.give(part, r.cells)
}

// first decides by the first row how to read all.
func (r *Reader) first(p Parts, cells []Cell) {
	if r.begun {
		return
	}
	r.begin(cells)
	cells = slices.Clone(cells)
	_ = r.scaled(cells) // give says what is wrong
	p.First(cells)
}

// give gives the row at r.at to a part.
func (r *Reader) give(part Part, cells []Cell) error {
	if err := r.scaled(cells); err != nil {
		return err
	}
	if column, err := part.Take(cells); err != nil {
		return r.Wrong(column, err)
	}
	return nil
}

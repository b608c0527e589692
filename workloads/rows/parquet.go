package rows

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/workloads/parquet"
)

type parquetFile struct {
	*Reader
	file    *parquet.File
	columns []int
	cells   []func() (Cell, error)
	group   int   // the next row group
	left    int64 // rows of the group
}

func openParquet(r *Reader, f File) (next, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	file, err := parquet.Open(f, size)
	if err != nil {
		return nil, Damaged(err)
	}
	p := &parquetFile{Reader: r, file: file, cells: make([]func() (Cell, error), len(r.Columns))}
	names := lists.Map(file.Columns, func(c parquet.Column) string { return c.Name })
	p.columns, err = r.find(names, func(i int, c Column) string { return wrongType(file.Columns[i], c) })
	for i, at := range p.columns {
		if at >= 0 {
			r.types[i] = &file.Columns[at]
		}
		if at >= 0 && file.Columns[at].Decimal {
			err = cmp.Or(err, r.fixed(i, file.Columns[at].Scale))
		}
	}
	if err == nil && r.Announce != nil && file.Rows > 0 {
		err = r.Announce(uint64(file.Rows))
	}
	r.make = p.make
	return p.row, err
}

// group is a row group of which a part is made.
type group struct {
	part Part
	ends uint64 // its last row
	err  error  // after its rows
	done chan struct{}
}

// make makes a part of each row group.
func (p *parquetFile) make(parts Parts) error {
	start := *p
	if err := p.row(p.Reader.cells); err != nil {
		return err
	}
	p.first(parts, p.Reader.cells)
	var queue []*group
	defer func() { // they read the file
		for _, g := range queue {
			<-g.done
		}
	}()
	for at := uint64(0); start.group < len(p.file.Groups) || len(queue) > 0; {
		for ; start.group < len(p.file.Groups) && len(queue) <= runtime.GOMAXPROCS(0); start.group++ {
			rows := uint64(p.file.Groups[start.group].Rows)
			queue = append(queue, start.start(at, rows, parts.New()))
			at += rows
		}
		now := queue[0]
		<-now.done
		queue = queue[1:]
		if err := parts.Done(now.part); err != nil {
			return err
		} else if now.err != nil {
			return now.err
		}
		if p.Progress != nil {
			p.Progress(float64(now.ends) / float64(p.file.Rows))
		}
	}
	return nil
}

// start begins to give the rows of the next group, which follow the row at, to a part.
func (p parquetFile) start(at, rows uint64, part Part) *group {
	g, r := &group{part: part, ends: at + rows, done: make(chan struct{})}, *p.Reader
	r.at, r.cells = at, make([]Cell, len(r.cells))
	p.Reader, p.cells = &r, make([]func() (Cell, error), len(r.cells))
	go func() {
		defer close(g.done)
		for p.begin(); p.left > 0 && g.err == nil; {
			if g.err = p.row(r.cells); g.err == nil {
				g.err = r.give(part, r.cells)
			}
		}
	}()
	return g
}

// wrongType returns the name of a column's type if it is not plain numbers, texts or bytes.
func wrongType(from parquet.Column, c Column) string {
	real := from.Type == parquet.Float || from.Type == parquet.Double
	switch {
	case from.Repeated:
		return "list"
	case from.Half:
		return "float16"
	case from.Decimal && !c.Scaled:
		return fmt.Sprintf("decimal with %d digits after the point", from.Scale)
	case from.Type == parquet.Int96 || real && !c.Reals:
		return from.Type.String()
	}
	return ""
}

func (p *parquetFile) row(cells []Cell) error {
	for p.left == 0 {
		if p.group == len(p.file.Groups) {
			return io.EOF
		}
		p.begin()
	}
	p.left--
	p.at++
	for i, take := range p.cells {
		var err error
		if cells[i], err = take(); err != nil {
			return damagedParquet(err)
		}
	}
	return nil
}

func damagedParquet(err error) error {
	var is parquet.Unsupported
	if errors.As(err, &is) {
		return is
	}
	return Damaged(err)
}

func (p *parquetFile) begin() {
	p.left = p.file.Groups[p.group].Rows
	for i, at := range p.columns {
		p.cells[i] = func() (Cell, error) { return Cell{}, nil }
		if at >= 0 {
			cells, of := p.file.Cells(p.group, at), cellOf(p.file.Columns[at])
			p.cells[i] = func() (Cell, error) {
				v, ok, err := cells.Next()
				if err != nil || !ok {
					return Cell{}, err
				}
				return of(v), nil
			}
		}
	}
	p.group++
}

// cellOf returns a function that makes cells of a column's values.
func cellOf(c parquet.Column) func(parquet.Value) Cell {
	switch c.Type {
	case parquet.Boolean:
		return func(v parquet.Value) Cell { return unsigned(v.Number) }
	case parquet.Float:
		return func(v parquet.Value) Cell { return real(float64(math.Float32frombits(uint32(v.Number)))) }
	case parquet.Double:
		return func(v parquet.Value) Cell { return real(math.Float64frombits(v.Number)) }
	case parquet.Int32, parquet.Int64:
		switch {
		case c.Unsigned:
			return func(v parquet.Value) Cell { return unsigned(v.Number) }
		case c.Type == parquet.Int32:
			return func(v parquet.Value) Cell { return signed(int64(int32(v.Number))) }
		}
		return func(v parquet.Value) Cell { return signed(int64(v.Number)) } // dates, times and durations, too, in their unit
	}
	if c.Decimal {
		return func(v parquet.Value) Cell { return wideCell(v.Bytes) }
	}
	return func(v parquet.Value) Cell { return textCell(string(v.Bytes)) }
}

package rows

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"

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
	return p.row, err
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

package rows

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"runtime"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/workloads/parquet"
)

// parquetFile is read in pieces of row groups.
type parquetFile struct {
	pipeline
	file    *parquet.File
	columns []column // without cells
	group   int      // of the next piece
	from    int64    // its first row in the group
	open    []column // of the last piece, at its end if pieces are read one after the other
	size    int64    // rows of pieces that are read at the same time
}

// column is a column of a row group.
type column struct {
	*parquet.Cells
	in, at int // the file and a row of cells
	cell   func(*parquet.Value, *Cell)
}

// OpenParquet reads the metadata of a Parquet file, and blames the file for damage.
func OpenParquet(f File) (*parquet.File, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	table, err := parquet.Open(f, size)
	return table, Damaged(err)
}

func openParquet(r *Reader, f File) (*pipeline, error) {
	file, err := OpenParquet(f)
	if err != nil {
		return nil, err
	}
	p := &parquetFile{file: file}
	p.pipeline = pipeline{Reader: r, fetch: p.fetch, most: 1, err: io.EOF}
	names := lists.Map(file.Columns, func(c parquet.Column) string { return c.Name })
	columns, err := r.find(names, func(i int, c Column) string { return wrongType(file.Columns[i], c) })
	for i, in := range columns {
		if in < 0 {
			continue
		}
		r.types[i] = &file.Columns[in]
		if p.columns = append(p.columns, column{in: in, at: i, cell: cellOf(*r.types[i])}); r.types[i].Decimal {
			err = cmp.Or(err, r.fixed(i, r.types[i].Scale))
		}
	}
	if err == nil && r.Announce != nil && file.Rows > 0 {
		err = r.Announce(uint64(file.Rows))
	}
	r.share = func() float64 { return float64(p.lines) / float64(max(1, file.Rows)) }
	return &p.pipeline, err
}

// Rows of pieces: of those that are read one after the other, and the fewest of others; rows of a batch of cells, which
// fits the caches of a core.
const (
	serialPiece = 1 << 12
	leastPiece  = 1 << 16
	batchRows   = 1 << 7
)

// fetch returns how to read the next piece of a row group.
func (p *parquetFile) fetch() (rows int, parse func(*block) error) {
	for p.group < len(p.file.Groups) && p.from == p.file.Groups[p.group].Rows {
		p.group, p.from = p.group+1, 0
	}
	if p.group == len(p.file.Groups) {
		return 0, nil
	}
	end, skip := p.end(), p.from
	if p.newPart == nil && p.from > 0 {
		skip = 0
	} else {
		p.open = lists.Map(p.columns, func(c column) column { c.Cells = p.file.Cells(p.group, c.in); return c })
	}
	open, size := p.open, min(end, p.file.Groups[p.group].Rows)-p.from
	p.from, p.lines = p.from+size, p.lines+uint64(size)
	return int(size), func(b *block) error { return b.columns(open, uint64(skip), int(size)) }
}

// end is where the next piece ends, or behind the end of the group.
func (p *parquetFile) end() int64 {
	if p.newPart == nil {
		return p.from + serialPiece
	}
	if p.size == 0 {
		p.size = max(leastPiece, p.file.Rows/int64(4*runtime.GOMAXPROCS(0)))
		for _, c := range p.open { // a page is not unpacked for many pieces
			p.size = max(p.size, p.from+int64(c.Left))
		}
	}
	return p.from - p.from%p.size + p.size
}

// columns reads rows of columns, after some that are skipped.
func (b *block) columns(open []column, skip uint64, rows int) (err error) {
	for _, c := range open {
		err = cmp.Or(err, Damaged(c.Skip(skip)))
	}
	values := make([]parquet.Value, min(rows, batchRows))
	for ; rows > 0 && err == nil; rows -= len(values) {
		values = values[:min(rows, batchRows)]
		err = b.give(b.batch(open, values))
	}
	return err
}

// batch reads as many rows as there is room for values.
func (b *block) batch(open []column, values []parquet.Value) (err error) {
	from, width := len(b.cells), len(b.Columns)
	b.cells = append(b.cells, make([]Cell, len(values)*width)...)
	for _, c := range open {
		if n, wrong := c.Read(values); wrong != nil {
			values, err = values[:n], Damaged(wrong)
		}
		for row := range values {
			if v := &values[row]; !v.Null {
				c.cell(v, &b.cells[from+row*width+c.at])
			}
		}
	}
	for range values {
		b.at++
		b.lines = append(b.lines, b.at)
	}
	return err
}

// wrongType returns the name of a column's type if it is not plain numbers, texts or bytes.
func wrongType(from parquet.Column, c Column) string {
	switch real := from.Type == parquet.Float || from.Type == parquet.Double; {
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

// cellOf returns a function that makes cells of a column's values.
func cellOf(c parquet.Column) func(*parquet.Value, *Cell) {
	switch {
	case c.Type >= parquet.ByteArray && c.Decimal:
		return func(v *parquet.Value, to *Cell) { *to = wideCell(v.Text) }
	case c.Type >= parquet.ByteArray:
		return func(v *parquet.Value, to *Cell) { *to = textCell(v.Text) }
	case c.Type == parquet.Float:
		return func(v *parquet.Value, to *Cell) { *to = real(float64(math.Float32frombits(uint32(v.Number)))) }
	case c.Type == parquet.Double:
		return func(v *parquet.Value, to *Cell) { *to = real(math.Float64frombits(v.Number)) }
	case c.Type == parquet.Int32 && !c.Unsigned:
		return func(v *parquet.Value, to *Cell) { *to = signed(int64(int32(v.Number))) }
	case c.Type == parquet.Int64 && !c.Unsigned: // dates, times and durations, too, in their unit
		return func(v *parquet.Value, to *Cell) { *to = signed(int64(v.Number)) }
	}
	return func(v *parquet.Value, to *Cell) { *to = unsigned(v.Number) }
}

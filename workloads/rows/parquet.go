package rows

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/hashzoo/hashzoo/workloads/columnar"
)

// parquetFile reads a Parquet file, a batch of cells at a time.
type parquetFile struct {
	*Reader
	file    *pq.Reader
	columns []int
	group   int // the next row group
	cells   []func() (Cell, error)
	left    int64 // rows of the group
}

func openParquet(r *Reader, f File) (next, error) {
	properties := parquet.NewReaderProperties(columnar.NewAllowance())
	properties.BufferedStreamEnabled = true
	file, err := pq.NewParquetReader(f, pq.WithReadProps(properties))
	if err != nil {
		return nil, columnar.Damaged(err)
	}
	s := file.MetaData().Schema
	var names []string
	for i := range s.NumColumns() {
		names = append(names, s.Column(i).Path())
	}
	p := &parquetFile{Reader: r, file: file, cells: make([]func() (Cell, error), len(r.Columns))}
	p.columns, err = r.find(names, func(i int, c Column) string { return wrongLeaf(s.Column(i), c) })
	for i, at := range p.columns {
		if at < 0 {
			continue
		}
		if t, ok := s.Column(at).LogicalType().(schema.DecimalLogicalType); ok {
			err = cmp.Or(err, r.fixed(i, int(t.Scale())))
		}
	}
	if err == nil && r.Announce != nil && file.NumRows() > 0 {
		err = r.Announce(uint64(file.NumRows()))
	}
	return p.row, err
}

// wrongLeaf returns the name of a column's type if it is not plain numbers, texts or bytes.
func wrongLeaf(leaf *schema.Column, c Column) string {
	if leaf.MaxRepetitionLevel() > 0 {
		return "list"
	}
	logical, usable := leaf.LogicalType(), false
	_, decimal := logical.(schema.DecimalLogicalType)
	_, half := logical.(schema.Float16LogicalType)
	switch leaf.PhysicalType() {
	case parquet.Types.Boolean, parquet.Types.Int32, parquet.Types.Int64:
		usable = true // dates, times and durations, too, in their unit
	case parquet.Types.Float, parquet.Types.Double:
		usable = c.Reals
	case parquet.Types.ByteArray, parquet.Types.FixedLenByteArray:
		usable = !half
	}
	if usable && (!decimal || c.Scaled) {
		return ""
	}
	return strings.TrimSuffix(fmt.Sprintf("%v, %v", leaf.PhysicalType(), logical), ", None")
}

func (p *parquetFile) row(cells []Cell) error {
	for p.left == 0 {
		if p.group == p.file.NumRowGroups() {
			return io.EOF
		}
		if err := p.begin(); err != nil {
			return columnar.Damaged(err)
		}
	}
	p.left--
	p.at++
	for i, take := range p.cells {
		var err error
		if cells[i], err = take(); err != nil {
			return columnar.Damaged(err)
		}
	}
	return nil
}

func (p *parquetFile) begin() error {
	group := p.file.RowGroup(p.group)
	p.group++
	p.left = max(0, group.NumRows())
	for i, at := range p.columns {
		if at < 0 {
			p.cells[i] = func() (Cell, error) { return Cell{}, nil }
			continue
		}
		chunk, err := group.Column(at)
		if err != nil {
			return err
		}
		p.cells[i] = cellsOf(chunk)
	}
	return nil
}

// cellsOf returns a function that reads the cells of a column one by one.
func cellsOf(chunk pq.ColumnChunkReader) func() (Cell, error) {
	t, ok := chunk.Descriptor().LogicalType().(schema.IntLogicalType)
	isUnsigned := ok && !t.IsSigned()
	bytesCell := func(x []byte) Cell { return textCell(string(x)) }
	if _, decimal := chunk.Descriptor().LogicalType().(schema.DecimalLogicalType); decimal {
		bytesCell = wideCell
	}
	switch r := chunk.(type) {
	case *pq.BooleanColumnChunkReader:
		return oneByOne(r, truth)
	case *pq.Int32ColumnChunkReader:
		if isUnsigned {
			return oneByOne(r, func(x int32) Cell { return unsigned(uint64(uint32(x))) })
		}
		return oneByOne(r, func(x int32) Cell { return signed(int64(x)) })
	case *pq.Int64ColumnChunkReader:
		if isUnsigned {
			return oneByOne(r, func(x int64) Cell { return unsigned(uint64(x)) })
		}
		return oneByOne(r, signed)
	case *pq.Float32ColumnChunkReader:
		return oneByOne(r, func(x float32) Cell { return real(float64(x)) })
	case *pq.Float64ColumnChunkReader:
		return oneByOne(r, real)
	case *pq.ByteArrayColumnChunkReader:
		return oneByOne(r, func(x parquet.ByteArray) Cell { return bytesCell(x) })
	case *pq.FixedLenByteArrayColumnChunkReader:
		return oneByOne(r, func(x parquet.FixedLenByteArray) Cell { return bytesCell(x) })
	}
	return func() (Cell, error) { return Cell{}, fmt.Errorf("a column of type %v", chunk.Type()) }
}

// pages is a column chunk. A batch of cells stays within a page, whose memory has the texts.
type pages[T any] interface {
	pq.ColumnChunkReader
	ReadBatchInPage(n int64, values []T, definition, repetition []int16) (total int64, read int, err error)
}

// oneByOne returns a function that returns the next cell; those below the full definition level are null.
func oneByOne[T any](r pages[T], of func(T) Cell) func() (Cell, error) {
	const batch = 4096
	full := r.Descriptor().MaxDefinitionLevel()
	values, definition := make([]T, batch), make([]int16, batch)
	allFull := slices.Repeat([]int16{full}, batch)
	var levels []int16
	var ready []T
	return func() (Cell, error) {
		if len(levels) == 0 {
			total, read, err := readPage(r, values, definition)
			if err != nil {
				return Cell{}, err
			}
			if levels, ready = definition[:total], values[:read]; int64(read) == total {
				levels = allFull[:total]
			}
		}
		level := levels[0]
		if levels = levels[1:]; level < full {
			return Cell{}, nil
		}
		if len(ready) == 0 {
			return Cell{}, errors.New("a column has fewer values than rows")
		}
		next := ready[0]
		ready = ready[1:]
		return of(next), nil
	}
}

func readPage[T any](r pages[T], values []T, definition []int16) (total int64, read int, err error) {
	if !r.HasNext() {
		return 0, 0, errors.Join(r.Err(), errors.New("a column has fewer cells than rows"))
	}
	total, read, err = r.ReadBatchInPage(int64(len(values)), values, definition, nil)
	if err == nil && total == 0 {
		err = errors.Join(r.Err(), errors.New("an empty page"))
	}
	return total, read, err
}

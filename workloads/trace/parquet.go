package trace

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/workloads/columnar"
)

// parquetRows are the rows of a Parquet file, of which the wanted columns are read, a
// page's worth at a time.
type parquetRows struct {
	file  *pq.Reader
	at    [columns]int // of a column in the file, -1 if it is not wanted
	group int          // row groups that were begun
	cells [columns]func() (cell, error)
	left  int64 // rows of the group
}

func openParquet(f columnar.Opened, opt *Options) (rows, error) {
	properties := parquet.NewReaderProperties(columnar.NewAllowance())
	properties.BufferedStreamEnabled = true
	file, err := pq.NewParquetReader(f, pq.WithReadProps(properties))
	if err != nil {
		return nil, damaged(err)
	}
	p := &parquetRows{file: file}
	return p, p.find(opt)
}

func damaged(err error) error { return fmt.Errorf("the file is damaged: %w", err) }

// find finds the wanted columns.
func (p *parquetRows) find(opt *Options) error {
	s := p.file.MetaData().Schema
	var names []string
	for i := range s.NumColumns() {
		names = append(names, s.Column(i).Path())
	}
	for i, name := range opt.wanted() {
		p.at[i] = -1
		if name == "" {
			continue
		}
		if p.at[i] = slices.Index(names, name); p.at[i] < 0 {
			return nearest.Unknown("column", short(name), shown(names))
		}
		if leaf := s.Column(p.at[i]); leaf.MaxRepetitionLevel() > 0 || !usable(leaf) {
			return fmt.Errorf("column %s is of type %v, %v: it takes numbers and texts", short(name), leaf.PhysicalType(), leaf.LogicalType())
		}
	}
	return nil
}

// usable says whether cells of a column are numbers or texts.
func usable(leaf *schema.Column) bool {
	switch leaf.PhysicalType() {
	case parquet.Types.Boolean, parquet.Types.Int96, parquet.Types.FixedLenByteArray:
		return false
	}
	_, decimal := leaf.LogicalType().(schema.DecimalLogicalType)
	return !decimal
}

func (p *parquetRows) next() (r row, err error) {
	for p.left == 0 {
		if p.group == p.file.NumRowGroups() {
			return r, io.EOF
		}
		if err := p.begin(); err != nil {
			return r, err
		}
	}
	p.left--
	for i, take := range p.cells {
		if take == nil {
			continue
		}
		if r[i], err = take(); err != nil {
			return r, fmt.Errorf("%s: %w", columnNames[i], err)
		}
	}
	return r, nil
}

// begin begins the next row group.
func (p *parquetRows) begin() error {
	group := p.file.RowGroup(p.group)
	p.group++
	p.left = max(0, group.NumRows())
	for i, at := range p.at {
		if at < 0 {
			continue
		}
		chunk, err := group.Column(at)
		if err != nil {
			return damaged(err)
		}
		if p.cells[i], err = cellsOf(chunk); err != nil {
			return err
		}
	}
	return nil
}

func (p *parquetRows) close() { p.file.Close() }

// cellsOf gives the cells of a column one by one.
func cellsOf(chunk pq.ColumnChunkReader) (func() (cell, error), error) {
	unsigned := false
	if t, ok := chunk.Descriptor().LogicalType().(schema.IntLogicalType); ok {
		unsigned = !t.IsSigned()
	}
	switch r := chunk.(type) {
	case *pq.Int32ColumnChunkReader:
		return oneByOne(r, func(x int32) cell {
			if unsigned {
				return cell{number: uint64(uint32(x)), is: cellNumber}
			}
			return signed(int64(x))
		}), nil
	case *pq.Int64ColumnChunkReader:
		return oneByOne(r, func(x int64) cell {
			if unsigned {
				return cell{number: uint64(x), is: cellNumber}
			}
			return signed(x)
		}), nil
	case *pq.Float32ColumnChunkReader:
		return oneByOne(r, func(x float32) cell { return real(float64(x)) }), nil
	case *pq.Float64ColumnChunkReader:
		return oneByOne(r, real), nil
	case *pq.ByteArrayColumnChunkReader:
		return oneByOne(r, func(x parquet.ByteArray) cell { return cell{text: string(x), is: cellText} }), nil
	}
	return nil, fmt.Errorf("a column of type %v: it takes numbers and texts", chunk.Type())
}

func signed(x int64) cell {
	if x < 0 {
		return cell{text: strconv.FormatInt(x, 10), is: cellText}
	}
	return cell{number: uint64(x), is: cellNumber}
}

func real(x float64) cell { return cell{text: strconv.FormatFloat(x, 'g', -1, 64), is: cellText} }

// pages is a column chunk of cells of one type. What is read at once stays within a page,
// since texts are in the page's own memory.
type pages[T any] interface {
	pq.ColumnChunkReader
	ReadBatchInPage(n int64, values []T, definition, repetition []int16) (total int64, read int, err error)
}

// oneByOne reads cells ahead, as many as are in a page, and gives them one by one.
func oneByOne[T any](r pages[T], of func(T) cell) func() (cell, error) {
	const batch = 1024
	var ready []cell
	values, definition := make([]T, batch), make([]int16, batch)
	return func() (cell, error) {
		if len(ready) == 0 {
			ready = ready[:0]
			if !r.HasNext() {
				return cell{}, errors.Join(r.Err(), errors.New("the file is damaged: a column has fewer cells than rows"))
			}
			total, read, err := r.ReadBatchInPage(batch, values, definition, nil)
			if err != nil || total == 0 {
				return cell{}, damaged(errors.Join(err, r.Err(), errors.New("an empty page")))
			}
			if total > int64(read) {
				return cell{}, errors.New("there is no value, in this row or soon after")
			}
			for _, x := range values[:read] {
				ready = append(ready, of(x))
			}
		}
		next := ready[0]
		ready = ready[1:]
		return next, nil
	}
}

package rows

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/workloads/columnar"
)

type arrowFile struct {
	*Reader
	in      *ipc.Reader
	columns []int
	cells   []func(i int) Cell // of the record batch
	i, n    int                // of its rows
}

func openArrow(r *Reader, f File) (next, error) {
	messages, err := columnar.New(f)
	if err != nil {
		return nil, err
	}
	in, err := ipc.NewReaderFromMessageReader(messages, ipc.WithAllocator(columnar.NewAllowance()))
	if err != nil {
		return nil, columnar.Damaged(err)
	}
	fields := in.Schema().Fields()
	names := lists.Map(fields, func(f arrow.Field) string { return f.Name })
	a := &arrowFile{Reader: r, in: in, cells: make([]func(int) Cell, len(r.Columns))}
	a.columns, err = r.find(names, func(i int, c Column) string {
		if usable(fields[i].Type, c) {
			return ""
		}
		return fields[i].Type.String()
	})
	if err != nil {
		return nil, err
	}
	for k, at := range a.columns {
		if at >= 0 {
			err = cmp.Or(err, r.fixed(k, digits(fields[at].Type)))
		}
	}
	return a.row, err
}

// digits returns the digits after the point of a type for decimals, -1 of others.
func digits(t arrow.DataType) int {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return digits(t.ValueType)
	case arrow.ExtensionType:
		return digits(t.StorageType())
	case arrow.DecimalType:
		return int(t.GetScale())
	}
	return -1
}

// usable reports whether a column may have a type: numbers or texts.
func usable(t arrow.DataType, c Column) bool {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return usable(t.ValueType, c)
	case arrow.ExtensionType:
		return usable(t.StorageType(), c)
	case arrow.DecimalType:
		return c.Scaled
	}
	switch id := t.ID(); id {
	case arrow.FLOAT32, arrow.FLOAT64:
		return c.Reals
	case arrow.BOOL, arrow.TIMESTAMP, arrow.DURATION, arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64:
		return true // in their unit
	default:
		return arrow.IsInteger(id) || arrow.IsBaseBinary(id) || id == arrow.FIXED_SIZE_BINARY || id == arrow.STRING_VIEW || id == arrow.BINARY_VIEW
	}
}

func (a *arrowFile) row(cells []Cell) error {
	for a.i == a.n {
		if !a.in.Next() {
			if a.in.Err() != nil {
				return columnar.Damaged(a.in.Err())
			}
			return io.EOF
		}
		if err := a.begin(a.in.RecordBatch()); err != nil {
			return err
		}
	}
	for k, cell := range a.cells {
		cells[k] = cell(a.i)
	}
	a.i++
	a.at++
	return nil
}

func (a *arrowFile) begin(batch arrow.RecordBatch) error {
	a.i, a.n = 0, int(batch.NumRows())
	for k, at := range a.columns {
		if at < 0 {
			a.cells[k] = func(int) Cell { return Cell{} }
			continue
		}
		column := batch.Column(at)
		if column.Len() < a.n {
			return columnar.Damaged(fmt.Errorf("a column of %d cells in a batch of %d rows", column.Len(), a.n))
		}
		a.cells[k] = arrowCells(column)
	}
	if a.Announce == nil {
		return nil
	}
	return a.Announce(a.at + uint64(a.n))
}

// arrowCells returns a function that reads cell i of an array.
func arrowCells(cells arrow.Array) func(i int) Cell {
	read := validCells(cells)
	return func(i int) Cell {
		if cells.IsNull(i) {
			return Cell{}
		}
		return read(i)
	}
}

func validCells(cells arrow.Array) func(i int) Cell {
	switch cells := cells.(type) {
	case *array.Boolean:
		return func(i int) Cell { return truth(cells.Value(i)) }
	case *array.Float32:
		return func(i int) Cell { return real(float64(cells.Value(i))) }
	case *array.Float64:
		return func(i int) Cell { return real(cells.Value(i)) }
	case *array.Dictionary:
		value := arrowCells(cells.Dictionary())
		return func(i int) Cell { return value(cells.GetValueIndex(i)) }
	case array.ExtensionArray:
		return arrowCells(cells.Storage())
	case interface{ Value(int) string }:
		return func(i int) Cell { return textCell(cells.Value(i)) }
	case interface{ Value(int) []byte }:
		return func(i int) Cell { return textCell(string(cells.Value(i))) }
	}
	return wholeCells(cells)
}

// wholeCells reads whole numbers, decimals, dates and times of any width.
func wholeCells(cells arrow.Array) func(i int) Cell {
	if cells.Len() == 0 { // it may have no buffer
		return nil
	}
	width := cells.DataType().(arrow.FixedWidthDataType).Bytes()
	data := cells.Data()
	bytes := data.Buffers()[1].Bytes()[data.Offset()*width:][:data.Len()*width]
	if width > 8 { // decimals
		return func(i int) Cell {
			number := slices.Clone(bytes[i*width:][:width])
			slices.Reverse(number)
			return wideCell(number)
		}
	}
	word := func(i int) uint64 {
		var word [8]byte
		copy(word[8-width:], bytes[i*width:(i+1)*width])
		return binary.LittleEndian.Uint64(word[:])
	}
	if shift := 64 - 8*width; !arrow.IsUnsignedInteger(cells.DataType().ID()) {
		return func(i int) Cell { return signed(int64(word(i)) >> shift) }
	} else {
		return func(i int) Cell { return unsigned(word(i) >> shift) }
	}
}

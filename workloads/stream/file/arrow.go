package file

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/hashzoo/hashzoo/workloads/columnar"
)

// guarded makes an error of a panic of the library.
func guarded(read func(Opened, *collector) error) func(Opened, *collector) error {
	return func(f Opened, c *collector) error {
		err := columnar.Guard(func() error { return read(f, c) })
		if _, panicked := err.(columnar.Damaged); panicked {
			return arrowError(err)
		}
		return err
	}
}

// readArrow reads Arrow IPC, either of its formats.
func readArrow(f Opened, c *collector) error {
	messages, err := columnar.New(f)
	if err != nil {
		return arrowError(err)
	}
	r, err := ipc.NewReaderFromMessageReader(messages, ipc.WithAllocator(columnar.NewAllowance()))
	if err != nil {
		return arrowError(columnar.NewDamaged(err))
	}
	defer r.Release()
	return arrowError(c.batches(r))
}

func arrowError(err error) error {
	if d, ok := err.(columnar.Damaged); ok {
		return fmt.Errorf(": the file is damaged: %s", oneLine(d.Error()))
	}
	return ended(err)
}

func (c *collector) batches(r *ipc.Reader) error {
	column, err := c.field(r.Schema())
	for err == nil && r.Next() {
		err = c.batch(r.RecordBatch(), column)
	}
	if err == nil && r.Err() != nil {
		return columnar.NewDamaged(r.Err())
	}
	return err
}

// field finds the wanted column, and refuses it if it is of no use.
func (c *collector) field(schema *arrow.Schema) (int, error) {
	var names []string
	for _, f := range schema.Fields() {
		names = append(names, f.Name)
	}
	column, err := c.find(names)
	if err != nil {
		return 0, err
	}
	if t := schema.Field(column).Type; !usable(t) {
		return 0, c.wrongType(t.String())
	}
	return column, nil
}

func (c *collector) wrongType(name string) error {
	return fmt.Errorf(": column %s is of type %s, it takes whole numbers and texts", c.name(), name)
}

// usable says whether cells of a type can be keys.
func usable(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return usable(t.ValueType)
	case arrow.ExtensionType:
		return usable(t.StorageType())
	}
	return arrow.IsInteger(t.ID()) || arrow.IsBaseBinary(t.ID()) || t.ID() == arrow.FIXED_SIZE_BINARY ||
		t.ID() == arrow.STRING_VIEW || t.ID() == arrow.BINARY_VIEW
}

// batch takes the cells of a record batch.
func (c *collector) batch(batch arrow.RecordBatch, column int) error {
	done := uint64(len(c.numbers))
	if err := c.announce(done + uint64(batch.NumRows())); err != nil {
		return err
	}
	cells := batch.Column(column)
	take := c.cells(cells)
	for i := range cells.Len() {
		p := place{"row", done + uint64(i) + 1}
		if cells.IsNull(i) {
			return c.missing(p)
		}
		if err := take(i, p); err != nil {
			return err
		}
	}
	return nil
}

// cells is a function that takes cell i of an array.
func (c *collector) cells(cells arrow.Array) func(i int, p place) error {
	switch cells := cells.(type) {
	case *array.Int8:
		return signedCells(c, cells)
	case *array.Int16:
		return signedCells(c, cells)
	case *array.Int32:
		return signedCells(c, cells)
	case *array.Int64:
		return signedCells(c, cells)
	case *array.Uint8:
		return unsignedCells(c, cells)
	case *array.Uint16:
		return unsignedCells(c, cells)
	case *array.Uint32:
		return unsignedCells(c, cells)
	case *array.Uint64:
		return unsignedCells(c, cells)
	case *array.Dictionary:
		values, take := cells.Dictionary(), c.cells(cells.Dictionary())
		return func(i int, p place) error {
			at := cells.GetValueIndex(i)
			if values.IsNull(at) {
				return c.missing(p)
			}
			return take(at, p)
		}
	case array.ExtensionArray:
		return c.cells(cells.Storage())
	}
	return c.textCells(cells)
}

func signedCells[T int8 | int16 | int32 | int64](c *collector, cells interface{ Value(int) T }) func(int, place) error {
	return func(i int, p place) error { return c.signed(int64(cells.Value(i)), p) }
}

func unsignedCells[T uint8 | uint16 | uint32 | uint64](c *collector, cells interface{ Value(int) T }) func(int, place) error {
	return func(i int, p place) error { return c.unsigned(uint64(cells.Value(i)), p) }
}

func (c *collector) textCells(cells arrow.Array) func(int, place) error {
	switch cells := cells.(type) {
	case interface{ Value(int) string }:
		return func(i int, p place) error { return c.text(cells.Value(i), p) }
	case interface{ Value(int) []byte }:
		return func(i int, p place) error { return c.text(string(cells.Value(i)), p) }
	}
	return func(int, place) error { return c.wrongType(cells.DataType().String()) }
}

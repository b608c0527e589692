package file

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/hashzoo/hashzoo/workloads/columnar"
)

// readParquet reads the pages of one column, one after the other.
func readParquet(f Opened, c *collector) error {
	properties := parquet.NewReaderProperties(columnar.NewAllowance())
	properties.BufferedStreamEnabled = true
	r, err := pq.NewParquetReader(f, pq.WithReadProps(properties))
	if err != nil {
		return arrowError(columnar.NewDamaged(err))
	}
	defer r.Close()
	column, err := c.leaf(r.MetaData().Schema)
	if err == nil && r.NumRows() > 0 {
		err = c.announce(uint64(r.NumRows()))
	}
	for group := 0; err == nil && group < r.NumRowGroups(); group++ {
		var chunk pq.ColumnChunkReader
		if chunk, err = r.RowGroup(group).Column(column); err != nil {
			return arrowError(columnar.NewDamaged(err))
		}
		err = c.chunk(chunk)
	}
	return arrowError(err)
}

// leaf finds the wanted column, and refuses it if it is of no use.
func (c *collector) leaf(s *schema.Schema) (int, error) {
	var names []string
	for i := range s.NumColumns() {
		names = append(names, s.Column(i).Path())
	}
	column, err := c.find(names)
	if err != nil {
		return 0, err
	}
	leaf := s.Column(column)
	if leaf.MaxRepetitionLevel() > 0 {
		return 0, c.wrongType("list")
	}
	if !usableLeaf(leaf) {
		return 0, c.wrongType(strings.TrimSuffix(fmt.Sprintf("%v, %v", leaf.PhysicalType(), leaf.LogicalType()), ", None"))
	}
	return column, nil
}

// usableLeaf says whether cells of a column can be keys: whole numbers that mean
// whole numbers, and bytes that mean texts or bytes.
func usableLeaf(leaf *schema.Column) bool {
	switch leaf.PhysicalType() {
	case parquet.Types.Int32, parquet.Types.Int64:
		_, isInt := leaf.LogicalType().(schema.IntLogicalType)
		return isInt || leaf.LogicalType().IsNone()
	case parquet.Types.ByteArray, parquet.Types.FixedLenByteArray:
		_, decimal := leaf.LogicalType().(schema.DecimalLogicalType)
		_, half := leaf.LogicalType().(schema.Float16LogicalType)
		return !decimal && !half
	}
	return false
}

// isUnsigned says whether a column's numbers mean what is not negative.
func isUnsigned(leaf *schema.Column) bool {
	t, ok := leaf.LogicalType().(schema.IntLogicalType)
	return ok && !t.IsSigned()
}

// chunk takes the cells of the column in a row group.
func (c *collector) chunk(chunk pq.ColumnChunkReader) error {
	switch r := chunk.(type) {
	case *pq.Int32ColumnChunkReader:
		if isUnsigned(r.Descriptor()) {
			return takePages(c, r, func(x int32, p place) error { return c.unsigned(uint64(uint32(x)), p) })
		}
		return takePages(c, r, func(x int32, p place) error { return c.signed(int64(x), p) })
	case *pq.Int64ColumnChunkReader:
		if isUnsigned(r.Descriptor()) {
			return takePages(c, r, func(x int64, p place) error { return c.unsigned(uint64(x), p) })
		}
		return takePages(c, r, c.signed)
	case *pq.ByteArrayColumnChunkReader:
		return takePages(c, r, func(x parquet.ByteArray, p place) error { return c.text(string(x), p) })
	case *pq.FixedLenByteArrayColumnChunkReader:
		return takePages(c, r, func(x parquet.FixedLenByteArray, p place) error { return c.text(string(x), p) })
	}
	return c.wrongType(chunk.Type().String())
}

// pages is a column chunk of cells of one type. A batch stays within a page, since
// texts are in the page's own memory.
type pages[T any] interface {
	pq.ColumnChunkReader
	ReadBatchInPage(n int64, values []T, definition, repetition []int16) (total int64, read int, err error)
}

func takePages[T any](c *collector, r pages[T], take func(x T, p place) error) error {
	const batch = 4096
	values, definition := make([]T, batch), make([]int16, batch)
	for r.HasNext() {
		total, read, err := r.ReadBatchInPage(batch, values, definition, nil)
		if err != nil {
			return columnar.NewDamaged(err)
		}
		row := uint64(len(c.numbers)) + 1
		if total > int64(read) {
			return c.missing(place{"row", row + missingAt(definition[:total], r.Descriptor().MaxDefinitionLevel())})
		}
		for i, x := range values[:read] {
			if err := take(x, place{"row", row + uint64(i)}); err != nil {
				return err
			}
		}
		if total == 0 {
			break
		}
	}
	if r.Err() != nil {
		return columnar.NewDamaged(r.Err())
	}
	return nil
}

// missingAt is the index of the first cell without a value.
func missingAt(definition []int16, full int16) uint64 {
	for i, level := range definition {
		if level < full {
			return uint64(i)
		}
	}
	return uint64(len(definition))
}

package record

import (
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	pq "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/hashzoo/hashzoo/runtime/engine"
)

// parquetExporter writes a row group for each batch.
type parquetExporter struct{ out *pq.Writer }

func newParquetExporter(out io.Writer) (exporter, error) {
	number := schema.NewIntLogicalType(64, false)
	var fields schema.FieldList
	for _, f := range []struct {
		name string
		of   schema.LogicalType
		is   parquet.Type
		may  parquet.Repetition
	}{
		{"batch", number, parquet.Types.Int64, parquet.Repetitions.Required},
		{"op", schema.StringLogicalType{}, parquet.Types.ByteArray, parquet.Repetitions.Required},
		{"key", number, parquet.Types.Int64, parquet.Repetitions.Required},
		{"value", number, parquet.Types.Int64, parquet.Repetitions.Optional},
	} {
		node, err := schema.NewPrimitiveNodeLogical(f.name, f.may, f.of, f.is, 0, -1)
		if err != nil {
			return nil, err
		}
		fields = append(fields, node)
	}
	root, err := schema.NewGroupNode("recording", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return nil, err
	}
	properties := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy))
	w, err := pq.NewParquetWriterWithError(out, root, pq.WithWriterProps(properties))
	return &parquetExporter{w}, err
}

func (e *parquetExporter) batch(b *Batch, c engine.Columns) error {
	group, err := e.out.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	n := int(c.N)
	names := make([]parquet.ByteArray, n)
	for i := range names {
		name, err := b.name(c, i)
		if err != nil {
			return err
		}
		names[i] = parquet.ByteArray(name)
	}
	write := func(put func(pq.ColumnChunkWriter) error) {
		var column pq.ColumnChunkWriter
		if err == nil {
			column, err = group.NextColumn()
		}
		if err == nil {
			err = put(column)
		}
		if err == nil {
			err = column.Close()
		}
	}
	write(numbersTo(slices.Repeat([]int64{int64(b.Number)}, n), nil))
	write(func(w pq.ColumnChunkWriter) error {
		_, err := w.(*pq.ByteArrayColumnChunkWriter).WriteBatch(names, nil, nil)
		return err
	})
	write(numbersTo(int64s(c.Keys, c.KeyWidth, n), nil))
	if c.Values == nil {
		write(numbersTo(nil, make([]int16, n)))
	} else {
		write(numbersTo(int64s(c.Values, c.ValueWidth, n), slices.Repeat([]int16{1}, n)))
	}
	if err != nil {
		return err
	}
	return group.Close()
}

// numbersTo writes numbers, of which those at level 0 are not there.
func numbersTo(list []int64, levels []int16) func(pq.ColumnChunkWriter) error {
	return func(w pq.ColumnChunkWriter) error {
		_, err := w.(*pq.Int64ColumnChunkWriter).WriteBatch(list, levels, nil)
		return err
	}
}

func int64s(column []byte, width, n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(engine.Number(column, width, i))
	}
	return list
}

func (e *parquetExporter) close() error { return e.out.Close() }

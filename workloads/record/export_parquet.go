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
	required, optional := parquet.Repetitions.Required, parquet.Repetitions.Optional
	column := func(name string, logical schema.LogicalType, physical parquet.Type, repetition parquet.Repetition) schema.Node {
		return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, repetition, logical, physical, 0, -1))
	}
	number, text := schema.NewIntLogicalType(64, false), schema.StringLogicalType{}
	root := schema.MustGroup(schema.NewGroupNode("recording", required, schema.FieldList{
		column("batch", number, parquet.Types.Int64, required), column("op", text, parquet.Types.ByteArray, required),
		column("key", number, parquet.Types.Int64, required), column("value", number, parquet.Types.Int64, optional),
	}, -1))
	properties := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy))
	w, err := pq.NewParquetWriterWithError(out, root, pq.WithWriterProps(properties))
	return parquetExporter{w}, err
}

func (e parquetExporter) batch(b *Batch, c engine.Columns) error {
	names, err := b.names(c)
	if err != nil {
		return err
	}
	ops := make([]parquet.ByteArray, len(names))
	for i, name := range names {
		ops[i] = parquet.ByteArray(name)
	}
	values, levels := []int64(nil), make([]int16, len(names)) // at level 0, a value is null
	if c.Values != nil {
		values, levels = int64s(c.Values, c.ValueWidth, len(names)), slices.Repeat([]int16{1}, len(names))
	}
	group, err := e.out.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	for _, write := range []func(pq.ColumnChunkWriter) error{
		int64Column(slices.Repeat([]int64{int64(b.Number)}, len(names)), nil),
		func(w pq.ColumnChunkWriter) error {
			_, err := w.(*pq.ByteArrayColumnChunkWriter).WriteBatch(ops, nil, nil)
			return err
		},
		int64Column(int64s(c.Keys, c.KeyWidth, len(names)), nil),
		int64Column(values, levels),
	} {
		column, err := group.NextColumn()
		if err == nil {
			err = write(column)
		}
		if err == nil {
			err = column.Close()
		}
		if err != nil {
			return err
		}
	}
	return group.Close()
}

func int64Column(list []int64, levels []int16) func(pq.ColumnChunkWriter) error {
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

func (e parquetExporter) close() error { return e.out.Close() }

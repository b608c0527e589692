package record

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	pq "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/schemes"
)

// Verify generates every batch on a device and compares its input with the recorded digest.
func (r *Recording) Verify(dev device.Device) error {
	if !r.comparable() {
		return fmt.Errorf("recording %s: its digests are of version %d, and those of this program of another", r.path, r.Digests)
	}
	return r.each(dev, func(line, *engine.Input) error { return nil })
}

// intact compares the columns of a materialized recording with their digests, for answers
// that come from its lines. The digest of the lines was compared before.
func (r *Recording) intact() error {
	if r.columns == nil || !r.comparable() {
		return nil
	}
	dev, err := devices.Open("cpu", device.Options{})
	if err != nil {
		return err
	}
	return errors.Join(r.Verify(dev), dev.Close())
}

// each calls f with every line after the header, and with the input of a batch that has keys.
func (r *Recording) each(dev device.Device, f func(line, *engine.Input) error) error {
	for p, l := range r.lines {
		var err error
		if l.Batch == nil || l.Batch.wholeTable() {
			err = f(l, nil)
		} else if err = r.input(dev, p.Shape.Pair, l, f); err != nil {
			err = fmt.Errorf("recording %s: %v: %w", r.path, l.Batch, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// input generates a batch and compares its digest, before f gets it.
func (r *Recording) input(dev device.Device, pair schemes.Pair, l line, f func(line, *engine.Input) error) error {
	batch, err := r.batch(pair, l.Batch)
	if err != nil {
		return err
	}
	in, err := engine.Load(dev, pair, batch)
	if err != nil {
		return err
	}
	defer in.Release()
	if err := r.compare(l.Batch, in.Digest); err != nil {
		return err
	}
	return f(l, in)
}

// compare compares an input with the recorded digest, if there is one of this version.
func (r *Recording) compare(b *Batch, input string) error {
	if r.comparable() && b.Input != "" && input != b.Input {
		return fmt.Errorf("its input has the digest %s, recorded was %s", input, b.Input)
	}
	return nil
}

// ExportFormats names the formats of exports.
var ExportFormats = []string{"arrow", "csv", "parquet"}

// Export writes all operations as rows: batch, op, key, value; or, as arrow, a materialized recording.
func (r *Recording) Export(dev device.Device, path, format string) error {
	return regular.Write(path, func(file *regular.Output) error {
		if format == "arrow" {
			return r.exportArrow(dev, file)
		}
		out := bufio.NewWriterSize(file, 1<<20)
		export := r.exportParquet
		if format == "csv" {
			export = r.exportCSV
		}
		return cmp.Or(export(dev, out), out.Flush())
	})
}

func (r *Recording) exportArrow(dev device.Device, file *regular.Output) error {
	header := r.Header
	header.Format, header.Kind = format, Materialised
	w, err := newWriter(file, header)
	if err == nil {
		err = r.each(dev, w.add)
	}
	if why := cmp.Or(r.Stopped, r.Cut); err == nil && why != "" {
		err = w.add(stoppedLine(why), nil)
	}
	return cmp.Or(err, w.finish())
}

// rows calls f with the operations, keys and values of every batch.
func (r *Recording) rows(dev device.Device, f func(b *Batch, ops []string, keys, values []int64) error) error {
	return r.each(dev, func(l line, in *engine.Input) error {
		if in == nil {
			return nil
		}
		c, err := in.Columns()
		if err != nil {
			return err
		}
		n := int(c.N)
		ops := slices.Repeat([]string{l.Batch.Op}, n)
		for i, op := range c.Ops {
			if int(op) >= len(kernels.Ops) {
				return fmt.Errorf("operation %d has the unknown number %d", i, op)
			}
			ops[i] = kernels.Ops[op]
		}
		return f(l.Batch, ops, int64s(c.Keys, c.KeyWidth), int64s(c.Values, c.ValueWidth))
	})
}

// int64s converts a column of numbers to Parquet's, which are signed.
func int64s(column []byte, width int) []int64 {
	list := make([]int64, len(column)/max(width, 1)) // the values of a set have width 0
	for i := range list {
		list[i] = int64(engine.Number(column, width, i))
	}
	return list
}

func (r *Recording) exportCSV(dev device.Device, out io.Writer) error {
	if _, err := io.WriteString(out, "batch,op,key,value\n"); err != nil {
		return err
	}
	var line []byte
	return r.rows(dev, func(b *Batch, ops []string, keys, values []int64) error {
		for i, op := range ops {
			line = append(strconv.AppendUint(line[:0], b.Number, 10), ',')
			line = append(append(line, op...), ',')
			line = append(strconv.AppendUint(line, uint64(keys[i]), 10), ',')
			if len(values) > 0 {
				line = strconv.AppendUint(line, uint64(values[i]), 10)
			}
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

// exportParquet writes a row group for each batch.
func (r *Recording) exportParquet(dev device.Device, out io.Writer) error {
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
	if err != nil {
		return err
	}
	err = r.rows(dev, func(b *Batch, ops []string, keys, values []int64) error { return rowGroup(w, b, ops, keys, values) })
	return cmp.Or(err, w.Close())
}

func rowGroup(w *pq.Writer, b *Batch, ops []string, keys, values []int64) error {
	group, err := w.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	n := len(ops)
	names := make([]parquet.ByteArray, n)
	for i, op := range ops {
		names[i] = parquet.ByteArray(op)
	}
	level := int16(min(len(values), 1)) // at level 0, a value is null
	return cmp.Or(
		writeColumn(group, (*pq.Int64ColumnChunkWriter).WriteBatch, slices.Repeat([]int64{int64(b.Number)}, n), nil),
		writeColumn(group, (*pq.ByteArrayColumnChunkWriter).WriteBatch, names, nil),
		writeColumn(group, (*pq.Int64ColumnChunkWriter).WriteBatch, keys, nil),
		writeColumn(group, (*pq.Int64ColumnChunkWriter).WriteBatch, values, slices.Repeat([]int16{level}, n)),
		group.Close())
}

// writeColumn writes the next column of a row group.
func writeColumn[W, T any](group pq.SerialRowGroupWriter, write func(w W, values []T, definition, repetition []int16) (int64, error),
	values []T, levels []int16) error {
	column, err := group.NextColumn()
	if err != nil {
		return err
	}
	_, err = write(column.(W), values, levels, nil)
	return errors.Join(err, column.Close())
}

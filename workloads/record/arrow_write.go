package record

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
)

// A materialized recording is an Arrow file. The metadata of its schema is the header. The
// metadata of a record batch is the lines since the previous record batch, up to its own. The
// last record batch has no rows and the remaining lines.

// metaKey is the key of the lines in Arrow's metadata.
const metaKey = "hashzoo.recording"

// operation is the type of the column op: indices into a dictionary of names.
var operation = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}

func schemaOf(lines string) *arrow.Schema {
	meta := arrow.NewMetadata([]string{metaKey}, []string{lines})
	return arrow.NewSchema([]arrow.Field{
		{Name: "op", Type: operation}, {Name: "key", Type: arrow.PrimitiveTypes.Uint64},
		{Name: "value", Type: arrow.PrimitiveTypes.Uint64, Nullable: true},
	}, &meta)
}

type columnWriter struct {
	file    io.Writer
	out     *ipc.FileWriter
	schema  *arrow.Schema
	pending strings.Builder
	ops     arrow.Array // the dictionary
}

func (w *columnWriter) line(text string, b *Batch, in *engine.Input) error {
	if w.out == nil {
		return w.begin(text)
	}
	w.pending.WriteString(text)
	if b == nil || b.wholeTable() {
		return nil
	}
	if b.N > math.MaxInt32 {
		return fmt.Errorf("a batch of %d operations; materialized recordings take at most %d", b.N, math.MaxInt32)
	}
	c, err := in.Columns()
	if err != nil {
		return err
	}
	if c.Ops == nil {
		c.Ops = slices.Repeat([]byte{byte(kernels.OpNumber(b.Op))}, int(c.N))
	}
	return w.write(c)
}

func (w *columnWriter) begin(header string) (err error) {
	names := array.NewStringBuilder(memory.DefaultAllocator)
	names.AppendValues(kernels.Ops, nil)
	w.ops, w.schema = names.NewArray(), schemaOf(header)
	w.out, err = ipc.NewFileWriter(w.file, ipc.WithSchema(w.schema))
	return err
}

// write writes a record batch with the pending lines.
func (w *columnWriter) write(c engine.Columns) error {
	n := int(c.N)
	columns := []arrow.Array{
		array.NewDictionaryArray(operation, columnOf(arrow.PrimitiveTypes.Int8, c.Ops, n), w.ops),
		columnOf(arrow.PrimitiveTypes.Uint64, widened(c.Keys, c.KeyWidth, n), n),
		columnOf(arrow.PrimitiveTypes.Uint64, widened(c.Values, c.ValueWidth, n), n),
	}
	meta := arrow.NewMetadata([]string{metaKey}, []string{w.pending.String()})
	w.pending.Reset()
	return w.out.Write(array.NewRecordBatchWithMetadata(w.schema, columns, int64(n), meta))
}

func (w *columnWriter) close() (err error) {
	if w.out == nil {
		return nil
	}
	if w.pending.Len() > 0 {
		err = w.write(engine.Columns{})
	}
	return errors.Join(err, w.out.Close())
}

// columnOf makes an array of existing bytes, or of nulls without any.
func columnOf(of arrow.DataType, raw []byte, n int) arrow.Array {
	if raw == nil {
		return array.MakeArrayOfNull(memory.DefaultAllocator, of, n)
	}
	return array.MakeFromData(array.NewData(of, n, []*memory.Buffer{nil, memory.NewBufferBytes(raw)}, nil, 0, 0))
}

func widened(raw []byte, width, n int) []byte {
	if width == 8 || raw == nil {
		return raw
	}
	out := make([]byte, 8*n)
	for i := range n {
		copy(out[8*i:], raw[i*width:(i+1)*width])
	}
	return out
}

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

// A materialised recording is an Arrow file. Its schema's metadata has the header, that of
// each record batch the lines since the batch before it, up to its own. The last batch has
// no rows, and the end.

// metaKey names the lines in Arrow's metadata.
const metaKey = "hashzoo.recording"

// operation is the type of the column op, whose names are in a dictionary.
var operation = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}

func schemaOf(lines string) *arrow.Schema {
	meta := arrow.NewMetadata([]string{metaKey}, []string{lines})
	return arrow.NewSchema([]arrow.Field{
		{Name: "op", Type: operation}, {Name: "key", Type: arrow.PrimitiveTypes.Uint64},
		{Name: "value", Type: arrow.PrimitiveTypes.Uint64, Nullable: true},
	}, &meta)
}

// arrowSink writes an Arrow file, whose schema has the first line.
type arrowSink struct {
	file    io.WriteCloser
	out     *ipc.FileWriter
	schema  *arrow.Schema
	pending strings.Builder
	ops     arrow.Array // the dictionary
}

func (a *arrowSink) line(text []byte, op string, numbers *engine.Columns) error {
	if a.out == nil {
		return a.begin(string(text))
	}
	a.pending.Write(text)
	if numbers == nil {
		return nil
	}
	return a.write(op, *numbers)
}

// begin writes the schema with the header.
func (a *arrowSink) begin(header string) (err error) {
	names := array.NewStringBuilder(memory.DefaultAllocator)
	names.AppendValues(kernels.Ops, nil)
	a.ops, a.schema = names.NewArray(), schemaOf(header)
	a.out, err = ipc.NewFileWriter(a.file, ipc.WithSchema(a.schema))
	return err
}

// write writes a record batch with the pending lines.
func (a *arrowSink) write(op string, c engine.Columns) error {
	if c.N > math.MaxInt32 {
		return fmt.Errorf("a batch of %d operations, materialised are at most %d", c.N, math.MaxInt32)
	}
	n := int(c.N)
	ops := c.Ops
	if ops == nil {
		ops = slices.Repeat([]byte{byte(slices.Index(kernels.Ops, op))}, n)
	}
	columns := []arrow.Array{
		array.NewDictionaryArray(operation, columnOf(arrow.PrimitiveTypes.Int8, ops, n), a.ops),
		columnOf(arrow.PrimitiveTypes.Uint64, widened(c.Keys, c.KeyWidth, n), n),
		columnOf(arrow.PrimitiveTypes.Uint64, widened(c.Values, c.ValueWidth, n), n),
	}
	meta := arrow.NewMetadata([]string{metaKey}, []string{a.pending.String()})
	a.pending.Reset()
	return a.out.Write(array.NewRecordBatchWithMetadata(a.schema, columns, int64(n), meta))
}

// columnOf is an array over existing bytes, or of nulls.
func columnOf(of arrow.DataType, raw []byte, n int) arrow.Array {
	if raw == nil {
		return array.MakeArrayOfNull(memory.DefaultAllocator, of, n)
	}
	return array.MakeFromData(array.NewData(of, n, []*memory.Buffer{nil, memory.NewBufferBytes(raw)}, nil, 0, 0))
}

// widened converts numbers to 8 bytes each.
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

// close writes the last lines and the footer.
func (a *arrowSink) close() error {
	var errs []error
	if a.out != nil {
		if a.pending.Len() > 0 {
			errs = append(errs, a.write("", engine.Columns{KeyWidth: 8, Keys: []byte{}}))
		}
		errs = append(errs, a.out.Close())
	}
	return errors.Join(append(errs, synced(a.file), a.file.Close())...)
}

package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/columnar"
	"github.com/hashzoo/hashzoo/workloads/stream"
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

// columnFile is the file of a materialized recording. A batch is read when a replay needs
// it, outside of the time that is measured. The last few are cached for the next scheme.
type columnFile struct {
	file  file
	head  []columnar.Found // schema and dictionary
	found []columnar.Found // record batches
	kept  map[uint64]engine.Batch
}

// keep is how many batches are cached: schemes are at most one apart, unless one of them skips some.
const keep = 2

// readArrow reads everything but the numbers.
func readArrow(f file) (*Recording, error) {
	r := newReader()
	r.rec.columns = &columnFile{file: f, kept: map[uint64]engine.Batch{}}
	return r.rec, columnar.Guard(func() error { return r.messages(f) })
}

func (r *reader) messages(f file) error {
	messages, err := columnar.NewCut(f)
	if err != nil {
		return err
	}
	found, last := messages.Find()
	for ; last == nil; found, last = messages.Find() {
		if err := r.message(found); err != nil {
			return err
		}
	}
	if r.number == 0 {
		return errors.New("it is cut off before the first batch, or not a recording")
	}
	if !r.ended {
		return r.finish()
	}
	if _, err := columnar.New(f); err != nil {
		r.rec.Cut = fmt.Sprintf("it is cut off after batch %d, the last one", r.rec.Batches)
		return nil
	}
	if last != io.EOF {
		return columnar.Damaged(last)
	}
	return r.rec.columns.footer(messages)
}

// footer checks the end of the file, which only other readers need.
func (c *columnFile) footer(messages *columnar.Messages) error {
	if err := messages.Footer(c.file, slices.Concat(c.head, c.found)); err != nil {
		return err
	}
	own, err := c.reader()
	if err != nil {
		return err
	}
	other, err := ipc.NewFileReader(c.file, ipc.WithAllocator(columnar.NewAllowance()))
	if err != nil {
		return columnar.Damaged(err)
	}
	if a, b := own.Schema(), other.Schema(); !a.Equal(b) || !a.Metadata().Equal(b.Metadata()) {
		return columnar.Damaged(errors.New("its footer has another schema"))
	}
	return nil
}

func (r *reader) message(found columnar.Found) error {
	text, err := found.Text(metaKey)
	if err != nil {
		return columnar.Damaged(err)
	}
	c := r.rec.columns
	if kind := found.Kind(); kind == columnar.BatchMessage {
		c.found = append(c.found, found)
		return r.chunk(text, len(c.found)-1)
	} else if kind == columnar.SchemaMessage && (r.number > 0 || text == "") {
		return errors.New("a second schema, or not a recording: an Arrow file without the metadata " + metaKey)
	}
	if c.head = append(c.head, found); len(c.head) > 16 {
		return errors.New("more dictionaries than columns")
	}
	return r.chunk(text, -1)
}

// chunk reads lines that came with a record batch, or with none (-1).
func (r *reader) chunk(lines string, rows int) error {
	for text := range strings.Lines(lines) {
		before := r.batch
		if !strings.HasSuffix(text, "\n") {
			return errors.New("lines that do not end")
		}
		if err := r.line([]byte(text)); err != nil {
			return err
		}
		if r.rec.Kind != Materialised {
			return errors.New("it says that it is a recipe, but is an Arrow file")
		}
		if r.batch == before || r.batch.wholeTable() {
			continue
		}
		if rows < 0 {
			return fmt.Errorf("line %d: a batch without a record batch of its own", r.number)
		}
		r.batch.rows, rows = rows, -1
	}
	return nil
}

func (c *columnFile) fill(b *Batch, to *engine.Batch, pair schemes.Pair) error {
	if kept, ok := c.kept[b.Number]; ok {
		*to = kept
		return nil
	}
	maps.DeleteFunc(c.kept, func(number uint64, _ engine.Batch) bool { return number+keep <= b.Number || number > b.Number })
	err := columnar.Guard(func() error { return c.stage(b, to, pair) })
	if err == nil {
		c.kept[b.Number] = *to
	}
	return err
}

func (c *columnFile) stage(b *Batch, to *engine.Batch, pair schemes.Pair) error {
	record, err := c.record(b.rows)
	if err != nil {
		return err
	}
	want, have := schemaOf("").Fields(), record.Schema().Fields()
	if uint64(record.NumRows()) != b.N {
		return fmt.Errorf("n is %d, and it has %d rows", b.N, record.NumRows())
	}
	if !slices.EqualFunc(have, want, func(a, b arrow.Field) bool { return a.Name == b.Name && arrow.TypeEqual(a.Type, b.Type) }) {
		return fmt.Errorf("its columns are %v, they should be %v", have, want)
	}
	for _, column := range record.Columns() {
		if uint64(column.Len()) != b.N {
			return fmt.Errorf("a column has %d cells instead of %d", column.Len(), b.N)
		}
	}
	packed := func(name string, width int, bytes []byte) engine.Packed {
		return engine.Packed{Name: fmt.Sprintf("batch %d, %s", b.Number, name), Width: width, Bytes: bytes}
	}
	numbers := func(name string, column arrow.Array) engine.Packed {
		return packed(name, 8, arrow.Uint64Traits.CastToBytes(column.(*array.Uint64).Uint64Values()))
	}
	to.Keys = numbers("keys", record.Column(1))
	if b.Values != nil && pair.Value > 0 {
		to.Values = numbers("values", record.Column(2))
	} else if b.Values != nil { // the table stores none
		to.Values = stream.Const(0).Take(b.N)
	}
	ops, err := codes(record.Column(0).(*array.Dictionary))
	if b.Op == engine.Mix {
		to.Ops = packed("ops", 1, ops)
	} else if slices.ContainsFunc(ops, func(op byte) bool { return int(op) != kernels.OpNumber(b.Op) }) {
		return fmt.Errorf("its column op has other operations than %s", b.Op)
	}
	return err
}

// record reads a record batch. The library needs the schema and the dictionary before it.
func (c *columnFile) record(i int) (arrow.RecordBatch, error) {
	r, err := c.reader(c.found[i])
	if err != nil {
		return nil, err
	}
	if !r.Next() {
		return nil, columnar.Damaged(cmp.Or(r.Err(), errors.New("a record batch is missing")))
	}
	record := r.RecordBatch()
	record.Retain()
	return record, nil
}

// reader reads the schema, and dictionaries and record batches when it is asked for them.
func (c *columnFile) reader(batches ...columnar.Found) (*ipc.Reader, error) {
	source := &messageList{file: c.file, todo: slices.Concat(c.head, batches)}
	r, err := ipc.NewReaderFromMessageReader(source, ipc.WithAllocator(columnar.NewAllowance()))
	if err != nil {
		return nil, columnar.Damaged(err)
	}
	return r, nil
}

// messageList is a message reader of a few messages.
type messageList struct {
	file io.ReaderAt
	todo []columnar.Found
}

func (*messageList) Retain()  {}
func (*messageList) Release() {}

func (m *messageList) Message() (*ipc.Message, error) {
	if len(m.todo) == 0 {
		return nil, io.EOF
	}
	next := m.todo[0]
	m.todo = m.todo[1:]
	return next.Read(m.file)
}

// codes returns the operations as this program numbers them.
func codes(column *array.Dictionary) ([]byte, error) {
	names := column.Dictionary().(*array.String)
	number := make([]int, names.Len())
	for i := range number {
		number[i] = slices.Index(kernels.Ops, names.Value(i))
	}
	out := make([]byte, column.Len())
	for i := range out {
		n := number[column.GetValueIndex(i)] // Guard catches an index that is not in the dictionary
		if n < 0 {
			return nil, fmt.Errorf("operation %d has an unknown name", i)
		}
		out[i] = byte(n)
	}
	return out, nil
}

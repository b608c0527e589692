package record

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/columnar"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// columnFile is where the numbers of a materialised recording are. A batch is read when
// its turn comes, before anything is timed; the last few that were read are kept, as the
// next scheme needs them, too.
type columnFile struct {
	file  file
	head  []columnar.Found // schema and dictionary
	found []columnar.Found // record batches
	kept  []staged
}

// staged is a batch in memory.
type staged struct {
	number uint64
	batch  engine.Batch
}

// keep is how many batches stay in memory. Schemes are at most a batch apart, more only
// where one of them leaves out operations on the whole table.
const keep = 2

// readArrow reads all but the numbers. Errors of a file that is cut off are of its end.
func readArrow(f file) (*Recording, error) {
	var rec *Recording
	err := columnar.Guard(func() (err error) {
		rec, err = scan(f)
		return err
	})
	if d, ok := err.(columnar.Damaged); ok {
		return nil, fmt.Errorf("the file is damaged: %s", strings.Join(strings.Fields(d.Error()), " "))
	}
	return rec, err
}

func scan(f file) (*Recording, error) {
	messages, err := columnar.NewCut(f)
	if err != nil {
		return nil, err
	}
	p, columns := newParser(), &columnFile{file: f}
	for {
		found, err := messages.Find()
		if err != nil {
			if !p.ended && p.number == 0 {
				return nil, errors.New("it is cut off before the first batch, or no recording")
			}
			break // the end, or where the file was cut off
		}
		if err := p.message(columns, found); err != nil {
			return nil, err
		}
	}
	if p.ended {
		if err := whole(f); err != nil {
			p.ended = false
			p.rec.Cut = fmt.Sprintf("it is cut off after batch %d, the last one", p.rec.batches)
		}
	}
	p.rec.columns = columns
	if p.rec.Cut == "" {
		err = p.finish()
	}
	return p.rec, err
}

// whole says whether the file ends as Arrow files do.
func whole(f file) error {
	_, err := columnar.New(f)
	return err
}

// message takes the lines of a message.
func (p *parser) message(columns *columnFile, found columnar.Found) error {
	var text string
	var err error
	switch found.Kind() {
	case columnar.SchemaMessage:
		if p.number > 0 {
			return errors.New("a second schema")
		}
		text, err = found.SchemaText(metaKey)
		columns.head = append(columns.head, found)
		if err == nil && text == "" {
			return errors.New("it is no recording: an Arrow file without the metadata " + metaKey)
		}
	case columnar.DictionaryMessage:
		if columns.head = append(columns.head, found); len(columns.head) > 16 {
			return errors.New("more dictionaries than columns")
		}
	case columnar.BatchMessage:
		text, err = found.Text(metaKey)
		columns.found = append(columns.found, found)
	}
	if err != nil {
		return columnar.NewDamaged(err)
	}
	return p.chunk(text, len(columns.found)-1)
}

// chunk takes lines that came with a record batch.
func (p *parser) chunk(text string, batch int) error {
	if text != "" && !strings.HasSuffix(text, "\n") {
		return errors.New("lines that do not end")
	}
	free := batch >= 0 // no line has the record batch yet
	for line := range strings.Lines(text) {
		before := p.rec.batches
		if err := p.line(strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
		if p.number == 1 && p.rec.Kind != Materialised {
			return errors.New("it says that it is a recipe, and is an Arrow file")
		}
		if p.rec.batches == before || p.last().wholeTable() {
			continue
		}
		if !free {
			return fmt.Errorf("line %d: a batch without a record batch of its own", p.number)
		}
		p.last().rows, free = batch, false
	}
	return nil
}

// last is the batch that was read last.
func (p *parser) last() *Batch {
	at := p.rec.Points[len(p.rec.Points)-1]
	phase := at.Phases[len(at.Phases)-1]
	return phase.Items[len(phase.Items)-1].Batch
}

// fill gives a batch its numbers.
func (c *columnFile) fill(b *Batch, to *engine.Batch, pair schemes.Pair) error {
	i := slices.IndexFunc(c.kept, func(s staged) bool { return s.number == b.Number })
	if i < 0 {
		batch, err := c.stage(b, *to, pair)
		if err != nil {
			return err
		}
		if len(c.kept) == keep {
			c.kept = c.kept[1:]
		}
		i, c.kept = len(c.kept), append(c.kept, staged{b.Number, batch})
	}
	*to = c.kept[i].batch
	return nil
}

// stage reads a batch into memory.
func (c *columnFile) stage(b *Batch, batch engine.Batch, pair schemes.Pair) (engine.Batch, error) {
	err := columnar.Guard(func() error {
		record, err := c.record(b.rows)
		if err != nil {
			return err
		}
		if uint64(record.NumRows()) != b.N {
			return fmt.Errorf("n is %d, and it has %d rows", b.N, record.NumRows())
		}
		return packed(b, record, &batch, pair)
	})
	return batch, err
}

// record reads a record batch, for which the library needs what comes before it.
func (c *columnFile) record(i int) (arrow.RecordBatch, error) {
	source := &single{file: c.file, todo: append(slices.Clone(c.head), c.found[i])}
	r, err := ipc.NewReaderFromMessageReader(source, ipc.WithAllocator(columnar.NewAllowance()))
	if err != nil {
		return nil, columnar.NewDamaged(err)
	}
	if !r.Next() {
		return nil, columnar.NewDamaged(errors.Join(r.Err(), errors.New("a record batch is not there")))
	}
	record := r.RecordBatch()
	record.Retain()
	return record, nil
}

// single is a message reader of a few messages.
type single struct {
	file io.ReaderAt
	todo []columnar.Found
}

func (*single) Retain()  {}
func (*single) Release() {}

func (s *single) Message() (*ipc.Message, error) {
	if len(s.todo) == 0 {
		return nil, io.EOF
	}
	next := s.todo[0]
	s.todo = s.todo[1:]
	return next.Read(s.file)
}

// packed makes streams of the columns of a record batch.
func packed(b *Batch, record arrow.RecordBatch, to *engine.Batch, pair schemes.Pair) error {
	schema := record.Schema()
	if !schema.Equal(schemaOf("")) && !slices.EqualFunc(schema.Fields(), schemaOf("").Fields(), sameField) {
		return fmt.Errorf("its columns are %v, they should be %v", schema.Fields(), schemaOf("").Fields())
	}
	name := func(column string) string { return fmt.Sprintf("batch %d, %s", b.Number, column) }
	keys, err := bytesOf(record.Column(1), b.N)
	if err != nil {
		return err
	}
	to.Keys = engine.Packed{Name: name("keys"), Width: 8, Bytes: keys}
	if b.takesValues() && pair.Value > 0 {
		values, err := bytesOf(record.Column(2), b.N)
		if err != nil {
			return err
		}
		to.Values = engine.Packed{Name: name("values"), Width: 8, Bytes: values}
	} else if b.takesValues() { // none are stored
		to.Values = stream.Const(0).Take(b.N)
	}
	if b.Op != engine.Mix {
		return nil
	}
	ops, err := codes(record.Column(0).(*array.Dictionary))
	to.Ops = engine.Packed{Name: name("ops"), Width: 1, Bytes: ops}
	return err
}

func sameField(a, b arrow.Field) bool { return a.Name == b.Name && arrow.TypeEqual(a.Type, b.Type) }

// bytesOf is the memory of a column of 8 bytes each.
func bytesOf(column arrow.Array, n uint64) ([]byte, error) {
	data := column.Data()
	buffer := data.Buffers()[1]
	if n == 0 {
		return []byte{}, nil
	}
	if buffer == nil || data.Offset() != 0 || uint64(buffer.Len()) < 8*n {
		return nil, fmt.Errorf("a column has less than %d numbers", n)
	}
	return buffer.Bytes()[:8*n], nil
}

// codes are the operations as the kernels number them.
func codes(column *array.Dictionary) ([]byte, error) {
	names, ok := column.Dictionary().(*array.String)
	if !ok {
		return nil, errors.New("the operations have no names")
	}
	number := make([]int, names.Len())
	for i := range number {
		number[i] = slices.Index(kernels.Ops, names.Value(i))
	}
	out := make([]byte, column.Len())
	for i := range out {
		at := column.GetValueIndex(i)
		if at < 0 || at >= len(number) || number[at] < 0 {
			return nil, fmt.Errorf("operation %d has no name that is known", i)
		}
		out[i] = byte(number[at])
	}
	return out, nil
}

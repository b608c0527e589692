package record

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/parquet"
	"github.com/hashzoo/hashzoo/workloads/rows"
	"github.com/hashzoo/hashzoo/workloads/stream"
	"github.com/hashzoo/hashzoo/workloads/trace"
)

// A materialized recording is a Parquet file with a row group for each batch that has keys. The lines are its metadata.

// metaKey is the key of the lines in the metadata.
const metaKey = "hashzoo.recording"

var columns = []parquet.Column{
	{Name: "batch", Type: parquet.Int64, Unsigned: true}, {Name: "op", Type: parquet.ByteArray, Text: true},
	{Name: "key", Type: parquet.Int64, Unsigned: true}, {Name: "value", Type: parquet.Int64, Unsigned: true, Optional: true},
}

// Indices of the columns.
const (
	batchColumn = iota
	opColumn
	keyColumn
	valueColumn
)

// group writes the input of a batch.
func (w *writer) group(b *Batch, in *engine.Input) error {
	if b.N > math.MaxInt32 {
		return fmt.Errorf("a batch of %d operations; materialized recordings take at most %d", b.N, math.MaxInt32)
	}
	c, err := in.Columns()
	if err != nil {
		return err
	}
	n := int(c.N)
	all := func(cell []byte) parquet.Chunk { return parquet.Chunk{Dictionary: [][]byte{cell}, Indices: []byte{0}} }
	names := lists.Map(kernels.Ops, func(name string) []byte { return []byte(name) })
	ops := lists.Either(c.Ops != nil, parquet.Chunk{Dictionary: names, Indices: c.Ops}, all([]byte(b.Op)))
	return w.columns.Group(n, all(binary.LittleEndian.AppendUint64(nil, b.Number)), ops,
		parquet.Chunk{Values: widened(c.Keys, c.KeyWidth, n)}, parquet.Chunk{Values: widened(c.Values, c.ValueWidth, n)})
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
	file
	table *parquet.File
	kept  map[uint64]engine.Batch
}

// readColumns reads everything but the numbers.
func readColumns(f file) (*Recording, error) {
	table, err := rows.OpenParquet(f)
	if err != nil {
		return nil, err
	}
	lines, ok := table.Metadata[metaKey]
	if !ok {
		return nil, fmt.Errorf("not a recording: a Parquet file without the metadata %s", metaKey)
	}
	r := newReader()
	r.rec.columns = &columnFile{f, table, map[uint64]engine.Batch{}}
	if err := r.lines(strings.NewReader(lines)); err != nil {
		return nil, err
	}
	batches := 0
	for _, l := range r.rec.lines {
		if l.Batch != nil && !l.Batch.wholeTable() {
			l.Batch.rows = batches
			batches++
		}
	}
	switch {
	case r.rec.Kind != Materialised:
		return nil, errors.New("it says that it is a recipe, but is a Parquet file")
	case batches != len(table.Groups):
		return nil, rows.Damaged(fmt.Errorf("%d row groups of %d batches", len(table.Groups), batches))
	}
	return r.rec, nil
}

func (c *columnFile) fill(b *Batch, to *engine.Batch, pair schemes.Pair) error {
	const keep = 2 // batches: schemes are at most one apart, unless one of them skips some
	if kept, ok := c.kept[b.Number]; ok {
		*to = kept
		return nil
	}
	maps.DeleteFunc(c.kept, func(number uint64, _ engine.Batch) bool { return number+keep <= b.Number || number > b.Number })
	err := c.stage(b, to, pair)
	if err == nil {
		c.kept[b.Number] = *to
	}
	return err
}

func (c *columnFile) stage(b *Batch, to *engine.Batch, pair schemes.Pair) error {
	if n := c.table.Groups[b.rows].Rows; uint64(n) != b.N {
		return fmt.Errorf("n is %d, and it has %d rows", b.N, n)
	}
	same := func(a, b parquet.Column) bool { return a.Name == b.Name && a.Type == b.Type && !a.Repeated }
	if !slices.EqualFunc(c.table.Columns, columns, same) {
		return fmt.Errorf("its columns are %v, they should be %v", c.table.Columns, columns)
	}
	packed := func(name string, width int, bytes []byte) engine.Packed {
		return engine.Packed{Name: fmt.Sprintf("batch %d, %s", b.Number, name), Width: width, Bytes: bytes}
	}
	numbers := func(name string, column int) (engine.Packed, error) {
		list, err := c.table.Cells(b.rows, column).Numbers(b.N)
		if err == nil && uint64(len(list)) != 8*b.N {
			err = fmt.Errorf("its %s have %d numbers of %d", name, len(list)/8, b.N)
		}
		return packed(name, 8, list), err
	}
	var err error
	if to.Keys, err = numbers("keys", keyColumn); err != nil {
		return rows.Damaged(err)
	}
	if b.Values != nil && pair.Value > 0 {
		to.Values, err = numbers("values", valueColumn)
	} else if b.Values != nil { // the table stores none
		to.Values = stream.Const(0).Take(b.N)
	}
	if err != nil {
		return rows.Damaged(err)
	}
	ops, err := c.operations(b)
	if err != nil {
		return rows.Damaged(err)
	}
	if b.Op == engine.Mix {
		to.Ops = packed("ops", 1, ops)
	}
	return nil
}

// operations returns those of a mixed batch, as this program numbers them, and checks those of others.
func (c *columnFile) operations(b *Batch) ([]byte, error) {
	which, numbers, err := c.table.Cells(b.rows, batchColumn).Choices(b.N)
	if err != nil {
		return nil, err
	}
	for _, i := range which {
		if number := numbers[i].Number; number != b.Number {
			return nil, fmt.Errorf("it has rows of batch %d", number)
		}
	}
	ops, names, err := c.table.Cells(b.rows, opColumn).Choices(b.N)
	if err != nil {
		return nil, err
	}
	number := lists.Map(names, func(v parquet.Value) int { return slices.Index(kernels.Ops, v.Text) })
	for i, op := range ops {
		n := number[op]
		if n < 0 || b.Op != engine.Mix && n != kernels.OpNumber(b.Op) {
			return nil, fmt.Errorf("it has operations %.20q", names[op].Text)
		}
		ops[i] = byte(n)
	}
	return ops, nil
}

// Imported describes the recording that a trace becomes.
type Imported struct {
	Name   string // of the trace, for the reader
	Scheme schemes.Config
	Shape  schemes.Shape
	Batch  int // operations in a batch
}

// MaxImportBatch bounds the batches of a trace, which are made in memory.
const MaxImportBatch = 1 << 28

// Import makes a materialized recording of a trace, and returns the number of its batches.
// The operations of a batch run at once. The device digests them.
func Import(dev device.Device, from *trace.Reader, path string, opt Imported) (batches uint64, err error) {
	header := Header{Kind: Materialised, Script: Script{Name: opt.Name}, Started: time.Now().UTC().Format(time.RFC3339)}
	r, err := NewRecorder(path, header, dev)
	if err != nil {
		return 0, err
	}
	err = cmp.Or(r.out.add(line{Point: &Point{Scheme: opt.Scheme.String(), Shape: opt.Shape}}, nil), r.out.add(line{Phase: &Phase{Name: "trace"}}, nil))
	if err == nil {
		err = r.rows(from, opt)
	}
	if err == nil && r.out.Batches == 0 {
		err = fmt.Errorf("%s: the trace has no rows", opt.Name)
	}
	if err != nil {
		_ = r.out.out.Discard()
		return 0, err
	}
	return r.out.Batches, r.Close()
}

// rows reads all rows and writes them in batches.
func (r *Recorder) rows(from *trace.Reader, opt Imported) error {
	var keys, values, ops engine.List
	var mixed []string
	var at time.Duration
	write := func() error {
		all := engine.Batch{Op: mixed[0], Keys: keys}
		if len(mixed) > 1 {
			all = engine.Batch{Op: engine.Mix, Mixed: mixed, Keys: keys, Values: values, Ops: ops}
		} else if kernels.Op(all.Op).Value {
			all.Values = values
		}
		label := fmt.Sprintf("rows %d to %d", from.Rows()+1-uint64(len(keys)), from.Rows())
		keys, values, ops, mixed = nil, nil, nil, nil
		return r.imported(all, opt.Shape.Pair, at, label)
	}
	for row, err := range from.All() {
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			at = row.Time
		}
		mixed = lists.Add(mixed, row.Op)
		keys, values, ops = append(keys, row.Key), append(values, row.Value), append(ops, uint64(kernels.OpNumber(row.Op)))
		if len(keys) == opt.Batch {
			if err := write(); err != nil {
				return err
			}
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return write()
}

func (r *Recorder) imported(batch engine.Batch, pair schemes.Pair, at time.Duration, rows string) error {
	in, err := engine.Load(r.dev, pair, batch)
	if err != nil {
		return err
	}
	defer in.Release()
	number, source := r.out.Batches+1, columnSource(rows)
	b := &Batch{Number: number, Round: number, Op: batch.Op, N: in.N, At: at, Keys: source, Mixed: batch.Mixed, Input: in.Digest, Check: CheckLegal}
	if batch.Values != nil {
		b.Values = source
	}
	if batch.Ops != nil {
		b.Ops = source
	}
	return r.add(b, in)
}

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
var ExportFormats = []string{"csv", "parquet"}

// Export writes all operations as rows: batch, op, key, value. As Parquet, these are a materialized recording.
func (r *Recording) Export(dev device.Device, path, format string) error {
	return regular.Write(path, func(file *regular.Output) error {
		if format == "parquet" {
			return r.exportParquet(dev, file)
		}
		out := bufio.NewWriterSize(file, 1<<20)
		return cmp.Or(r.exportCSV(dev, out), out.Flush())
	})
}

func (r *Recording) exportParquet(dev device.Device, file *regular.Output) error {
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

func (r *Recording) exportCSV(dev device.Device, out io.Writer) error {
	if _, err := io.WriteString(out, "batch,op,key,value\n"); err != nil {
		return err
	}
	return r.each(dev, func(l line, in *engine.Input) error {
		if in == nil {
			return nil
		}
		c, err := in.Columns()
		if err != nil {
			return err
		}
		op, text := l.Batch.Op, []byte(nil)
		for i := range int(c.N) {
			if c.Ops != nil && int(c.Ops[i]) >= len(kernels.Ops) {
				return fmt.Errorf("operation %d has the unknown number %d", i, c.Ops[i])
			} else if c.Ops != nil {
				op = kernels.Ops[c.Ops[i]]
			}
			text = append(append(append(strconv.AppendUint(text[:0], l.Batch.Number, 10), ','), op...), ',')
			text = append(strconv.AppendUint(text, engine.Number(c.Keys, c.KeyWidth, i), 10), ',')
			if len(c.Values) > 0 {
				text = strconv.AppendUint(text, engine.Number(c.Values, c.ValueWidth, i), 10)
			}
			if _, err := out.Write(append(text, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

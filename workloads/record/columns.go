package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/parquet"
	"github.com/hashzoo/hashzoo/workloads/rows"
	"github.com/hashzoo/hashzoo/workloads/stream"
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

var opNames = lists.Map(kernels.Ops, func(name string) []byte { return []byte(name) })

type columnWriter struct {
	out   *parquet.Writer
	lines strings.Builder
}

func (w *columnWriter) line(text string, b *Batch, in *engine.Input) error {
	w.lines.WriteString(text)
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
	n := int(c.N)
	all := func(cell []byte) parquet.Chunk { return parquet.Chunk{Dictionary: [][]byte{cell}, Indices: []byte{0}} }
	ops := lists.Either(c.Ops != nil, parquet.Chunk{Dictionary: opNames, Indices: c.Ops}, all([]byte(b.Op)))
	return w.out.Group(n, all(binary.LittleEndian.AppendUint64(nil, b.Number)), ops,
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

// keep is the number of batches that are cached: schemes are at most one apart, unless one of them skips some.
const keep = 2

// readColumns reads everything but the numbers.
func readColumns(f file) (*Recording, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	table, err := parquet.Open(f, size)
	if err != nil {
		return nil, rows.Damaged(err)
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

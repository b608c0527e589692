package parquet

import (
	"encoding/binary"
	"io"
	"maps"
	"slices"
)

// Writer writes a file: pages of version 1, uncompressed, without statistics.
type Writer struct {
	Metadata map[string]string // it may change until Close

	out     io.Writer
	at      int64
	err     error
	columns []Column
	groups  []Group
}

// Chunk is the cells of a column in a row group. Without values and indices, all cells are null.
type Chunk struct {
	Values     []byte   // as many bytes for each as the type has, in little-endian order
	Dictionary [][]byte // instead: texts or numbers, at most 256, ...
	Indices    []byte   // ... and which of them each cell is; a single one is that of all cells
}

// NewWriter begins a file.
func NewWriter(out io.Writer, columns []Column) *Writer {
	w := &Writer{Metadata: map[string]string{}, out: out, columns: columns}
	w.write([]byte(Magic))
	return w
}

func (w *Writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
		w.at += int64(len(b))
	}
}

// Group writes a row group.
func (w *Writer) Group(rows int, chunks ...Chunk) error {
	const most = 1 << 20 // cells in a page
	g := Group{Rows: int64(rows)}
	for i, c := range chunks {
		at, start := chunk{}, w.at
		if c.Dictionary != nil {
			at.dictionary = start
			w.dictionary(w.columns[i], c.Dictionary)
		}
		at.data = w.at
		for from := 0; from < rows; from += most {
			w.page(w.columns[i], c, rows, from, min(from+most, rows))
		}
		at.length = w.at - start
		g.chunks = append(g.chunks, at)
	}
	w.groups = append(w.groups, g)
	return w.err
}

func (w *Writer) dictionary(c Column, entries [][]byte) {
	var body []byte
	for _, entry := range entries {
		if c.Type == ByteArray {
			body = binary.LittleEndian.AppendUint32(body, uint32(len(entry)))
		}
		body = append(body, entry...)
	}
	w.header(dictionaryPage, len(body), 7, len(entries), plain)
	w.write(body)
}

// page writes the cells of some rows.
func (w *Writer) page(column Column, c Chunk, rows, from, to int) {
	n, encoding := to-from, plain
	there := c.Values != nil || c.Indices != nil
	var start, values []byte
	if column.Optional {
		level := append(binary.AppendUvarint(nil, uint64(n)<<1), map[bool]byte{true: 1}[there])
		start = append(binary.LittleEndian.AppendUint32(nil, uint32(len(level))), level...)
	}
	switch {
	case c.Dictionary != nil && len(c.Indices) == 1:
		encoding, start = dictionary, append(binary.AppendUvarint(append(start, 8), uint64(n)<<1), c.Indices[0])
	case c.Dictionary != nil:
		groups := (n + 7) / 8
		encoding, start = dictionary, binary.AppendUvarint(append(start, 8), uint64(groups)<<1|1)
		values = append(slices.Clip(c.Indices[from:to]), make([]byte, 8*groups-n)...)
	case there:
		size := len(c.Values) / rows
		values = c.Values[from*size : to*size]
	}
	w.header(dataPage, len(start)+len(values), 5, n, encoding)
	w.write(start)
	w.write(values)
}

// header writes the header of a page; details is its field for what pages of a kind have.
func (w *Writer) header(kind, size, details, cells, encoding int) {
	var o output
	o.number(1, isI32, kind)
	o.number(2, isI32, size)
	o.number(3, isI32, size)
	o.group(details, func() {
		o.number(1, isI32, cells)
		o.number(2, isI32, encoding)
		if kind == dataPage {
			o.number(3, isI32, runs)
			o.number(4, isI32, runs)
		}
	})
	w.write(append(o.bytes, 0))
}

// Close writes the footer.
func (w *Writer) Close() error {
	var o output
	rows := (&File{Groups: w.groups}).Rows()
	o.number(1, isI32, 2)
	o.list(2, isStruct, len(w.columns)+1)
	o.inner(func() {
		o.text(4, "table")
		o.number(5, isI32, len(w.columns))
	})
	for _, c := range w.columns {
		o.inner(func() { o.element(c) })
	}
	o.number(3, isI64, int(rows))
	o.list(4, isStruct, len(w.groups))
	for _, g := range w.groups {
		o.inner(func() { o.rows(g, w.columns) })
	}
	o.list(5, isStruct, len(w.Metadata))
	for _, key := range slices.Sorted(maps.Keys(w.Metadata)) {
		o.inner(func() {
			o.text(1, key)
			o.text(2, w.Metadata[key])
		})
	}
	o.text(6, "hashzoo")
	footer := append(o.bytes, 0)
	w.write(append(binary.LittleEndian.AppendUint32(footer, uint32(len(footer))), Magic...))
	return w.err
}

// output is bytes in Thrift's compact protocol.
type output struct {
	bytes []byte
	last  int // the field before, of the same struct
}

func (o *output) field(id, kind int) {
	o.bytes = append(o.bytes, byte((id-o.last)<<4|kind))
	o.last = id
}

func (o *output) number(id, kind, x int) {
	o.field(id, kind)
	o.bytes = binary.AppendVarint(o.bytes, int64(x))
}

func (o *output) text(id int, x string) {
	o.field(id, isBinary)
	o.bytes = append(binary.AppendUvarint(o.bytes, uint64(len(x))), x...)
}

func (o *output) group(id int, fields func()) {
	o.field(id, isStruct)
	o.inner(fields)
}

func (o *output) inner(fields func()) {
	last := o.last
	o.last = 0
	fields()
	o.bytes, o.last = append(o.bytes, 0), last
}

func (o *output) list(id, kind, n int) {
	o.field(id, isList)
	o.bytes = binary.AppendUvarint(append(o.bytes, byte(15<<4|kind)), uint64(n))
}

// element writes a column of the schema.
func (o *output) element(c Column) {
	o.number(1, isI32, int(c.Type))
	if c.Type == Fixed {
		o.number(2, isI32, c.Length)
	}
	o.number(3, isI32, map[bool]int{true: optional}[c.Optional])
	o.text(4, c.Name)
	switch {
	case c.Text:
		o.number(6, isI32, oldText)
		o.group(10, func() { o.group(1, func() {}) })
	case c.Unsigned:
		o.number(6, isI32, oldLast)
		o.group(10, func() {
			o.group(10, func() {
				o.field(1, isByte)
				o.bytes = append(o.bytes, 64)
				o.field(2, isFalse)
			})
		})
	}
}

// rows writes a row group.
func (o *output) rows(g Group, columns []Column) {
	size := 0
	o.list(1, isStruct, len(columns))
	for i, c := range columns {
		at := g.chunks[i]
		size += int(at.length)
		o.inner(func() {
			o.number(2, isI64, 0)
			o.group(3, func() { o.chunk(at, c, int(g.Rows)) })
		})
	}
	o.number(2, isI64, size)
	o.number(3, isI64, int(g.Rows))
}

func (o *output) chunk(at chunk, c Column, rows int) {
	encodings := []byte{plain, runs, dictionary}
	o.number(1, isI32, int(c.Type))
	o.list(2, isI32, len(encodings))
	for _, e := range encodings {
		o.bytes = binary.AppendVarint(o.bytes, int64(e))
	}
	o.list(3, isBinary, 1)
	o.bytes = append(binary.AppendUvarint(o.bytes, uint64(len(c.Name))), c.Name...)
	o.number(4, isI32, 0)
	o.number(5, isI64, rows)
	o.number(6, isI64, int(at.length))
	o.number(7, isI64, int(at.length))
	o.number(9, isI64, int(at.data))
	if at.dictionary > 0 {
		o.number(11, isI64, int(at.dictionary))
	}
}

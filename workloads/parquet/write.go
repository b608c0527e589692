package parquet

import (
	"encoding/binary"
	"io"
	"reflect"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Writer writes a file: pages of version 1, uncompressed, without statistics.
type Writer struct {
	out     io.Writer
	at      int64
	err     error
	columns []Column
	footer  footer
}

// Chunk is the cells of a column in a row group. Without values and indices, all cells are null.
type Chunk struct {
	Values     []byte   // as many bytes for each as the type has, in little-endian order
	Dictionary [][]byte // instead: texts or numbers, at most 256, ...
	Indices    []byte   // ... and which of them each cell is; a single one is that of all cells
	Texts      []string // instead, of a column of type ByteArray
	Booleans   []bool   // instead, of one of type Boolean
}

// NewWriter begins a file.
func NewWriter(out io.Writer, columns []Column) *Writer {
	w := &Writer{out: out, columns: columns, footer: footer{Version: 2, Writer: "hashzoo"}}
	w.footer.Schema = append([]element{{Name: "table", Children: new(int32(len(columns)))}}, lists.Map(columns, Column.element)...)
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
	g := rowGroup{Rows: int64(rows)}
	for i, c := range chunks {
		column, start := w.columns[i], w.at
		meta := &chunkMeta{Type: column.Type, Encodings: []int32{plain, runs, dictionary}, Path: []string{column.Name}, Cells: g.Rows}
		if c.Dictionary != nil {
			meta.Dictionary = &start
			w.dictionary(column, c.Dictionary)
		}
		meta.Data = w.at
		for from := 0; from < rows; {
			to := c.pageEnd(from, rows)
			w.page(column, c, rows, from, to)
			from = to
		}
		meta.Size, meta.Packed = w.at-start, w.at-start
		g.Bytes += meta.Size
		g.Chunks = append(g.Chunks, chunk{Meta: meta})
	}
	w.footer.Groups = append(w.footer.Groups, g)
	w.footer.Rows += g.Rows
	return w.err
}

// pageEnd returns where the page that begins at a cell ends: a page has at most a million cells, and texts of 64 MiB
// besides its first one.
func (c Chunk) pageEnd(from, rows int) int {
	const cells, bytes = 1 << 20, 1 << 26
	to, size := min(from+cells, rows), 0
	for i := from; c.Texts != nil && i < to; i++ {
		if size += len(c.Texts[i]); size > bytes && i > from {
			return i
		}
	}
	return to
}

func (w *Writer) dictionary(c Column, entries [][]byte) {
	var body []byte
	for _, entry := range entries {
		if c.Type == ByteArray {
			body = binary.LittleEndian.AppendUint32(body, uint32(len(entry)))
		}
		body = append(body, entry...)
	}
	w.header(header{Kind: dictionaryPage, Size: int32(len(body)), Dictionary: &dictionaryHeader{Cells: int32(len(entries))}})
	w.write(body)
}

func (w *Writer) header(h header) {
	h.Packed = h.Size
	w.write(write(nil, reflect.ValueOf(h)))
}

// page writes the cells of some rows.
func (w *Writer) page(column Column, c Chunk, rows, from, to int) {
	n, encoding := to-from, int32(plain)
	there := c.Values != nil || c.Indices != nil || c.Texts != nil || c.Booleans != nil
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
	case c.Texts != nil:
		for _, text := range c.Texts[from:to] {
			values = append(binary.LittleEndian.AppendUint32(values, uint32(len(text))), text...)
		}
	case c.Booleans != nil:
		values = make([]byte, (n+7)/8)
		for i, is := range c.Booleans[from:to] {
			if is {
				values[i/8] |= 1 << (i % 8)
			}
		}
	case there:
		size := len(c.Values) / rows
		values = c.Values[from*size : to*size]
	}
	w.header(header{Size: int32(len(start) + len(values)), Data: &dataHeader{int32(n), encoding, runs, runs}})
	w.write(start)
	w.write(values)
}

// Close writes the footer, with a text in its metadata if there is a key.
func (w *Writer) Close(key, text string) error {
	if key != "" {
		w.footer.Metadata = []pair{{key, text}}
	}
	footer := write(nil, reflect.ValueOf(w.footer))
	w.write(append(binary.LittleEndian.AppendUint32(footer, uint32(len(footer))), Magic...))
	return w.err
}

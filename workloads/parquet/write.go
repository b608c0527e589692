package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"sync"

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
	w.footer.Schema = []element{{Name: "table", Children: new(int32(len(columns)))}}
	for _, c := range columns {
		w.footer.Schema = append(w.footer.Schema, c.element())
	}
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

// Structs in Thrift's compact protocol, by reflection: the tag id is the number of a field.
// Fields that are pointers are optional.

// fail reports input that cannot be right. guard makes it an error, and so reading beyond the end of a slice.
func fail(format string, args ...any) { panic(fmt.Errorf(format, args...)) }

func guard(err *error) {
	r := recover()
	if is, ok := r.(error); ok {
		*err = is
	} else if r != nil {
		*err = fmt.Errorf("%v", r)
	}
}

// Types of values.
const (
	isTrue = iota + 1
	isFalse
	isByte
	isI16
	isI32
	isI64
	isDouble
	isBinary
	isList
	isSet
	isMap
	isStruct
)

var kinds = map[reflect.Kind]int{reflect.Bool: isTrue, reflect.Int8: isByte, reflect.Int32: isI32, reflect.Int64: isI64,
	reflect.String: isBinary, reflect.Slice: isList, reflect.Struct: isStruct}

// numbers are the numbers of a struct's fields, in order.
func numbers(t reflect.Type) []int {
	if list, ok := known.Load(t); ok {
		return list.([]int)
	}
	var list []int
	for f := range t.Fields() {
		n, _ := strconv.Atoi(f.Tag.Get("id"))
		list = append(list, n)
	}
	known.Store(t, list)
	return list
}

var known sync.Map

// input is bytes that were not read yet.
type input struct {
	bytes []byte
	texts string // all from the first text on
	lists int    // elements of lists, so far
}

// Bounds of what is read: structs in structs, and elements of all lists.
const (
	deepest      = 32
	mostElements = 1 << 23
)

func (in *input) take(n int) []byte {
	if n < 0 || n > len(in.bytes) {
		fail("a part of %d bytes where %d are left", n, len(in.bytes))
	}
	part := in.bytes[:n:n]
	in.bytes = in.bytes[n:]
	return part
}

// text takes a text. It allocates memory for all texts once.
func (in *input) text(n int) string {
	if in.texts == "" {
		in.texts = string(in.bytes)
	}
	end := len(in.texts) - len(in.bytes) + len(in.take(n))
	return in.texts[end-n : end]
}

func (in *input) uvarint() uint64 {
	x, n := binary.Uvarint(in.bytes)
	in.take(max(n, 1))
	return x
}

func (in *input) varint() int64 {
	x := in.uvarint()
	return int64(x>>1) ^ -int64(x&1)
}

func (in *input) field(id *int) (kind int) {
	head := int(in.take(1)[0])
	if *id += head >> 4; head>>4 == 0 && head != 0 {
		*id = int(in.varint())
	}
	return head & 15
}

func (in *input) list() (n, kind int) {
	head := int(in.take(1)[0])
	if n = head >> 4; n == 15 {
		n = int(in.uvarint())
	}
	if in.lists += n; n < 0 || n > len(in.bytes) || in.lists > mostElements {
		fail("a list of %d where %d bytes are left", n, len(in.bytes))
	}
	return n, head & 15
}

// read reads the fields of a struct. It skips what v does not have, and everything if v is the zero Value.
func (in *input) read(v reflect.Value, depth int) {
	var ids []int
	if v.IsValid() {
		ids = numbers(v.Type())
	}
	id := 0
	for kind := in.field(&id); kind != 0; kind = in.field(&id) {
		var f reflect.Value
		if at := slices.Index(ids, id); at >= 0 {
			f = v.Field(at)
		}
		in.value(f, kind, depth, false)
	}
}

func (in *input) value(v reflect.Value, kind, depth int, listed bool) {
	if v.IsValid() && v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if !fits(v, kind) || depth > deepest {
		fail("a field of type %d, or too many structs in structs", kind)
	}
	switch kind {
	case isTrue, isFalse:
		if listed {
			in.take(1)
		}
		if v.IsValid() {
			v.SetBool(kind == isTrue)
		}
	case isByte:
		in.take(1)
	case isI16, isI32, isI64:
		if x := in.varint(); v.IsValid() {
			v.SetInt(x)
		}
	case isDouble:
		in.take(8)
	case isBinary:
		if text := in.take(int(in.uvarint())); v.IsValid() {
			v.SetString(string(text))
		}
	case isList, isSet:
		n, kind := in.list()
		for i := range n {
			var e reflect.Value
			if v.IsValid() {
				v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
				e = v.Index(i)
			}
			in.value(e, kind, depth+1, true)
		}
	case isStruct:
		in.read(v, depth+1)
	default:
		fail("a field of type %d", kind)
	}
}

// fits reports whether a value of a type can be set; the zero Value takes all.
func fits(v reflect.Value, kind int) bool {
	if !v.IsValid() {
		return true
	}
	want := kinds[v.Kind()]
	whole := kind >= isI16 && kind <= isI64 && want >= isI32 && want <= isI64
	return kind == want || whole || kind == isFalse && want == isTrue
}

// write appends a struct.
func write(out []byte, v reflect.Value) []byte {
	last := 0
	for i, id := range numbers(v.Type()) {
		f := v.Field(i)
		if f.Kind() == reflect.Pointer {
			if f.IsNil() {
				continue
			}
			f = f.Elem()
		}
		kind := lists.Either(f.Kind() == reflect.Bool && !f.Bool(), isFalse, kinds[f.Kind()])
		out = writeValue(append(out, byte((id-last)<<4|kind)), f)
		last = id
	}
	return append(out, 0)
}

func writeValue(out []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Int8:
		out = append(out, byte(v.Int()))
	case reflect.Int32, reflect.Int64:
		out = binary.AppendVarint(out, v.Int())
	case reflect.String:
		out = append(binary.AppendUvarint(out, uint64(v.Len())), v.String()...)
	case reflect.Slice:
		out = binary.AppendUvarint(append(out, byte(15<<4|kinds[v.Type().Elem().Kind()])), uint64(v.Len()))
		for i := range v.Len() {
			out = writeValue(out, v.Index(i))
		}
	case reflect.Struct:
		out = write(out, v)
	}
	return out
}

// Package parquet reads and writes flat tables in Parquet's format: columns of numbers and texts, in row groups.
//
// It reads files that are not trusted. Every size in a file is compared with the bytes that are there before memory
// is allocated for it, and damage is an error. It reads pages of both versions in all encodings that today's writers
// have, compressed by snappy, gzip, zstd or lz4. It writes plain numbers and dictionaries of texts, uncompressed.
package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
)

// Magic is how a file begins and ends.
const Magic = "PAR1"

// Type is how values are stored.
type Type int32

// The types.
const (
	Boolean Type = iota
	Int32
	Int64
	Int96
	Float
	Double
	ByteArray
	Fixed // as many bytes as Column.Length
)

var types = []string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

func (t Type) String() string { return types[t] }

// Column is a column of a table. A column in groups has the names of all, with points between them.
type Column struct {
	Name     string
	Type     Type
	Length   int  // bytes of Fixed
	Optional bool // cells may be null
	Unsigned bool // of whole numbers
	Text     bool // UTF-8
	Decimal  bool // a whole number with Scale digits after the point
	Scale    int
	Half     bool // a floating-point number of two bytes
	Repeated bool // it is part of a list, and cannot be read

	level uint64 // the definition level of a cell that is there
}

// The structs of Parquet's definition, as far as they are used here.
type (
	footer struct {
		Version  int32      `id:"1"`
		Schema   []element  `id:"2"`
		Rows     int64      `id:"3"`
		Groups   []rowGroup `id:"4"`
		Metadata []pair     `id:"5"`
		Writer   string     `id:"6"`
	}
	pair struct {
		Key   string `id:"1"`
		Value string `id:"2"`
	}
	// element is a column, or without a type a group of columns.
	element struct {
		Type       *Type    `id:"1"`
		Length     *int32   `id:"2"`
		Repetition int32    `id:"3"`
		Name       string   `id:"4"`
		Children   *int32   `id:"5"`
		Old        *int32   `id:"6"` // its logical type in old files
		Scale      *int32   `id:"7"`
		Logical    *logical `id:"10"`
	}
	logical struct {
		Text    *struct{} `id:"1"`
		Decimal *struct{} `id:"5"`
		Integer *integer  `id:"10"`
		Half    *struct{} `id:"15"`
	}
	integer struct {
		Bits   int8 `id:"1"`
		Signed bool `id:"2"`
	}
	rowGroup struct {
		Chunks []chunk `id:"1"`
		Bytes  int64   `id:"2"`
		Rows   int64   `id:"3"`
	}
	chunk struct {
		Offset int64      `id:"2"`
		Meta   *chunkMeta `id:"3"`
	}
	chunkMeta struct {
		Type       Type     `id:"1"`
		Encodings  []int32  `id:"2"`
		Path       []string `id:"3"`
		Codec      int32    `id:"4"`
		Cells      int64    `id:"5"`
		Size       int64    `id:"6"`
		Packed     int64    `id:"7"`
		Data       int64    `id:"9"`
		Dictionary *int64   `id:"11"`
	}
)

// Repetitions of columns, and logical types in old files.
const (
	optional = 1
	repeated = 2

	oldText     = 0
	oldDecimal  = 5
	oldUnsigned = 11 // of 8 bits; then 16, 32 and 64
	oldLast     = 14
)

// File is a file to read.
type File struct {
	Columns  []Column
	Groups   []Group
	Metadata map[string]string
	Rows     int64

	in io.ReaderAt
}

// Group is some of the rows.
type Group struct {
	Rows   int64
	chunks []chunk
}

// Open reads the footer of a file.
func Open(in io.ReaderAt, size int64) (f *File, err error) {
	defer guard(&err)
	const tail = 4 + len(Magic) // bytes: the footer's length and the mark
	end := make([]byte, tail)
	if size < int64(len(Magic)+tail) {
		return nil, fmt.Errorf("%d bytes are too few for a Parquet file", size)
	}
	if _, err := in.ReadAt(end, size-int64(tail)); err != nil {
		return nil, err
	}
	if string(end[4:]) != Magic {
		return nil, fmt.Errorf("it does not end with %s: it is cut off, or no Parquet file", Magic)
	}
	length := int64(binary.LittleEndian.Uint32(end))
	limit := size - int64(tail) - length // of the pages
	if limit < int64(len(Magic)) {
		return nil, fmt.Errorf("a footer of %d bytes in a file of %d", length, size)
	}
	raw := input{bytes: make([]byte, length)}
	if _, err := in.ReadAt(raw.bytes, limit); err != nil {
		return nil, err
	}
	var from footer
	raw.read(reflect.ValueOf(&from).Elem(), 0)
	f = &File{in: in, Metadata: map[string]string{}, Rows: from.Rows}
	for _, p := range from.Metadata {
		f.Metadata[p.Key] = p.Value
	}
	if rest := f.columns(from.Schema, Column{}, 0); len(rest)+len(raw.bytes) > 0 {
		fail("%d bytes or %d columns follow the end of the footer", len(raw.bytes), len(rest))
	}
	rows := int64(0)
	for _, g := range from.Groups {
		if rows += g.Rows; g.Rows < 0 || rows < 0 || len(g.Chunks) != len(f.Columns) {
			fail("a row group of %d rows with %d columns, the schema has %d", g.Rows, len(g.Chunks), len(f.Columns))
		}
		for _, c := range g.Chunks {
			if c.Meta == nil || c.begin() < int64(len(Magic)) || c.Meta.Packed < 0 || c.begin() > limit || c.Meta.Packed > limit-c.begin() {
				fail("a column outside of the file")
			}
		}
		f.Groups = append(f.Groups, Group{g.Rows, g.Chunks})
	}
	if rows != f.Rows {
		fail("%d rows in row groups, of %d", rows, f.Rows)
	}
	return f, nil
}

// begin returns where the pages are.
func (c chunk) begin() int64 {
	if at := c.Meta.Dictionary; at != nil && *at > 0 {
		return min(*at, c.Meta.Data)
	}
	return c.Meta.Data
}

// columns adds a column, or those of a group, and returns the elements that follow.
func (f *File) columns(rest []element, in Column, depth int) []element {
	if len(rest) == 0 || depth > deepest {
		fail("the schema has fewer columns than it says, or too many groups in groups")
	}
	e, rest := rest[0], rest[1:]
	c := e.column()
	c.Repeated = c.Repeated || in.Repeated
	if c.level = in.level; depth > 0 && e.Repetition != 0 {
		c.level++
	}
	if depth > 1 {
		c.Name = in.Name + "." + c.Name
	}
	if e.Type != nil && depth > 0 {
		f.Columns = append(f.Columns, c)
		return rest
	}
	for range value(e.Children) {
		rest = f.columns(rest, c, depth+1)
	}
	return rest
}

func value[T any](p *T) (x T) {
	if p != nil {
		x = *p
	}
	return x
}

func (e element) column() Column {
	old, l := int32(-1), value(e.Logical)
	if e.Old != nil {
		old = *e.Old
	}
	c := Column{Name: e.Name, Type: value(e.Type), Length: int(value(e.Length)), Optional: e.Repetition == optional, Repeated: e.Repetition == repeated,
		Text: l.Text != nil || old == oldText, Decimal: l.Decimal != nil || old == oldDecimal, Half: l.Half != nil, Scale: int(value(e.Scale)),
		Unsigned: l.Integer != nil && !l.Integer.Signed || old >= oldUnsigned && old <= oldLast}
	if c.Type < Boolean || c.Type > Fixed || c.Type == Fixed && (c.Length <= 0 || c.Length > math.MaxInt16) || c.Scale < 0 {
		fail("column %.40q has no type", e.Name)
	}
	return c
}

// element is the opposite of File.columns, for what a Writer writes.
func (c Column) element() element {
	e := element{Type: &c.Type, Length: new(int32(c.Length)), Name: c.Name}
	if c.Optional {
		e.Repetition = optional
	}
	switch {
	case c.Text:
		e.Old, e.Logical = new(int32(oldText)), &logical{Text: new(struct{})}
	case c.Unsigned:
		e.Old, e.Logical = new(int32(oldLast)), &logical{Integer: &integer{Bits: 64}}
	}
	return e
}

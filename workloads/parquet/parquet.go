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

func (t Type) String() string {
	return []string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}[t]
}

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
	Time     Time // what a whole number stands for, if it is a date or a time
	Half     bool // a floating-point number of two bytes
	Repeated bool // it is part of a list, and cannot be read

	level uint64 // the definition level of a cell that is there
}

// Time says that numbers are dates or times.
type Time struct {
	Is     TimeKind
	Digits int  // of fractions of a second: 3, 6 or 9
	UTC    bool // not a local time
}

// TimeKind is a kind of dates and times.
type TimeKind uint8

// The kinds of dates and times.
const (
	NoTime TimeKind = iota
	Date            // days since 1970
	Clock           // a time of day
	Stamp           // a date and a time, since 1970
)

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
		Precision  *int32   `id:"8"`
		Logical    *logical `id:"10"`
	}
	logical struct {
		Text    *struct{} `id:"1"`
		Decimal *decimal  `id:"5"`
		Date    *struct{} `id:"6"`
		Clock   *ticks    `id:"7"`
		Stamp   *ticks    `id:"8"`
		Integer *integer  `id:"10"`
		Half    *struct{} `id:"15"`
	}
	decimal struct {
		Scale     int32 `id:"1"`
		Precision int32 `id:"2"`
	}
	ticks struct {
		UTC  bool `id:"1"`
		Unit unit `id:"2"`
	}
	unit struct {
		Milli *struct{} `id:"1"`
		Micro *struct{} `id:"2"`
		Nano  *struct{} `id:"3"`
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
	oldDate     = 6
	oldClock    = 7  // in milliseconds; then microseconds
	oldStamp    = 9  // in milliseconds; then microseconds
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
		Unsigned: l.Integer != nil && !l.Integer.Signed || old >= oldUnsigned && old <= oldLast, Time: l.time(old)}
	if c.Type < Boolean || c.Type > Fixed || c.Type == Fixed && (c.Length <= 0 || c.Length > math.MaxInt16) || c.Scale < 0 {
		fail("column %.40q has no type", e.Name)
	}
	return c
}

// time returns the date or time of a logical type, or of one in old files.
func (l logical) time(old int32) Time {
	switch {
	case l.Date != nil || old == oldDate:
		return Time{Is: Date}
	case l.Clock != nil:
		return Time{Clock, l.Clock.Unit.digits(), l.Clock.UTC}
	case l.Stamp != nil:
		return Time{Stamp, l.Stamp.Unit.digits(), l.Stamp.UTC}
	case old >= oldStamp && old < oldUnsigned:
		return Time{Stamp, 3 * int(old-oldStamp+1), true}
	case old >= oldClock && old < oldStamp:
		return Time{Clock, 3 * int(old-oldClock+1), true}
	}
	return Time{}
}

func (u unit) digits() int {
	switch {
	case u.Milli != nil:
		return 3
	case u.Nano != nil:
		return 9
	}
	return 6
}

// element is the opposite of File.columns, for what a Writer writes.
func (c Column) element() element {
	const mostDigits = 18 // of decimals of 8 bytes
	e := element{Type: &c.Type, Length: new(int32(c.Length)), Name: c.Name}
	if c.Optional {
		e.Repetition = optional
	}
	switch {
	case c.Text:
		e.Old, e.Logical = new(int32(oldText)), &logical{Text: new(struct{})}
	case c.Decimal:
		e.Old, e.Scale, e.Precision = new(int32(oldDecimal)), new(int32(c.Scale)), new(int32(mostDigits))
		e.Logical = &logical{Decimal: &decimal{int32(c.Scale), mostDigits}}
	case c.Unsigned && c.Type == Int32:
		e.Old, e.Logical = new(int32(oldLast-1)), &logical{Integer: &integer{Bits: 32}}
	case c.Unsigned:
		e.Old, e.Logical = new(int32(oldLast)), &logical{Integer: &integer{Bits: 64}}
	case c.Time.Is == Date:
		e.Old, e.Logical = new(int32(oldDate)), &logical{Date: new(struct{})}
	case c.Time.Is == Clock:
		e.Logical = &logical{Clock: c.Time.ticks()}
	case c.Time.Is == Stamp:
		e.Logical = &logical{Stamp: c.Time.ticks()}
	}
	return e
}

func (t Time) ticks() *ticks {
	u := unit{}
	switch t.Digits {
	case 3:
		u.Milli = new(struct{})
	case 9:
		u.Nano = new(struct{})
	default:
		u.Micro = new(struct{})
	}
	return &ticks{t.UTC, u}
}

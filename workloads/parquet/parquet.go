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
)

// Magic is how a file begins and ends.
const Magic = "PAR1"

// Type is how values are stored.
type Type int

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

// Column is a column of a table. A group of columns has the names of all, with points between them.
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

// File is a file to read.
type File struct {
	Columns  []Column
	Groups   []Group
	Metadata map[string]string

	in io.ReaderAt
}

// Group is some of the rows.
type Group struct {
	Rows   int64
	chunks []chunk
}

// chunk is where the cells of a column are.
type chunk struct {
	codec                    int64
	data, dictionary, length int64
}

// Rows returns the number of rows.
func (f *File) Rows() (n int64) {
	for _, g := range f.Groups {
		n += g.Rows
	}
	return n
}

const tail = 4 + len(Magic) // bytes: the footer's length and the mark

// Open reads the footer of a file.
func Open(in io.ReaderAt, size int64) (f *File, err error) {
	defer guard(&err)
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
	footer := make(input, length)
	if _, err := in.ReadAt(footer, limit); err != nil {
		return nil, err
	}
	f = &File{in: in, Metadata: map[string]string{}}
	f.read(&footer, limit)
	if len(footer) > 0 {
		return nil, fmt.Errorf("%d bytes follow the footer", len(footer))
	}
	return f, nil
}

func (f *File) read(footer *input, limit int64) {
	var elements []schemaElement
	rows := int64(0)
	footer.fields(func(v field) {
		switch v.id {
		case 2:
			v.list(func() { elements = append(elements, readElement(v.input)) })
		case 3:
			rows = v.number()
		case 4:
			v.list(func() { f.Groups = append(f.Groups, readGroup(v.input, limit)) })
		case 5:
			v.list(func() { f.pair(v.input) })
		}
	})
	if len(elements) == 0 {
		fail("it has no schema")
	}
	rest := elements[1:]
	for range elements[0].children {
		rest = f.column(rest, Column{}, 0)
	}
	for _, g := range f.Groups {
		if len(g.chunks) != len(f.Columns) {
			fail("a row group has %d columns, the schema has %d", len(g.chunks), len(f.Columns))
		}
	}
	if len(rest) > 0 || rows != f.Rows() {
		fail("%d rows and %d further columns are in no row group or schema", rows-f.Rows(), len(rest))
	}
}

func (f *File) pair(in *input) {
	var key, value string
	in.fields(func(v field) {
		switch v.id {
		case 1:
			key = v.text()
		case 2:
			value = v.text()
		}
	})
	f.Metadata[key] = value
}

// schemaElement is a column, or a group of the columns that follow it.
type schemaElement struct {
	Column
	group    bool
	children int64
}

// Numbers of repetitions, and of the older kind of logical types.
const (
	optional = 1
	repeated = 2

	oldText     = 0
	oldDecimal  = 5
	oldUnsigned = 11 // of 8 bits; then 16, 32 and 64
	oldLast     = 14
)

func readElement(in *input) (e schemaElement) {
	e.group = true
	in.fields(func(v field) {
		switch v.id {
		case 1:
			e.group, e.Type = false, Type(v.number())
		case 2:
			e.Length = int(v.number())
		case 3:
			n := v.number()
			e.Optional, e.Repeated = n == optional, n == repeated
		case 4:
			e.Name = v.text()
		case 5:
			e.children = v.number()
		case 6:
			n := v.number()
			e.Unsigned, e.Text, e.Decimal = n >= oldUnsigned && n <= oldLast, n == oldText, n == oldDecimal
		case 7:
			e.Scale = int(v.number())
		case 10:
			v.group(e.logical)
		}
	})
	wrong := e.Type < Boolean || e.Type > Fixed || e.Type == Fixed && (e.Length <= 0 || e.Length > 1<<20)
	if e.children < 0 || e.Scale < 0 || !e.group && wrong {
		fail("column %.40q has no type", e.Name)
	}
	return e
}

// logical reads the logical type: a struct whose only field says which one it is.
func (e *schemaElement) logical(v field) {
	e.Text, e.Decimal, e.Half = v.id == 1, v.id == 5, v.id == 15
	if v.id == 10 {
		v.group(func(v field) {
			if v.id == 2 {
				e.Unsigned = v.kind == isFalse
			}
		})
	}
}

// column adds a column, or those of a group, and returns the other elements.
func (f *File) column(rest []schemaElement, in Column, depth int) []schemaElement {
	if len(rest) == 0 || depth > deepest {
		fail("the schema has fewer columns than it says, or too many groups in groups")
	}
	e, rest := rest[0], rest[1:]
	c := e.Column
	c.Repeated = c.Repeated || in.Repeated
	if c.level = in.level; c.Optional || e.Repeated {
		c.level++
	}
	if in.Name != "" {
		c.Name = in.Name + "." + c.Name
	}
	if !e.group {
		f.Columns = append(f.Columns, c)
		return rest
	}
	for range e.children {
		rest = f.column(rest, c, depth+1)
	}
	return rest
}

func readGroup(in *input, limit int64) (g Group) {
	in.fields(func(v field) {
		switch v.id {
		case 1:
			v.list(func() { g.chunks = append(g.chunks, readChunk(v.input, limit)) })
		case 3:
			g.Rows = v.number()
		}
	})
	if g.Rows < 0 || g.Rows > math.MaxInt64>>16 {
		fail("a row group of %d rows", g.Rows)
	}
	return g
}

func readChunk(in *input, limit int64) (c chunk) {
	in.fields(func(v field) {
		if v.id != 3 {
			return
		}
		v.group(func(v field) {
			switch v.id {
			case 4:
				c.codec = v.number()
			case 7:
				c.length = v.number()
			case 9:
				c.data = v.number()
			case 11:
				c.dictionary = v.number()
			}
		})
	})
	if c.dictionary > 0 {
		c.data = min(c.data, c.dictionary)
	}
	if c.data < int64(len(Magic)) || c.length < 0 || c.data > limit || c.length > limit-c.data {
		fail("%d bytes of a column at byte %d, where the pages end at %d", c.length, c.data, limit)
	}
	return c
}

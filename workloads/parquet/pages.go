package parquet

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	mathbits "math/bits"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Unsupported is what a file has that cannot be read, although it is whole.
type Unsupported string

func (u Unsupported) Error() string { return string(u) }

// mostPage bounds the memory that a page may take.
const mostPage = 1 << 30

var unzstd = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostPage))
	if err != nil {
		panic(err)
	}
	return d
})

// codecs are names of ways to compress pages, by their numbers.
var codecs = []string{"no compression", "snappy", "gzip", "lzo", "brotli", "lz4 in frames of Hadoop", "zstd", "lz4"}

// unpack returns the bytes of a page.
func unpack(codec int64, in []byte, size int) (out []byte, err error) {
	switch codec {
	case 0:
		out = in
	case 1:
		if n, err := s2.DecodedLen(in); err != nil || n != size || n > 256*len(in) {
			return nil, fmt.Errorf("a page of %d bytes says that it has %d", size, n)
		}
		return s2.Decode(nil, in)
	case 2:
		var unzip *gzip.Reader
		if unzip, err = gzip.NewReader(bytes.NewReader(in)); err == nil {
			out, err = io.ReadAll(io.LimitReader(unzip, int64(size)+1))
		}
	case 6:
		out, err = unzstd().DecodeAll(in, nil)
	case 7:
		if size > 256*len(in) {
			return nil, fmt.Errorf("a page of %d bytes, of %d compressed ones", size, len(in))
		}
		out = make([]byte, size)
		size, err = lz4.UncompressBlock(in, out)
	default:
		return nil, Unsupported(fmt.Sprintf("its pages are compressed by %s, which cannot be read; hint: write it with zstd", codecs[min(uint64(codec), uint64(len(codecs)-1))]))
	}
	if err == nil && len(out) != size {
		err = fmt.Errorf("a page has %d bytes instead of %d", len(out), size)
	}
	return out, err
}

// Cells reads the cells of a column in a row group, one after the other.
type Cells struct {
	column     *Column
	codec      int64
	in         *bufio.Reader
	bytes      int64 // of the chunk, that are left
	dictionary []Value

	// Of the page:
	cells   uint64       // that are left
	levels  *hybrid      // nil: all are there
	take    func() Value // the next one that is there
	indices *hybrid      // instead, of values in the dictionary
	numbers *input       // instead, of plain numbers of 8 bytes
}

// Cells begins to read a column of a row group.
func (f *File) Cells(group, column int) *Cells {
	c := f.Groups[group].chunks[column]
	in := io.NewSectionReader(f.in, c.data, c.length)
	return &Cells{column: &f.Columns[column], codec: c.codec, in: bufio.NewReaderSize(in, 1<<16), bytes: c.length}
}

// Next returns the next cell, and false if it is null.
func (c *Cells) Next() (v Value, ok bool, err error) {
	defer guard(&err)
	_, ok = c.ready(1)
	switch {
	case !ok:
	case c.indices != nil:
		v = c.dictionary[c.indices.next()]
	case c.numbers != nil:
		v.Number = binary.LittleEndian.Uint64(c.numbers.take(8))
	default:
		v = c.take()
	}
	c.skip(1)
	return v, ok, nil
}

// Choices returns the next n cells, none of them null, as indices into a dictionary of at most 256 values.
func (c *Cells) Choices(n uint64) (list []byte, dictionary []Value, err error) {
	defer guard(&err)
	list = make([]byte, 0, n)
	for n > 0 {
		k, ok := c.ready(n)
		if !ok || c.indices == nil || len(c.dictionary) > 256 {
			return nil, nil, Unsupported("cells that are null or not in a small dictionary")
		}
		i, same := c.indices.peek()
		if i >= uint64(len(c.dictionary)) {
			fail("value %d of a dictionary that has %d", i, len(c.dictionary))
		}
		k = min(k, same)
		for range k {
			list = append(list, byte(i))
		}
		c.indices.skip(k)
		c.skip(k)
		n -= k
	}
	return list, c.dictionary, nil
}

// Numbers returns the next n cells, numbers of 8 bytes in little-endian order, without those that are null. It takes
// pages as a Writer writes them, so that numbers need no more memory than they have in the file.
func (c *Cells) Numbers(n uint64) (list []byte, err error) {
	defer guard(&err)
	list = make([]byte, 0, 8*min(n, uint64(c.bytes)/8))
	for n > 0 {
		k, ok := c.ready(n)
		if ok && (c.numbers == nil || c.codec != 0) {
			return nil, Unsupported("numbers that are packed, or not of 8 bytes")
		}
		if ok {
			list = append(list, c.numbers.take(8*int(k))...)
		}
		c.skip(k)
		n -= k
	}
	return list, nil
}

// ready finds the next cells, up to most, that are all there or all null.
func (c *Cells) ready(most uint64) (n uint64, ok bool) {
	for c.cells == 0 {
		c.page()
	}
	if n = min(most, c.cells); c.levels == nil {
		return n, true
	}
	level, same := c.levels.peek()
	return min(n, same), level == c.column.level
}

func (c *Cells) skip(n uint64) {
	if c.cells -= n; c.levels != nil {
		c.levels.skip(n)
	}
}

// page reads the next page. An error is a panic.
func (c *Cells) page() {
	h, body := c.read()
	size := int(h.size - h.levels - h.above)
	body.take(int(h.above))
	levels := input(body.take(int(h.levels)))
	codec := c.codec
	if h.plain || size == 0 && len(body) == 0 {
		codec = 0
	}
	in, err := unpack(codec, body, size)
	if err != nil {
		panic(err)
	}
	values := input(in)
	c.take, c.indices, c.numbers, c.levels = nil, nil, nil, nil
	switch h.kind {
	case dictionaryPage:
		next := c.plain(&values)
		if c.dictionary = nil; h.cells > 1<<24 {
			fail("a dictionary of %d values", h.cells)
		}
		for range h.cells {
			c.dictionary = append(c.dictionary, next())
		}
		return
	case dataPage:
		if c.column.level > 0 {
			levels = values.take(int(little(values.take(4))))
		}
	case dataPageV2:
	default:
		return
	}
	if c.cells = uint64(h.cells); c.column.level > 0 {
		c.levels = newHybrid(levels, mathbits.Len64(c.column.level))
	}
	if len(values) > 0 {
		c.begin(h.encoding, values, h.cells)
	}
}

// read reads a page, packed, and its header.
func (c *Cells) read() (header, input) {
	if c.bytes == 0 {
		fail("a column has fewer cells than rows")
	}
	start, err := c.in.Peek(int(min(int64(c.in.Size()), c.bytes)))
	if err != nil {
		panic(err)
	}
	rest := input(start)
	h := readHeader(&rest)
	used := len(start) - len(rest)
	c.bytes -= int64(used)
	if h.packed < 0 || h.packed > c.bytes || h.size < 0 || h.size > mostPage || h.cells < 0 || h.levels < 0 || h.above < 0 || h.levels+h.above > h.size {
		fail("a page of %d bytes, packed %d, where %d are left", h.size, h.packed, c.bytes)
	}
	if h.old && c.column.level > 0 {
		panic(Unsupported("its levels have an encoding that is no longer used, which cannot be read"))
	}
	c.bytes -= h.packed
	_, _ = c.in.Discard(used)
	body := make(input, h.packed)
	if _, err := io.ReadFull(c.in, body); err != nil {
		panic(err)
	}
	return h, body
}

// Kinds of pages, and the encoding of levels that RLE has replaced.
const (
	bitPacked = 4

	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

// header is the header of a page.
type header struct {
	kind, size, packed, cells, encoding int64
	levels, above                       int64 // bytes of definition and repetition levels
	plain                               bool  // it is not compressed
	old                                 bool  // levels have an encoding of the past
}

func readHeader(in *input) (h header) {
	in.fields(func(v field) {
		switch v.id {
		case 1:
			h.kind = v.number()
		case 2:
			h.size = v.number()
		case 3:
			h.packed = v.number()
		case 5, 7:
			v.group(func(v field) {
				switch v.id {
				case 1:
					h.cells = v.number()
				case 2:
					h.encoding = v.number()
				case 3:
					h.old = v.kind == isI32 && v.number() == bitPacked
				}
			})
		case 8:
			v.group(h.second)
		}
	})
	return h
}

// second reads the header of a data page of version 2.
func (h *header) second(v field) {
	switch v.id {
	case 1:
		h.cells = v.number()
	case 4:
		h.encoding = v.number()
	case 5:
		h.levels = v.number()
	case 6:
		h.above = v.number()
	case 7:
		h.plain = v.kind == isFalse
	}
}

package parquet

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	mathbits "math/bits"
	"reflect"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Unsupported is what a file has that cannot be read, although it is whole.
type Unsupported string

func (u Unsupported) Error() string { return string(u) }

// mostPage bounds the memory that a page may take.
const mostPage = 1 << 30

var unzstd = sync.OnceValue(func() *zstd.Decoder {
	return lists.Must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(mostPage)))
})

// unpack returns the bytes of a page.
func unpack(codec int32, in []byte, size int) (out []byte, err error) {
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
		codecs := []string{"no compression", "snappy", "gzip", "lzo", "brotli", "lz4 in frames of Hadoop", "zstd", "lz4"}
		return nil, Unsupported(fmt.Sprintf("its pages are compressed by %s, which cannot be read; hint: write it with zstd", codecs[min(max(codec, 0), 7)]))
	}
	if err == nil && len(out) != size {
		err = fmt.Errorf("a page has %d bytes instead of %d", len(out), size)
	}
	return out, err
}

// Cells reads the cells of a column in a row group, one after the other.
type Cells struct {
	column     *Column
	codec      int32
	in         *bufio.Reader
	bytes      int64 // of the chunk, that are left
	dictionary []Value

	// Of the page:
	Left    uint64       // cells
	levels  *hybrid      // nil: all are there
	take    func() Value // the next one that is there
	indices *hybrid      // of values in the dictionary
	numbers *input       // instead of take, of plain numbers of 8 bytes
}

// Cells begins to read a column of a row group.
func (f *File) Cells(group, column int) *Cells {
	c := f.Groups[group].chunks[column]
	in := io.NewSectionReader(f.in, c.begin(), c.Meta.Packed)
	return &Cells{column: &f.Columns[column], codec: c.Meta.Codec, in: bufio.NewReaderSize(in, 1<<16), bytes: c.Meta.Packed}
}

// Read reads the next cells, and returns how many precede an error.
func (c *Cells) Read(into []Value) (n int, err error) {
	defer guard(&err)
	for n < len(into) {
		k, ok := c.ready(uint64(len(into) - n))
		run := into[n : n+int(k)]
		for i := range run {
			switch {
			case !ok:
				run[i] = Value{Null: true}
			case c.numbers != nil:
				run[i] = Value{Number: binary.LittleEndian.Uint64(c.numbers.take(8))}
			default:
				run[i] = c.take()
			}
		}
		c.skip(k)
		n += int(k)
	}
	return n, nil
}

// Skip skips the next n cells, and does not unpack pages of them.
func (c *Cells) Skip(n uint64) (err error) {
	defer guard(&err)
	for ; n > 0 && c.Left == 0; n -= c.page(n) {
	}
	for some := make([]Value, 1<<7); n > 0 && err == nil; n -= min(n, 1<<7) {
		_, err = c.Read(some[:min(n, 1<<7)])
	}
	return err
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
		list = append(list, bytes.Repeat([]byte{byte(i)}, int(k))...)
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
	for c.Left == 0 {
		c.page(0)
	}
	if n = min(most, c.Left); c.levels == nil {
		return n, true
	}
	level, same := c.levels.peek()
	return min(n, same), level == c.column.level
}

func (c *Cells) skip(n uint64) {
	if c.Left -= n; c.levels != nil {
		c.levels.skip(n)
	}
}

// page reads the next page. If that has at most `skip` cells, it skips them instead and returns their number. Errors are panics.
func (c *Cells) page(skip uint64) (skipped uint64) {
	h, body, skipped := c.read(skip)
	if skipped > 0 {
		return skipped
	}
	size, codec := int(h.Size), c.codec
	var levels []byte
	if v := h.Second; v != nil {
		body.take(int(v.Above))
		levels = body.take(int(v.Levels))
		if size -= int(v.Above) + int(v.Levels); v.Packed != nil && !*v.Packed {
			codec = 0
		}
	}
	if size == 0 && len(body.bytes) == 0 {
		codec = 0
	}
	raw, err := unpack(codec, body.bytes, size)
	if err != nil {
		panic(err)
	}
	values := &input{bytes: raw}
	c.take, c.indices, c.numbers, c.levels = nil, nil, nil, nil
	switch v1, v2 := h.Data, h.Second; {
	case h.Dictionary != nil:
		c.entries(values, h.Dictionary.Cells)
	case v1 != nil:
		if c.column.level > 0 {
			if v1.Levels == bitPacked {
				panic(Unsupported("its levels have an encoding that is no longer used, which cannot be read"))
			}
			levels = values.take(int(little(values.take(4))))
		}
		c.begin(v1.Cells, v1.Encoding, levels, values)
	case v2 != nil:
		c.begin(v2.Cells, v2.Encoding, levels, values)
	}
	return 0
}

func (c *Cells) entries(values *input, n int32) {
	const most = 1 << 24
	if c.dictionary = nil; n > most {
		fail("a dictionary of %d values", n)
	}
	next := c.plain(values)
	for range n {
		c.dictionary = append(c.dictionary, next())
	}
}

// begin begins to read the cells of a page.
func (c *Cells) begin(n, encoding int32, levels []byte, values *input) {
	if n < 0 {
		fail("a page of %d cells", n)
	}
	if c.Left = uint64(n); c.column.level > 0 {
		c.levels = newHybrid(levels, mathbits.Len64(c.column.level))
	}
	if len(values.bytes) > 0 {
		c.decode(encoding, values, uint64(n))
	}
}

// read reads a page, packed, and its header, or skips one.
func (c *Cells) read(skip uint64) (h header, body *input, skipped uint64) {
	if c.bytes == 0 {
		fail("a column has fewer cells than rows")
	}
	start, err := c.in.Peek(int(min(int64(c.in.Size()), c.bytes)))
	if err != nil {
		panic(err)
	}
	rest := input{bytes: start}
	rest.read(reflect.ValueOf(&h).Elem(), 0)
	used := len(start) - len(rest.bytes)
	if c.bytes -= int64(used) + int64(h.Packed); h.Packed < 0 || c.bytes < 0 || h.Size < 0 || h.Size > mostPage {
		fail("a page of %d bytes, packed %d, where %d are left", h.Size, h.Packed, c.bytes+int64(h.Packed))
	}
	_, _ = c.in.Discard(used)
	if n := uint64(max(0, value(h.Data).Cells, value(h.Second).Cells)); n > 0 && n <= skip {
		_, _ = c.in.Discard(int(h.Packed)) // the next page says what is wrong
		return h, nil, n
	}
	body = &input{bytes: make([]byte, h.Packed)}
	if _, err := io.ReadFull(c.in, body.bytes); err != nil {
		panic(err)
	}
	return h, body, 0
}

// Kinds of pages that are written, and the encoding of levels that RLE has replaced.
const (
	dictionaryPage = 2
	bitPacked      = 4
)

type (
	// header is the header of a page.
	header struct {
		Kind       int32             `id:"1"`
		Size       int32             `id:"2"`
		Packed     int32             `id:"3"`
		Data       *dataHeader       `id:"5"`
		Dictionary *dictionaryHeader `id:"7"`
		Second     *dataHeader2      `id:"8"`
	}
	dataHeader struct {
		Cells    int32 `id:"1"`
		Encoding int32 `id:"2"`
		Levels   int32 `id:"3"` // their encoding
		Above    int32 `id:"4"` // and that of repetition levels
	}
	dictionaryHeader struct {
		Cells    int32 `id:"1"`
		Encoding int32 `id:"2"`
	}
	dataHeader2 struct {
		Cells    int32 `id:"1"`
		Encoding int32 `id:"4"`
		Levels   int32 `id:"5"` // bytes
		Above    int32 `id:"6"` // bytes of repetition levels
		Packed   *bool `id:"7"`
	}
)

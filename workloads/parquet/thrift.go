package parquet

import (
	"encoding/binary"
	"fmt"
	"slices"
)

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

// input is what is left of some bytes.
type input []byte

func (b *input) take(n int) []byte {
	if n < 0 || n > len(*b) {
		fail("a part of %d bytes where %d are left", n, len(*b))
	}
	part := (*b)[:n:n]
	*b = (*b)[n:]
	return part
}

func (b *input) uvarint() uint64 {
	x, n := binary.Uvarint(*b)
	if n <= 0 {
		fail("a number that does not end")
	}
	*b = (*b)[n:]
	return x
}

func (b *input) varint() int64 {
	x := b.uvarint()
	return int64(x>>1) ^ -int64(x&1)
}

func (b *input) size() int {
	n := b.uvarint()
	if n > uint64(len(*b)) {
		fail("%d bytes or elements where %d bytes are left", n, len(*b))
	}
	return int(n)
}

// Types of fields in Thrift's compact protocol.
const (
	isTrue   = 1
	isFalse  = 2
	isByte   = 3
	isI16    = 4
	isI32    = 5
	isI64    = 6
	isDouble = 7
	isBinary = 8
	isList   = 9
	isSet    = 10
	isMap    = 11
	isStruct = 12
)

// field is a field of a struct, whose value is still to be read.
type field struct {
	*input
	id, kind int
}

// fields calls f for every field of a struct. A value that f does not read is skipped.
func (b *input) fields(f func(field)) {
	for id := 0; ; {
		head := int(b.take(1)[0])
		if head&15 == 0 {
			return
		}
		if id += head >> 4; head>>4 == 0 {
			id = int(b.varint())
		}
		left := len(*b)
		value := field{b, id, head & 15}
		if f(value); len(*b) == left {
			value.skip(0)
		}
	}
}

func (f field) must(kinds ...int) {
	if !slices.Contains(kinds, f.kind) {
		fail("field %d is of type %d", f.id, f.kind)
	}
}

func (f field) number() int64 {
	f.must(isI16, isI32, isI64)
	return f.varint()
}

func (f field) text() string {
	f.must(isBinary)
	return string(f.take(f.size()))
}

func (f field) group(each func(field)) {
	f.must(isStruct)
	f.fields(each)
}

// list calls each for every element of a list of structs.
func (f field) list(each func()) {
	f.must(isList)
	n, kind := f.length()
	if kind != isStruct && n > 0 {
		fail("field %d is a list of type %d", f.id, kind)
	}
	for range n {
		each()
	}
}

func (f field) length() (n, kind int) {
	head := int(f.take(1)[0])
	if n = head >> 4; n == 15 {
		n = f.size()
	}
	return n, head & 15
}

// deepest bounds structs in structs.
const deepest = 32

func (f field) skip(depth int) {
	if depth > deepest {
		fail("too many structs in structs")
	}
	switch f.kind {
	case isTrue, isFalse:
		if depth > 0 && f.id == element {
			f.take(1)
		}
	case isByte:
		f.take(1)
	case isI16, isI32, isI64:
		f.uvarint()
	case isDouble:
		f.take(8)
	case isBinary:
		f.take(f.size())
	case isList, isSet:
		n, kind := f.length()
		for range n {
			field{f.input, element, kind}.skip(depth + 1)
		}
	case isStruct:
		f.fields(func(inner field) { inner.skip(depth + 1) })
	default:
		fail("field %d is of type %d", f.id, f.kind)
	}
}

// element is the number of a field that is an element of a list: there, truth takes a byte.
const element = -1

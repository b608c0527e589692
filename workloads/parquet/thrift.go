package parquet

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strconv"
	"sync"
)

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

// input is what is left of some bytes.
type input struct {
	bytes []byte
	lists int // elements of lists, so far
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

// read reads the fields of a struct.
func (in *input) read(v reflect.Value, depth int) {
	id, ids := 0, numbers(v.Type())
	for kind := in.field(&id); kind != 0; kind = in.field(&id) {
		at := 0
		for at < len(ids) && ids[at] != id {
			at++
		}
		if at == len(ids) {
			in.skip(kind, depth, false)
		} else {
			in.value(v.Field(at), kind, depth)
		}
	}
}

func (in *input) value(v reflect.Value, kind, depth int) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	want := kinds[v.Kind()]
	whole := kind >= isI16 && kind <= isI64 && want >= isI32 && want <= isI64
	if kind != want && !whole && !(kind == isFalse && want == isTrue) || depth > deepest {
		fail("a field of type %d instead of %d", kind, want)
	}
	switch want {
	case isTrue:
		v.SetBool(kind == isTrue)
	case isByte:
		in.take(1)
	case isI32, isI64:
		v.SetInt(in.varint())
	case isBinary:
		v.SetString(string(in.take(int(in.uvarint()))))
	case isList:
		n, kind := in.list()
		for i := range n {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			in.value(v.Index(i), kind, depth+1)
		}
	case isStruct:
		in.read(v, depth+1)
	}
}

// skip skips a value. In a list, truth takes a byte.
func (in *input) skip(kind, depth int, listed bool) {
	switch {
	case depth > deepest:
		fail("too many structs in structs")
	case kind == isByte, listed && kind <= isFalse:
		in.take(1)
	case kind <= isFalse:
	case kind <= isI64:
		in.uvarint()
	case kind == isDouble:
		in.take(8)
	case kind == isBinary:
		in.take(int(in.uvarint()))
	case kind <= isSet:
		n, kind := in.list()
		for range n {
			in.skip(kind, depth+1, true)
		}
	case kind == isStruct:
		id := 0
		for kind := in.field(&id); kind != 0; kind = in.field(&id) {
			in.skip(kind, depth+1, false)
		}
	default:
		fail("a field of type %d", kind)
	}
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
		kind := kinds[f.Kind()]
		if f.Kind() == reflect.Bool && !f.Bool() {
			kind = isFalse
		}
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

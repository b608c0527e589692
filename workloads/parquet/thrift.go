package parquet

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/hashzoo/hashzoo/runtime/lists"
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

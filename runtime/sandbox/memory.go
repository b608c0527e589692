package sandbox

import (
	"reflect"
	"unsafe"

	glua "github.com/yuin/gopher-lua"
)

// Holder is a Go value in a Lua state that refers to large data, by names that count once.
type Holder interface {
	Holds(tell func(what string, bytes int64))
}

// Scale estimates the memory of everything that a Lua state can reach; the interpreter does not track it.
type Scale struct {
	seen  map[any]bool
	todo  []glua.LValue
	Bytes int64 // of Lua values
	Held  int64 // bytes of the data of all holders
}

// Weigh adds up everything that the state can reach.
func (box *Box) Weigh() *Scale {
	s := &Scale{seen: map[any]bool{}}
	s.add(box.L.G.Global, box.L.G.Registry)
	s.add(registers(box.L)...)
	for len(s.todo) > 0 {
		last := len(s.todo) - 1
		v := s.todo[last]
		s.todo = s.todo[:last]
		s.value(v)
	}
	return s
}

// registers returns the values on a state's stack, which the interpreter does not export.
func registers(L *glua.LState) []glua.LValue {
	array := reflect.ValueOf(L).Elem().FieldByName("reg").Elem().FieldByName("array")
	return *(*[]glua.LValue)(unsafe.Pointer(array.UnsafeAddr()))
}

// add counts simple values and queues the others. Each object is counted once.
func (s *Scale) add(values ...glua.LValue) {
	for _, v := range values {
		switch v := v.(type) {
		case nil, glua.LBool, *glua.LNilType:
		case glua.LNumber:
			s.Bytes += 8
		case glua.LString:
			s.text(string(v))
		default:
			if s.first(v) {
				s.todo = append(s.todo, v)
			}
		}
	}
}

// text counts a string. Long strings may be shared and are counted once.
func (s *Scale) text(text string) {
	const long = 64
	if len(text) < long || s.first(unsafe.StringData(text)) {
		s.Bytes += int64(len(text)) + 16
	}
}

func (s *Scale) first(object any) bool {
	known := s.seen[object]
	s.seen[object] = true
	return !known
}

func (s *Scale) value(v glua.LValue) {
	switch v := v.(type) {
	case *glua.LTable:
		s.table(v)
	case *glua.LFunction:
		s.Bytes += 96
		for _, up := range v.Upvalues {
			s.Bytes += 64
			s.add(up.Value())
		}
	case *glua.LUserData:
		s.Bytes += 512 // roughly
		if holder, ok := v.Value.(Holder); ok {
			holder.Holds(func(what string, bytes int64) {
				if s.first(what) {
					s.Held += bytes
				}
			})
		}
	}
}

// table counts a table's entries and its spare capacity, which only reflection shows.
func (s *Scale) table(t *glua.LTable) {
	own := reflect.ValueOf(t).Elem()
	s.Bytes += 128 + 16*int64(own.FieldByName("array").Cap()+own.FieldByName("keys").Cap())
	for field, entry := range map[string]int64{"dict": 48, "strdict": 48, "k2i": 40} {
		s.Bytes += entry * int64(own.FieldByName(field).Len())
	}
	s.add(t.Metatable)
	t.ForEach(func(k, v glua.LValue) { s.add(k, v) })
}

package lua

import (
	"reflect"
	"unsafe"

	glua "github.com/yuin/gopher-lua"
)

// scale weighs what can be reached from a Lua state: the interpreter has no account
// of its memory. Weights are those of Go's structures, roughly.
type scale struct {
	seen  map[any]bool
	todo  []glua.LValue
	bytes int64            // of Lua values
	held  map[string]int64 // bytes of what vectors hold, by what it is
}

// weigh adds up everything that the state can reach.
func (h *host) weigh() *scale {
	s := &scale{seen: map[any]bool{}, held: map[string]int64{}}
	s.add(h.L.G.Global, h.L.G.Registry)
	for _, v := range h.roots {
		s.add(v)
	}
	s.add(registers(h.L)...)
	for len(s.todo) > 0 {
		last := len(s.todo) - 1
		v := s.todo[last]
		s.todo = s.todo[:last]
		s.value(v)
	}
	return s
}

// registers are the values on a state's stack: functions that run, their arguments and
// local variables. The interpreter shows them to nobody, so this looks inside of it.
func registers(L *glua.LState) []glua.LValue {
	array := reflect.ValueOf(L).Elem().FieldByName("reg").Elem().FieldByName("array")
	return *(*[]glua.LValue)(unsafe.Pointer(array.UnsafeAddr()))
}

// add notes values to be weighed. Each object is weighed once.
func (s *scale) add(values ...glua.LValue) {
	for _, v := range values {
		switch v := v.(type) {
		case nil, glua.LBool, *glua.LNilType:
		case glua.LNumber:
			s.bytes += 8
		case glua.LString:
			s.text(string(v))
		default:
			if !s.seen[v] {
				s.seen[v] = true
				s.todo = append(s.todo, v)
			}
		}
	}
}

// text weighs a string. Long ones may be shared, and are weighed once.
func (s *scale) text(text string) {
	const long = 64
	if len(text) >= long {
		at := unsafe.StringData(text)
		if s.seen[at] {
			return
		}
		s.seen[at] = true
	}
	s.bytes += int64(len(text)) + 16
}

func (s *scale) value(v glua.LValue) {
	switch v := v.(type) {
	case *glua.LTable:
		s.table(v)
	case *glua.LFunction:
		s.bytes += 96
		for _, up := range v.Upvalues {
			s.bytes += 64
			s.add(up.Value())
		}
	case *glua.LUserData:
		s.bytes += 512 // vectors and results, roughly
		if vec, ok := v.Value.(*vector); ok {
			for _, source := range vec.Sources() {
				s.held[source.Text] = 8 * int64(source.Len)
			}
		}
	}
}

// table weighs a table's entries and what it reserves for them: parts that are empty
// but allocated can be seen only by reflection.
func (s *scale) table(t *glua.LTable) {
	own := reflect.ValueOf(t).Elem()
	s.bytes += 128 + 16*int64(own.FieldByName("array").Cap()+own.FieldByName("keys").Cap())
	for field, entry := range map[string]int64{"dict": 48, "strdict": 48, "k2i": 40} {
		s.bytes += entry * int64(own.FieldByName(field).Len())
	}
	s.add(t.Metatable)
	t.ForEach(func(k, v glua.LValue) { s.add(k, v) })
}

// heldBytes are the bytes of all numbers that vectors hold which can be reached.
func (s *scale) heldBytes() int64 {
	var sum int64
	for _, bytes := range s.held {
		sum += bytes
	}
	return sum
}

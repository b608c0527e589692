package sandbox

import (
	"reflect"
	"unsafe"

	glua "github.com/yuin/gopher-lua"
)

// Holder is a value of Go in a Lua state that holds much more than itself. It tells what;
// what several hold is weighed once.
type Holder interface {
	Holds(tell func(what string, bytes int64))
}

// Scale weighs what can be reached from a Lua state: the interpreter has no account
// of its memory. Weights are those of Go's structures, roughly.
type Scale struct {
	seen  map[any]bool
	todo  []glua.LValue
	Bytes int64            // of Lua values
	held  map[string]int64 // bytes of what values of Go hold, by what it is
}

// Weigh adds up everything that the state can reach.
func (box *Box) Weigh() *Scale {
	s := &Scale{seen: map[any]bool{}, held: map[string]int64{}}
	s.add(box.L.G.Global, box.L.G.Registry)
	for _, v := range box.roots {
		s.add(v)
	}
	s.add(registers(box.L)...)
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
func (s *Scale) add(values ...glua.LValue) {
	for _, v := range values {
		switch v := v.(type) {
		case nil, glua.LBool, *glua.LNilType:
		case glua.LNumber:
			s.Bytes += 8
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
func (s *Scale) text(text string) {
	const long = 64
	if len(text) >= long {
		at := unsafe.StringData(text)
		if s.seen[at] {
			return
		}
		s.seen[at] = true
	}
	s.Bytes += int64(len(text)) + 16
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
			holder.Holds(func(what string, bytes int64) { s.held[what] = bytes })
		}
	}
}

// table weighs a table's entries and what it reserves for them: parts that are empty
// but allocated can be seen only by reflection.
func (s *Scale) table(t *glua.LTable) {
	own := reflect.ValueOf(t).Elem()
	s.Bytes += 128 + 16*int64(own.FieldByName("array").Cap()+own.FieldByName("keys").Cap())
	for field, entry := range map[string]int64{"dict": 48, "strdict": 48, "k2i": 40} {
		s.Bytes += entry * int64(own.FieldByName(field).Len())
	}
	s.add(t.Metatable)
	t.ForEach(func(k, v glua.LValue) { s.add(k, v) })
}

// HeldBytes are the bytes of all that is held by values of Go which can be reached.
func (s *Scale) HeldBytes() int64 {
	var sum int64
	for _, bytes := range s.held {
		sum += bytes
	}
	return sum
}

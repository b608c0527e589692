package sandbox

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/metrics"
	"time"
	"unsafe"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Limits bound what code may use. All must be set.
type Limits struct {
	Steps  uint64        // Lua instructions per call
	Time   time.Duration // time per call, without waiting
	Memory int64         // bytes of all reachable Lua values
}

const (
	// MaxSource is the maximum size of a file in bytes.
	MaxSource = 1 << 18
	// LookEvery is the number of instructions between checks of time and memory.
	LookEvery = 256

	maxString = 1 << 20 // bytes of a string that code makes
	maxArray  = 1 << 20 // the largest index that Lua tables keep in an array
)

// Assigning to an index fills a table's array up to that index in one instruction. This
// bounds the cost; larger indices are hashed like other keys.
func init() { glua.MaxArrayIndex = maxArray }

// Meter is the context of a Lua state, which the interpreter asks before every instruction whether it is done. The
// meter counts there, and checks time and memory every LookEvery instructions.
type Meter struct {
	Limits
	context.Context // ends the code from outside

	subject, setting string

	memory func() int64     // of the state
	Now    func() time.Time // tests replace it

	steps   uint64 // instructions since the state was made
	start   uint64 // steps when the call began
	allowed uint64 // steps when the call must end
	next    uint64 // steps at the next check

	left    time.Duration // for this call
	resumed time.Time

	held    int64  // bytes of the state when it was last weighed
	weighed uint64 // bytes that the process had allocated then

	failure error // why no more code runs
	cause   error // the error behind failure, if it is not the code's fault
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (m *Meter) begin() {
	m.start, m.allowed = m.steps, m.steps+m.Steps
	m.left = m.Time
	m.resumed = m.Now()
}

// Outside calls a function whose time does not count.
func Outside[T any](m *Meter, f func() (T, error)) (T, error) {
	m.left -= m.Now().Sub(m.resumed)
	defer func() { m.resumed = m.Now() }()
	return f()
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Done runs before every instruction.
func (m *Meter) Done() <-chan struct{} {
	if m.steps++; m.steps < m.next {
		return nil
	}
	if m.failure == nil {
		m.next = m.steps + LookEvery
		m.look()
	}
	if m.failure == nil {
		return nil
	}
	return closed
}

// Err is the error that the interpreter raises when Done returns a closed channel.
func (m *Meter) Err() error { return m.failure }

// Stop makes every further instruction fail, also in error handlers, so the code cannot continue by catching the
// error. Cause is the error behind the failure if it is not the code's fault.
func (m *Meter) Stop(failure, cause error) { m.failure, m.cause, m.next = failure, cause, 0 }

func (m *Meter) exceeded(format string, args ...any) {
	m.Stop(errors.New(m.subject+" "+fmt.Sprintf(format, args...)), nil)
}

// raise returns a hint to raise a limit, if limits are settings.
func (m *Meter) raise(hint, limit string) string {
	return lists.Either(m.setting == "", "", hint+m.setting+limit)
}

// Allow grants the current call more instructions.
func (m *Meter) Allow(steps uint64) { m.allowed += steps }

func (m *Meter) look() {
	switch {
	case m.steps > m.allowed:
		m.exceeded("ran %d instructions in one call, the limit; hint: check for an endless loop%s",
			m.allowed-m.start, m.raise(", or raise ", "steps"))
	case m.Context.Err() != nil:
		m.Stop(m.Context.Err(), context.Cause(m.Context))
	case m.Now().Sub(m.resumed) > m.left:
		m.exceeded("ran for %v in one call, the limit%s", m.Time, m.raise("; hint: raise ", "time"))
	default:
		m.weigh()
	}
}

// weigh measures the state's memory, which is slow, once it could exceed the limit: its last size plus everything
// that the process has allocated since.
func (m *Meter) weigh() {
	if grown := int64(allocated() - m.weighed); m.held+grown <= m.Memory || grown < m.Memory/8 {
		return
	}
	m.held, m.weighed = m.memory(), allocated()
	if m.held > m.Memory {
		m.exceeded("holds %d bytes in tables and strings, the limit is %d%s",
			m.held, m.Memory, m.raise("; hint: keep numbers in vectors, or raise ", "memory"))
	}
}

// Charge counts the work that one instruction causes in Go.
func (box *Box) Charge(steps int) {
	m := box.Meter
	if m.steps += uint64(steps); m.steps >= m.next && m.Done() != nil {
		box.L.RaiseError("%s", m.failure.Error())
	}
}

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

package lua

import (
	"context"
	"fmt"
	"runtime/metrics"
	"time"

	glua "github.com/yuin/gopher-lua"
)

// Limits bound what a script may use. They are settings; nothing here has a default.
type Limits struct {
	Steps   uint64        // instructions of the Lua machine in one call of the script
	Time    time.Duration // time of one call, without that of its batches
	Memory  int64         // bytes of all Lua values that can be reached
	Vectors int64         // bytes of numbers that vectors hold: of gen.from, gen.file
	From    uint64        // numbers that gen.from makes at once
}

const (
	maxString = 1 << 20 // bytes of a string that a script makes
	maxSource = 1 << 18 // bytes of a script or module
	maxArray  = 1 << 20 // the largest index that Lua tables keep in an array

	lookEvery = 256 // instructions between looks at what is not counted
)

// A table's array is filled up to any index that is assigned to, in one instruction:
// this bounds what one costs. Numbers from there on are kept like other keys.
func init() { glua.MaxArrayIndex = maxArray }

// meter is the context of a Lua state. The interpreter asks a context before every
// instruction whether it is done: that is where instructions are counted, and where
// time and memory are looked at now and then.
type meter struct {
	Limits
	context.Context // ends the instance from outside

	memory func() int64     // of the state
	now    func() time.Time // tests turn it by hand

	steps   uint64 // instructions since the state was made
	start   uint64 // and when the call began
	allowed uint64 // when the call must be over
	next    uint64 // when to look again

	left    time.Duration // for this call
	resumed time.Time

	held    int64  // bytes that the state held when it was weighed
	weighed uint64 // what the process had allocated then

	failure error // why nothing more is run
	cause   error // the failure, if it is not the script's
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// begin starts the account of one call.
func (m *meter) begin() {
	m.start, m.allowed = m.steps, m.steps+m.Steps
	m.left = m.Time
	m.resume()
}

// resume says that the script runs from now on.
func (m *meter) resume() { m.resumed = m.now() }

// pause says that the script waits for a batch.
func (m *meter) pause() { m.left -= m.now().Sub(m.resumed) }

// allocated is how many bytes the process has allocated since it began.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Done is called before every instruction.
func (m *meter) Done() <-chan struct{} {
	if m.steps++; m.steps < m.next {
		return nil
	}
	m.next = m.steps + lookEvery
	if m.failure == nil {
		m.look()
	}
	if m.failure == nil {
		return nil
	}
	m.next = 0 // from now on every instruction fails, in handlers of errors too
	return closed
}

// Err is what the interpreter raises when Done says so.
func (m *meter) Err() error { return m.failure }

// stop makes every further instruction fail, so that a script cannot go on by
// catching the error. A cause is kept for the caller of the script.
func (m *meter) stop(failure, cause error) {
	m.failure, m.cause, m.next = failure, cause, 0
}

func (m *meter) look() {
	switch {
	case m.steps > m.allowed:
		m.stop(fmt.Errorf("the script ran %d instructions in one call, which is the limit; hint: a loop without an end, or raise lua.steps", m.allowed-m.start), nil)
	case m.Context.Err() != nil:
		m.stop(m.Context.Err(), context.Cause(m.Context))
	case m.now().Sub(m.resumed) > m.left:
		m.stop(fmt.Errorf("the script ran for %v in one call, which is the limit; hint: raise lua.time", m.Time), nil)
	default:
		m.weigh()
	}
}

// weigh looks at the memory of the state once it could be more than allowed: what it
// held the last time and all that the process, which is others too, has allocated
// since then. Weighing takes time, so some growth is waited for.
func (m *meter) weigh() {
	grown := int64(allocated() - m.weighed)
	if m.held+grown <= m.Memory || grown < m.Memory/8 {
		return
	}
	m.held, m.weighed = m.memory(), allocated()
	if m.held > m.Memory {
		m.stop(fmt.Errorf("the script holds %d bytes in tables and strings, the limit is %d; hint: keep numbers in vectors, or raise lua.memory", m.held, m.Memory), nil)
	}
}

// charge counts work that one instruction causes in Go.
func (h *host) charge(L *glua.LState, steps int) {
	m := h.meter
	m.steps += uint64(max(steps, 0))
	if m.steps < m.next {
		return
	}
	if m.Done() != nil {
		L.RaiseError("%s", m.failure.Error())
	}
}

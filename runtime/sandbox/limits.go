package sandbox

import (
	"context"
	"fmt"
	"runtime/metrics"
	"time"

	glua "github.com/yuin/gopher-lua"
)

// Limits bound what code may use. Nothing here has a default.
type Limits struct {
	Steps  uint64        // instructions of the Lua machine in one call
	Time   time.Duration // time of one call, without that of what it waits for
	Memory int64         // bytes of all Lua values that can be reached
}

const (
	maxString = 1 << 20 // bytes of a string that code makes
	maxArray  = 1 << 20 // the largest index that Lua tables keep in an array
)

const (
	// MaxSource is how many bytes a file may have.
	MaxSource = 1 << 18
	// LookEvery is how many instructions there are between looks at what is not counted.
	LookEvery = 256
)

// A table's array is filled up to any index that is assigned to, in one instruction:
// this bounds what one costs. Numbers from there on are kept like other keys.
func init() { glua.MaxArrayIndex = maxArray }

// Meter is the context of a Lua state. The interpreter asks a context before every
// instruction whether it is done: that is where instructions are counted, and where
// time and memory are looked at now and then.
type Meter struct {
	Limits
	context.Context // ends the code from outside

	subject, setting string

	memory func() int64     // of the state
	Now    func() time.Time // tests turn it by hand

	steps   uint64 // instructions since the state was made
	start   uint64 // and when the call began
	allowed uint64 // when the call must be over
	next    uint64 // when to look again

	left    time.Duration // for this call
	resumed time.Time

	held    int64  // bytes that the state held when it was weighed
	weighed uint64 // what the process had allocated then

	failure error // why nothing more is run
	cause   error // the failure, if it is not the code's
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// begin starts the account of one call.
func (m *Meter) begin() {
	m.start, m.allowed = m.steps, m.steps+m.Steps
	m.left = m.Time
	m.Resume()
}

// Resume says that the code runs from now on.
func (m *Meter) Resume() { m.resumed = m.Now() }

// Pause says that the code waits for something.
func (m *Meter) Pause() { m.left -= m.Now().Sub(m.resumed) }

// allocated is how many bytes the process has allocated since it began.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Done is called before every instruction.
func (m *Meter) Done() <-chan struct{} {
	if m.steps++; m.steps < m.next {
		return nil
	}
	m.next = m.steps + LookEvery
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
func (m *Meter) Err() error { return m.failure }

// Stop makes every further instruction fail, so that the code cannot go on by
// catching the error. A cause is kept for the code's caller.
func (m *Meter) Stop(failure, cause error) {
	m.failure, m.cause, m.next = failure, cause, 0
}

// raise is a hint to raise a limit, if it is a setting.
func (m *Meter) raise(hint, limit string) string {
	if m.setting == "" {
		return ""
	}
	return hint + m.setting + limit
}

// Allow grants the present call more instructions.
func (m *Meter) Allow(steps uint64) { m.allowed += steps }

// Failure is why nothing more is run, and Cause what is behind it, if that is not the code.
func (m *Meter) Failure() error { return m.failure }

// Cause is an error of whom the code called.
func (m *Meter) Cause() error { return m.cause }

func (m *Meter) look() {
	switch {
	case m.steps > m.allowed:
		m.Stop(fmt.Errorf("%s ran %d instructions in one call, which is the limit; hint: a loop without an end%s", m.subject, m.allowed-m.start, m.raise(", or raise ", "steps")), nil)
	case m.Context.Err() != nil:
		m.Stop(m.Context.Err(), context.Cause(m.Context))
	case m.Now().Sub(m.resumed) > m.left:
		m.Stop(fmt.Errorf("%s ran for %v in one call, which is the limit%s", m.subject, m.Time, m.raise("; hint: raise ", "time")), nil)
	default:
		m.weigh()
	}
}

// weigh looks at the memory of the state once it could be more than allowed: what it
// held the last time and all that the process, which is others too, has allocated
// since then. Weighing takes time, so some growth is waited for.
func (m *Meter) weigh() {
	grown := int64(allocated() - m.weighed)
	if m.held+grown <= m.Memory || grown < m.Memory/8 {
		return
	}
	m.held, m.weighed = m.memory(), allocated()
	if m.held > m.Memory {
		m.Stop(fmt.Errorf("%s holds %d bytes in tables and strings, the limit is %d%s", m.subject, m.held, m.Memory, m.raise("; hint: keep numbers in vectors, or raise ", "memory")), nil)
	}
}

// Charge counts work that one instruction causes in Go.
func (box *Box) Charge(L *glua.LState, steps int) {
	m := box.Meter
	m.steps += uint64(max(steps, 0))
	if m.steps < m.next {
		return
	}
	if m.Done() != nil {
		L.RaiseError("%s", m.failure.Error())
	}
}

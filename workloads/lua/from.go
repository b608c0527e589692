package lua

import (
	"errors"
	"fmt"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// effort is the cost of making numbers in Lua.
type effort struct {
	numbers uint64
	calls   int
	took    time.Duration
}

// stepsEach is how many instructions gen.from grants per number, on average.
const stepsEach = 1000

// genFrom is gen.from(function(i) ... end, { n = 1000 }): numbers that the script makes one
// by one, from i = 1 to n. It is slow and limited, for what no generator does.
func (h *host) genFrom(L *glua.LState) (int, error) {
	fn, ok := L.Get(1).(*glua.LFunction)
	if !ok || L.GetTop() != 2 {
		return 0, errors.New("it takes a function and a count, as in gen.from(function(i) return i * i end, { n = 1000 })")
	}
	var count struct {
		N uint64 `lua:"n"`
	}
	if f := sandbox.Check(decode("gen.from", L.Get(2), &count)); !f.has("n") {
		return 0, errors.New("n is missing: it is the number of numbers to make")
	}
	sandbox.Raise(h.allow(count.N))
	started := time.Now()
	numbers := make([]uint64, count.N)
	for i := range numbers {
		numbers[i] = sandbox.Check(numberOf(L, fn, i+1))
	}
	h.from.numbers, h.from.calls, h.from.took = h.from.numbers+count.N, h.from.calls+1, h.from.took+time.Since(started)
	return h.push(L, stream.Data("gen.from", numbers))
}

// allow checks that a script may make n numbers and grants the steps.
func (h *host) allow(n uint64) error {
	if most := h.script.limits.From; n > most {
		return fmt.Errorf("n is %d, at most %d are allowed; hint: use a generator, or raise lua.from", n, most)
	}
	if err := h.hold(8 * int64(n)); err != nil {
		return err
	}
	h.Meter.Allow(n * stepsEach)
	return nil
}

// hold checks that vectors may keep more bytes of numbers. Unreachable vectors do not count.
func (h *host) hold(bytes int64) error {
	most := h.script.limits.Vectors
	if held := h.Weigh().HeldBytes(); held+bytes > most {
		return fmt.Errorf("%d bytes of numbers and the %d bytes that vectors hold exceed the limit of %d; hint: raise lua.vectors", bytes, held, most)
	}
	return nil
}

func numberOf(L *glua.LState, fn *glua.LFunction, i int) (uint64, error) {
	v := sandbox.Run(L, fn, glua.LNumber(i))
	n, ok := toWhole(v)
	if !ok {
		return 0, fmt.Errorf(`the function returned %s for %d, it takes whole numbers from 0 to 2^53, or u64"..."`, sandbox.Describe(v), i)
	}
	return n, nil
}

// noteEffort adds a remark with the total cost of gen.from.
func (h *host) noteEffort() {
	if e := h.from; e.calls > 0 && h.table != nil {
		h.table.Note(fmt.Sprintf("gen.from made %d numbers in Lua, calls: %d, in %.0f ms outside the measured time",
			e.numbers, e.calls, e.took.Seconds()*1e3))
	}
	h.from = effort{}
}

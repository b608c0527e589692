package lua

import (
	"fmt"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// effort is what making numbers in Lua has cost.
type effort struct {
	numbers uint64
	calls   int
	took    time.Duration
}

// stepsEach is what a function of gen.from may use on average for a number, besides
// what the call of the script may use.
const stepsEach = 1000

// genFrom is gen.from(function(i) ... end, { n = 1000 }): numbers that the script
// makes one by one, from i = 1 to n. It is for what no generator does; it is slow, and
// capped.
func (h *host) genFrom(L *glua.LState) (int, error) {
	fn, ok := L.Get(1).(*glua.LFunction)
	if !ok || L.GetTop() != 2 {
		return 0, fmt.Errorf("gen.from: it takes a function and how many, as in gen.from(function(i) return i * i end, { n = 1000 })")
	}
	f, err := named("gen.from", L.Get(2))
	if err != nil {
		return 0, err
	}
	if err := f.only("n"); err != nil {
		return 0, err
	}
	n, err := f.whole("n", 0, false)
	if err != nil {
		return 0, err
	}
	if err := h.allow(n, f.has("n")); err != nil {
		return 0, err
	}
	started := time.Now()
	numbers := make([]uint64, n)
	for i := range numbers {
		if numbers[i], err = h.numberOf(L, fn, i+1); err != nil {
			return 0, err
		}
	}
	h.from.numbers, h.from.calls, h.from.took = h.from.numbers+n, h.from.calls+1, h.from.took+time.Since(started)
	return h.push(L, stream.Data("gen.from", numbers))
}

// allow checks that so many numbers may be made, and grants the steps.
func (h *host) allow(n uint64, given bool) error {
	limits := h.script.limits
	switch {
	case !given:
		return fmt.Errorf("gen.from: n is missing: it says how many numbers to make")
	case n > limits.From:
		return fmt.Errorf("gen.from: n is %d, it makes at most %d numbers; hint: generators make any number, or raise lua.from", n, limits.From)
	}
	if err := h.hold(8 * int64(n)); err != nil {
		return fmt.Errorf("gen.from: %w", err)
	}
	h.Meter.Allow(n * stepsEach)
	return nil
}

// hold checks that there may be vectors with so many more bytes of numbers. What
// scripts cannot reach any more does not count.
func (h *host) hold(bytes int64) error {
	most := h.script.limits.Vectors
	if held := h.Weigh().HeldBytes(); held+bytes > most {
		return fmt.Errorf("%d bytes of numbers, with %d that vectors hold already, are more than %d; hint: raise lua.vectors", bytes, held, most)
	}
	return nil
}

func (h *host) numberOf(L *glua.LState, fn *glua.LFunction, i int) (uint64, error) {
	L.Push(fn)
	L.Push(glua.LNumber(i))
	L.Call(1, 1)
	v := L.Get(-1)
	L.Pop(1)
	n, ok := toWhole(v)
	if !ok {
		return 0, fmt.Errorf(`gen.from: the function gives %s for %d, it takes whole numbers from 0 to 2^53, or u64"..."`, sandbox.Describe(v), i)
	}
	return n, nil
}

// noteEffort says what gen.from has cost, all calls together.
func (h *host) noteEffort() {
	if e := h.from; e.calls > 0 && h.table != nil {
		h.table.Note(fmt.Sprintf("gen.from made %d numbers in Lua, calls: %d, in %.0f ms outside of the measured time",
			e.numbers, e.calls, e.took.Seconds()*1e3))
	}
	h.from = effort{}
}

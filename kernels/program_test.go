package kernels_test

import (
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/must"
)

func TestAssemblerErrors(t *testing.T) {
	many := func(n int, steps ...string) func(a *kernels.Assembler) {
		return func(a *kernels.Assembler) {
			for range n {
				for _, s := range steps {
					if s == "constant" || s == "get" {
						a.Step(s, 0)
					} else {
						a.Step(s)
					}
				}
			}
		}
	}
	for _, c := range []struct {
		write func(a *kernels.Assembler)
		want  string
	}{
		{func(a *kernels.Assembler) { a.Step("frobnicate") }, `step "frobnicate": unknown step`},
		{func(a *kernels.Assembler) { a.Step("add") }, "step add: given 0 constants and 1 numbers on the stack, needs 0 and 2"},
		{func(a *kernels.Assembler) { a.Step("constant") }, "step constant: given 0 constants and 1 numbers on the stack, needs 1 and 0"},
		{func(a *kernels.Assembler) { a.Step("get", 1) }, "step get: place 1, the stack has places 0 to 0"},
		{many(65, "constant", "keep"), "a program of 130 steps, at most 128 fit; hint: make the expression smaller"},
		{many(16, "constant"), "a program of 17 numbers on its stack, at most 16 fit; hint: make the expression smaller"},
		{func(a *kernels.Assembler) {
			for range 52 {
				a.Step("normal", 1, 2, 3, 4, 5)
			}
		}, "a program of 260 constants, at most 256 fit; hint: make the expression smaller"},
	} {
		a := kernels.NewAssembler()
		c.write(a)
		_, err := a.Program()
		must.Hold(t, err != nil && err.Error() == c.want, "have %v, want %s", err, c.want)
	}
}

// A program that just fits runs to its last step.
func TestLargestPrograms(t *testing.T) {
	a := kernels.NewAssembler()
	for range kernels.MaxStack - 1 {
		a.Step("constant", 3)
	}
	for range kernels.MaxStack - 1 {
		a.Step("add")
	}
	for range (kernels.MaxSteps - 2*(kernels.MaxStack-1)) / 2 {
		a.Step("constant", 1)
		a.Step("add")
	}
	p := must.Get(a.Program())(t)
	compare(t, "a full program", numbers(t, &p, 0, 100), func(i int) uint64 {
		return uint64(i) + 3*(kernels.MaxStack-1) + (kernels.MaxSteps-2*(kernels.MaxStack-1))/2
	})
	must.Hold(t, strings.Contains(kernels.StepOps[p.Step[0].Op].Name, "constant"), "the first step is not the one written first")
}

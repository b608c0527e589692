package kernels

/*
#include "abi.h"
#include "library.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Versions and limits of abi.h for streams and digests.
const (
	MaxConstants     = C.HZ_MAX_CONSTANTS
	GeneratorVersion = C.HZ_GENERATOR_VERSION
	DigestVersion    = C.HZ_DIGEST_VERSION
)

// StepOp describes a kind of step of a Program: how many numbers it pops from the stack
// and how many constants it has. Every step pushes one number.
type StepOp struct {
	Name            string
	Pops, Constants int
	Help            string
}

// StepOps are the step kinds of abi.h, indexed by their number.
var StepOps = func() []StepOp {
	var list []StepOp
	for line := range strings.Lines(C.GoString(C.hz_step_ops)) {
		op := StepOp{Help: strings.SplitN(strings.TrimSpace(line), " ", 4)[3]}
		lists.Must(fmt.Sscan(line, &op.Name, &op.Pops, &op.Constants))
		list = append(list, op)
	}
	return list
}()

// Assembler writes a Program step by step and enforces the limits of a kernel. It keeps
// counting beyond the limits, so its error can say how much is needed.
type Assembler struct {
	program   Program
	steps     int
	constants int
	height    int // numbers on the stack
	highest   int
	err       error
}

// NewAssembler starts a program whose stack holds the index, at position 0.
func NewAssembler() *Assembler { return &Assembler{height: 1, highest: 1} }

// Top is the position of the number on top of the stack, for the step get.
func (a *Assembler) Top() uint64 { return uint64(a.height - 1) }

// Step appends a step.
func (a *Assembler) Step(name string, constants ...uint64) {
	number := slices.IndexFunc(StepOps, func(op StepOp) bool { return op.Name == name })
	if number < 0 {
		a.fail(fmt.Errorf("step %q: unknown step", name))
		return
	}
	op := StepOps[number]
	if len(constants) != op.Constants || a.height < op.Pops {
		a.fail(fmt.Errorf("step %s: given %d constants and %d numbers on the stack, needs %d and %d",
			name, len(constants), a.height, op.Constants, op.Pops))
		return
	}
	if name == "get" && constants[0] >= uint64(a.height) {
		a.fail(fmt.Errorf("step get: place %d, the stack has places 0 to %d", constants[0], a.height-1))
		return
	}
	if a.steps < MaxSteps {
		a.program.Step[a.steps] = Step{Op: uint32(number), First: uint32(a.constants)}
	}
	for i, c := range constants {
		if a.constants+i < MaxConstants {
			a.program.Constant[a.constants+i] = c
		}
	}
	a.steps++
	a.constants += len(constants)
	a.height += 1 - op.Pops
	a.highest = max(a.highest, a.height)
}

func (a *Assembler) fail(err error) { a.err = cmp.Or(a.err, err) }

// Program returns the assembled program, or the reason why it cannot run.
func (a *Assembler) Program() (Program, error) {
	if a.err != nil {
		return Program{}, a.err
	}
	for _, limit := range []struct {
		what      string
		need, has int
	}{{"steps", a.steps, MaxSteps}, {"constants", a.constants, MaxConstants}, {"numbers on its stack", a.highest, MaxStack}} {
		if limit.need > limit.has {
			return Program{}, fmt.Errorf("a program of %d %s, at most %d fit; hint: make the expression smaller",
				limit.need, limit.what, limit.has)
		}
	}
	a.program.Steps = uint64(a.steps)
	return a.program, nil
}

// ZipfianConstants returns the constants of the step zipfian, which draws ranks 0 to n-1 with a
// probability proportional to (rank+1)^-theta, with n from 1 to 2^52 and theta from 0 to 2.
func ZipfianConstants(seed, n uint64, theta float64) []uint64 {
	var rest [5]C.uint64_t
	C.hz_zipfian(C.uint64_t(n), C.double(theta), &rest[0])
	return append([]uint64{seed}, lists.Map(rest[:], func(c C.uint64_t) uint64 { return uint64(c) })...)
}

// Powers returns k^exponent for k from 1 to n, for an exponent of at most 0; results below e^-700
// are e^-700. Unlike those of package math, their bits are the same on every machine.
func Powers(n int, exponent float64) []float64 {
	powers := make([]float64, n)
	if n > 0 {
		C.hz_powers(C.uint64_t(n), C.double(exponent), (*C.double)(&powers[0]))
	}
	return powers
}

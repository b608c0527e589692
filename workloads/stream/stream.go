// Package stream describes keys, values and operations as expressions: a Stream
// is a function from an index to a 64-bit number, put together from generators
// (Unique, Zipfian ...), from maps of the index (Take, Shuffle, At ...) and from
// arithmetic. A device computes it (kernels/gen.h); here it is only described.
//
// An expression is the same numbers on every device, whatever the batch size and
// the number of threads. Its text (String, Parse) is what recordings keep.
//
// Every random generator is given its seed. The same generator with the same seed
// is the same numbers wherever it is used, so keys that were inserted can be
// looked up again in another order; different generators are independent of each
// other even with equal seeds.
//
// Streams do not change. A wrong parameter makes a stream that remembers the
// error: expressions can be written in one go, and Err or Program tells.
package stream

import (
	"errors"
	"fmt"
	"math"

	"github.com/hashzoo/hashzoo/kernels"
)

// Endless is the length of a stream that has a number for every index.
const Endless = math.MaxUint64

// maxParts bounds an expression. A program of kernels.MaxSteps steps is smaller;
// the bound is there so that s.Add(s) in a loop does not fill the memory.
const maxParts = 512

// Stream is a sequence of numbers. The zero Stream is none and has an error.
type Stream struct {
	node *node
	err  error
}

// node is a part of an expression: its kind says what the inputs and arguments
// mean.
type node struct {
	kind   *Kind
	inputs []*node
	args   []uint64      // one for each of the kind's Params; a real one as its bits
	array  *array        // of data: its numbers
	table  func() *array // of duplicates: what its program reads
	length uint64
	parts  int
}

var errNone = errors.New("a stream that was not made: use the functions of package stream")

// Err says what is wrong with the expression, or nil.
func (s Stream) Err() error {
	if s.node == nil && s.err == nil {
		return errNone
	}
	return s.err
}

// Len is how many numbers there are, or Endless.
func (s Stream) Len() uint64 {
	if s.Err() != nil {
		return 0
	}
	return s.node.length
}

// Largest is a number that none of the stream's numbers exceeds. It is found from
// the expression, without computing numbers, and may be larger than needed.
func (s Stream) Largest() uint64 {
	if s.Err() != nil || s.node.length == 0 {
		return 0
	}
	return s.node.largest(s.node.length - 1)
}

// Program returns the stream in the form that the kernel hz_generate takes. One
// that reads numbers of the host needs ProgramWith.
func (s Stream) Program() (kernels.Program, error) {
	return s.ProgramWith(func(string, []uint64) (uint64, error) {
		return 0, errors.New("a program cannot carry them, a device must be given them first")
	})
}

// ProgramWith is Program for any stream: place is called for all numbers of the
// host that the program reads, and they must stay where it puts them while the
// program runs.
func (s Stream) ProgramWith(place Place) (kernels.Program, error) {
	if err := s.Err(); err != nil {
		return kernels.Program{}, err
	}
	p, err := compile(s.node, place)
	if err != nil {
		return p, fmt.Errorf("stream %s: %w", shorten(s.String()), err)
	}
	return p, nil
}

// Check says whether a device could make the numbers: it is Err, or that the
// expression is too large for a program.
func (s Stream) Check() error {
	_, err := s.ProgramWith(func(string, []uint64) (uint64, error) { return 0, nil })
	return err
}

func shorten(text string) string {
	const most = 60
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}

// Params are arguments by name: whole numbers as uint64, int or float64, real
// ones as float64 or any of these.
type Params map[string]any

// New makes a stream of a kind (see Kinds) by its name. It is how text and
// scripts make streams; Go code has a function for each kind.
func New(kind string, inputs []Stream, params Params) Stream {
	n, err := build(kind, inputs, params)
	return Stream{node: n, err: err}
}

func build(name string, inputs []Stream, params Params) (*node, error) {
	kind, err := findKind(name)
	if err != nil {
		return nil, err
	}
	n := &node{kind: kind, parts: 1}
	for _, s := range inputs {
		if err := s.Err(); err != nil {
			return nil, err
		}
		n.inputs = append(n.inputs, s.node)
		n.parts += s.node.parts
	}
	if n.parts > maxParts {
		return nil, fmt.Errorf("%s: an expression of %d parts, at most %d; hint: take what is common out of it", name, n.parts, maxParts)
	}
	if len(inputs) != len(kind.Inputs) {
		return nil, fmt.Errorf("%s: given %d streams, it is made of %d", name, len(inputs), len(kind.Inputs))
	}
	if n.args, err = kind.arguments(params); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if kind.expand != nil {
		s := kind.expand(n)
		if s.Err() != nil {
			return nil, fmt.Errorf("%s: %w", name, s.Err())
		}
		return s.node, nil
	}
	if n.length, err = kind.length(n); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return kind.simplify(n)
}

// wrong is a stream that has an error only.
func wrong(format string, args ...any) Stream { return Stream{err: fmt.Errorf(format, args...)} }

// whole is the argument of that name.
func (n *node) whole(name string) uint64 {
	for i, p := range n.kind.Params {
		if p.Name == name {
			return n.args[i]
		}
	}
	panic(n.kind.Name + " has no parameter " + name)
}

// real is the argument of that name, a real number.
func (n *node) real(name string) float64 { return math.Float64frombits(n.whole(name)) }

// largest is an upper bound of the numbers at indices 0 to last.
func (n *node) largest(last uint64) uint64 { return n.kind.largest(n, last) }

// Package stream describes keys, values and operations as expressions. A Stream maps an index to a 64-bit number. It
// is composed of generators (Unique, Zipfian ...), maps of the index (Take, Shuffle, At ...) and arithmetic. Devices
// compute the numbers (kernels/gen.h); this package only describes them.
//
// An expression gives the same numbers on every device, for any batch size and number of
// threads. Recordings keep it as JSON (Expression).
//
// Every random generator takes a seed. Equal generators with equal seeds give equal numbers, so inserted keys can be
// looked up again in another order. Different generators are independent even with equal seeds.
//
// Streams are immutable. A wrong parameter makes a stream with an error, which Err and
// Program return, so expressions need no error handling in between.
package stream

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Endless is the length of a stream without an end.
const Endless = math.MaxUint64

// Stream is a sequence of numbers. The zero Stream is invalid.
type Stream struct {
	node *node
	err  error
}

// node is a part of an expression.
type node struct {
	kind   *Kind
	inputs []*node
	args   []uint64      // one per parameter of the kind; reals as their bits
	array  *array        // for data: its numbers
	table  func() *array // for duplicates: what its program reads
	length uint64
	parts  int
	said   told
}

// told is what is found out about an expression once, since scripts use the same ones in every batch.
type told struct {
	text, check sync.Once
	string      string
	err         error
}

var errNone = errors.New("uninitialized stream: use the functions of package stream")

// Err returns what is wrong with the expression, or nil.
func (s Stream) Err() error { return lists.Either(s.node == nil && s.err == nil, errNone, s.err) }

// Len returns the number of numbers, or Endless.
func (s Stream) Len() uint64 {
	if s.Err() != nil {
		return 0
	}
	return s.node.length
}

// Largest returns an upper bound of the numbers, from the expression alone; it need not be tight.
func (s Stream) Largest() uint64 {
	if s.Err() != nil || s.node.length == 0 {
		return 0
	}
	return s.node.largest(s.node.length - 1)
}

// ProgramWith returns the stream as a program for the kernel hz_generate. Its Data must stay where place puts it
// while the program runs.
func (s Stream) ProgramWith(place Place) (p kernels.Program, err error) {
	if err := s.Err(); err != nil {
		return p, err
	}
	c := &compiler{Assembler: kernels.NewAssembler(), place: place, placed: map[*array]uint64{}}
	c.number(s.node)
	if err = c.err; err == nil {
		p, err = c.Program()
	}
	if err != nil {
		return p, fmt.Errorf("stream %s: %w", nearest.Shorten(s.String(), 60), err)
	}
	return p, nil
}

// Check returns Err, or an error if the expression is too large for a program.
func (s Stream) Check() error {
	if err := s.Err(); err != nil {
		return err
	}
	said := &s.node.said
	said.check.Do(func() { _, said.err = s.ProgramWith(func(string, []uint64) (uint64, error) { return 0, nil }) })
	return said.err
}

// Params are arguments by name, as uint64, int or float64.
type Params map[string]any

// New makes a stream of one of Kinds by name, for texts and scripts.
func New(kind string, inputs []Stream, params Params) Stream {
	n, err := build(kind, inputs, params)
	return Stream{node: n, err: err}
}

func build(name string, inputs []Stream, params Params) (_ *node, err error) {
	const maxParts = 512 // of an expression: s.Add(s) in a loop must not fill the memory
	kind, ok := kinds[name]
	switch {
	case name == dataKind.Name:
		return nil, errors.New("the numbers of data are not part of the expression; hint: read them again from their source")
	case !ok:
		return nil, nearest.Unknown("stream", name, kindNames())
	}
	n := &node{kind: kind, parts: 1}
	if err := lists.Each(inputs, Stream.Err); err != nil {
		return nil, err
	}
	n.inputs = lists.Map(inputs, func(s Stream) *node { return s.node })
	n.parts += lists.Sum(n.inputs, func(in *node) int { return in.parts })
	if n.parts > maxParts {
		return nil, fmt.Errorf("%s: the expression has %d parts, at most %d; hint: use its parts in batches of their own", name, n.parts, maxParts)
	}
	if len(inputs) != len(kind.Inputs) {
		return nil, fmt.Errorf("%s: given %d streams, it takes %d", name, len(inputs), len(kind.Inputs))
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

func wrong(format string, args ...any) Stream { return Stream{err: fmt.Errorf(format, args...)} }

func (n *node) whole(name string) uint64 { return n.args[slices.Index(n.kind.ParamNames(), name)] }

func (n *node) real(name string) float64 { return math.Float64frombits(n.whole(name)) }

// largest returns an upper bound of the numbers at indices 0 to last.
func (n *node) largest(last uint64) uint64 { return n.kind.largest(n, last) }

// compiler writes the program of an expression. Each part leaves one number on the stack.
// The current index is itself a stack slot, because a map of the index pushes a new one.
type compiler struct {
	*kernels.Assembler
	index  uint64
	place  Place
	placed map[*array]uint64
	err    error // the first error of place
}

// Place copies numbers to where a program can read them, once for each name, and returns their address.
type Place = func(name string, numbers []uint64) (uint64, error)

func (c *compiler) array(a *array) uint64 {
	at, done := c.placed[a]
	if done || c.err != nil {
		return at
	}
	if at, c.err = c.place(a.name, a.numbers); c.err != nil {
		c.err = fmt.Errorf("%d numbers of %s: %w", len(a.numbers), a.label, c.err)
	}
	c.placed[a] = at
	return at
}

func (c *compiler) number(n *node) { n.kind.emit(c, n) }

// step applies one step to the current index.
func (c *compiler) step(name string, constants ...uint64) {
	c.Step("get", c.index)
	c.Step(name, constants...)
}

// with applies one step to the number on the stack and a constant.
func (c *compiler) with(name string, constant uint64) {
	c.Step("constant", constant)
	c.Step(name)
}

// at pushes the number of n at the index that the function pushes.
func (c *compiler) at(n *node, index func()) {
	index()
	outer := c.index
	c.index = c.Top()
	c.number(n)
	c.index = outer
	c.Step("keep")
}

// Derive makes an independent seed for a part of something with a seed.
func Derive(seed uint64, part string) uint64 { return xxh3.HashStringSeed(part, seed) }

// seedOf returns the seed of a random step, which depends on the kind and the step.
func seedOf(n *node, part string) uint64 { return Derive(n.whole("seed"), n.kind.Name+part) }

// Expression is a stream as JSON, which recordings keep:
//
//	{"kind":"take","of":[{"kind":"unique","args":{"n":100,"seed":1}}],"args":{"count":10}}
//
// Kinds are those of Kinds. Of has the streams in the declared order; an argument that has a default may be left out.
type Expression struct {
	Kind string                 `json:"kind"`
	Of   []Expression           `json:"of,omitempty"`
	Args map[string]json.Number `json:"args,omitempty"`
	// Label describes numbers that are not in the expression: those of Data.
	Label string `json:"label,omitempty"`
}

// Expression is the stream's expression, from which Stream makes it again unless it has numbers of the host.
func (s Stream) Expression() (Expression, error) {
	if err := s.Err(); err != nil {
		return Expression{}, err
	}
	return s.node.expression(), nil
}

func (n *node) expression() Expression {
	e := Expression{Kind: n.kind.Name, Of: lists.Map(n.inputs, (*node).expression)}
	if n.kind == dataKind {
		e.Label = n.array.name
	}
	for i, p := range n.kind.Params {
		if e.Args == nil {
			e.Args = make(map[string]json.Number, len(n.args))
		}
		real := strconv.FormatFloat(math.Float64frombits(n.args[i]), 'g', -1, 64)
		e.Args[p.Name] = json.Number(lists.Either(p.Real, real, strconv.FormatUint(n.args[i], 10)))
	}
	return e
}

// Stream makes the stream, or one that has an error.
func (e Expression) Stream() Stream {
	params := Params{}
	for name, text := range e.Args {
		if n, err := strconv.ParseUint(string(text), 10, 64); err == nil {
			params[name] = n
		} else if params[name], err = text.Float64(); err != nil {
			return wrong("%s: %s is %q, which is no number that fits 64 bits", e.Kind, name, text)
		}
	}
	return New(e.Kind, lists.Map(e.Of, Expression.Stream), params)
}

// String is the expression for people: kind(streams, name=argument ...); a constant is its number.
func (e Expression) String() string {
	if e.Label != "" {
		return e.Label
	}
	if e.Kind == "constant" && len(e.Args) == 1 {
		return string(e.Args["value"])
	}
	parts := lists.Map(e.Of, Expression.String)
	if kind, ok := kinds[e.Kind]; ok {
		for _, p := range kind.Params {
			if text, given := e.Args[p.Name]; given {
				parts = append(parts, p.Name+"="+string(text))
			}
		}
	}
	return e.Kind + "(" + strings.Join(parts, ", ") + ")"
}

// Kind declares a kind of stream. Text, scripts and help use nothing else.
type Kind struct {
	Name   string
	Help   string
	Inputs []string // names of the streams that it is made of
	Params []Param

	// length returns how many numbers it has, or why it cannot exist.
	length func(n *node) (uint64, error)
	// largest bounds the numbers at indices 0 to last.
	largest func(n *node, last uint64) uint64
	// emit writes the steps that push the number at the current index.
	emit func(c *compiler, n *node)
	// simplify may return a smaller equal expression.
	simplify func(n *node) (*node, error)
	// expand, instead of the functions above, defines the kind by other kinds.
	expand func(n *node) Stream
}

// Param is a parameter of a kind.
type Param struct {
	Name string
	Real bool // a real number instead of a whole one
	// Low and High are the allowed range: uint64, or float64 if Real.
	Low, High any
	// Default is used if no value is given; nil if a value is required.
	Default any
	Hint    string // what the value means
}

// kinds are declared by the init functions of the other files.
var kinds = map[string]*Kind{}

func declare(list ...Kind) {
	for _, k := range list {
		if k.length == nil {
			k.length = func(*node) (uint64, error) { return Endless, nil }
		}
		if k.simplify == nil {
			k.simplify = func(n *node) (*node, error) { return n, nil }
		}
		kinds[k.Name] = &k
	}
}

// Kinds returns all kinds of streams, sorted by name.
func Kinds() []Kind { return lists.Map(kindNames(), func(name string) Kind { return *kinds[name] }) }

func kindNames() []string { return slices.Sorted(maps.Keys(kinds)) }

func wholeParam(name string, low, high uint64, hint string) Param {
	return Param{Name: name, Low: low, High: high, Hint: hint}
}
func realParam(name string, low, high float64, hint string) Param {
	return Param{Name: name, Real: true, Low: low, High: high, Hint: hint}
}
func (p Param) or(value any) Param {
	p.Default = value
	return p
}

// seed is a parameter of all random kinds.
var seed = wholeParam("seed", 0, math.MaxUint64, "any number; the same seed gives the same stream")

// ParamNames returns the names of the parameters.
func (k *Kind) ParamNames() []string {
	return lists.Map(k.Params, func(p Param) string { return p.Name })
}

func (k *Kind) arguments(params Params) (args []uint64, err error) {
	args, err = lists.TryMap(k.Params, func(p Param) (uint64, error) {
		value, given := params[p.Name]
		return p.argument(lists.Either(given, value, p.Default))
	})
	for name := range params {
		err = cmp.Or(err, nearest.Check("parameter", name, k.ParamNames()))
	}
	return args, err
}

// argument checks a value and converts it to the form that a node keeps.
func (p Param) argument(value any) (uint64, error) {
	if value == nil {
		return 0, fmt.Errorf("%s is missing; hint: %s", p.Name, p.Hint)
	}
	if n, ok := value.(int); ok {
		value = float64(n)
	}
	x, isReal := value.(float64)
	n, isWhole := value.(uint64)
	switch {
	case isWhole && p.Real:
		x = float64(n)
	case isReal && !p.Real:
		n, isWhole = uint64(x), x >= 0 && x <= 1<<53 && x == math.Trunc(x) // only where doubles are exact
	}
	switch {
	case p.Real && (isReal || isWhole) && x >= p.Low.(float64) && x <= p.High.(float64):
		return math.Float64bits(x), nil
	case !p.Real && isWhole && n >= p.Low.(uint64) && n <= p.High.(uint64):
		return n, nil
	}
	sort := lists.Either(p.Real, "numbers", "whole numbers")
	return 0, fmt.Errorf("%s is %v, allowed are %s from %v to %v; hint: %s", p.Name, value, sort, p.Low, p.High, p.Hint)
}

// String returns the expression for people, as results and messages quote it.
func (s Stream) String() string {
	if err := s.Err(); err != nil {
		return fmt.Sprintf("error(%q)", err.Error())
	}
	said := &s.node.said
	said.text.Do(func() { said.string = s.node.expression().String() })
	return said.string
}

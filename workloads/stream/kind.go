package stream

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

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
	for _, p := range k.Params {
		value, given := params[p.Name]
		if !given {
			value = p.Default
		}
		arg, err := p.argument(value)
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	for name := range params {
		if err := nearest.Check("parameter", name, k.ParamNames()); err != nil {
			return nil, err
		}
	}
	return args, nil
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

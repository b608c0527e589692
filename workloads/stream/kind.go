package stream

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Kind is a kind of stream: its declaration is all that text, scripts and help
// know of it.
type Kind struct {
	Name   string
	Help   string
	Inputs []string // what the streams are that it is made of
	Params []Param

	// length is how many numbers there are, or why that cannot be.
	length func(n *node) (uint64, error)
	// largest bounds the numbers at indices 0 to last.
	largest func(n *node, last uint64) uint64
	// emit writes the steps that put the number at the current index on the stack.
	emit func(c *compiler, n *node)
	// simplify may return an equal expression that is smaller.
	simplify func(n *node) (*node, error)
	// expand makes a kind that is a short way to write an expression of others. It
	// has none of the functions above, and is in no expression.
	expand func(n *node) Stream
	// bare: its text is just its argument.
	bare bool
}

// Param is a parameter of a kind.
type Param struct {
	Name string
	Real bool // a real number; otherwise a whole one
	// Low and High are the allowed range, in the parameter's own form.
	Low, High any
	// Default is its value if none is given; nil if one must be.
	Default any
	Hint    string // what a good value is
}

// kinds are declared by init functions, next to what they mean.
var (
	kinds     = map[string]*Kind{}
	kindNames []string
)

func declare(k Kind) {
	if k.length == nil {
		k.length = endless
	}
	if k.simplify == nil {
		k.simplify = func(n *node) (*node, error) { return n, nil }
	}
	kinds[k.Name] = &k
	kindNames = append(kindNames, k.Name)
	slices.Sort(kindNames)
}

// Kinds returns all kinds of streams, by name.
func Kinds() []Kind {
	list := make([]Kind, 0, len(kinds))
	for _, name := range kindNames {
		list = append(list, *kinds[name])
	}
	return list
}

func findKind(name string) (*Kind, error) {
	if k, ok := kinds[name]; ok {
		return k, nil
	}
	if name == dataKind.Name {
		return nil, errors.New("data stands for numbers that are not in a text; hint: read them again from where they came from")
	}
	return nil, nearest.Unknown("stream", name, kindNames)
}

// Parameters are whole or real numbers in a range.
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

// seed is a parameter of everything random.
var seed = wholeParam("seed", 0, math.MaxUint64, "any number; the same seed gives the same stream")

// arguments brings params into the order of the declaration.
func (k *Kind) arguments(params Params) ([]uint64, error) {
	names := make([]string, len(k.Params))
	args := make([]uint64, len(k.Params))
	for i, p := range k.Params {
		value, given := params[p.Name]
		if !given {
			value = p.Default
		}
		arg, err := p.argument(value)
		if err != nil {
			return nil, err
		}
		names[i], args[i] = p.Name, arg
	}
	for name := range params {
		if len(names) == 0 {
			return nil, fmt.Errorf("unknown parameter %q: it has none", name)
		}
		if !slices.Contains(names, name) {
			return nil, nearest.Unknown("parameter", name, names)
		}
	}
	return args, nil
}

// argument turns a value into the form that a node keeps, and checks its range.
func (p Param) argument(value any) (uint64, error) {
	if value == nil {
		return 0, fmt.Errorf("%s is missing; hint: %s", p.Name, p.Hint)
	}
	if p.Real {
		x, ok := toReal(value)
		if !ok || !(x >= p.Low.(float64) && x <= p.High.(float64)) {
			return 0, p.outOfRange(value)
		}
		return math.Float64bits(x), nil
	}
	x, ok := toWhole(value)
	if !ok || x < p.Low.(uint64) || x > p.High.(uint64) {
		return 0, p.outOfRange(value)
	}
	return x, nil
}

func (p Param) outOfRange(value any) error {
	sort := "whole numbers"
	if p.Real {
		sort = "numbers"
	}
	return fmt.Errorf("%s is %v, allowed are %s from %v to %v; hint: %s", p.Name, value, sort, p.Low, p.High, p.Hint)
}

func toReal(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case uint64:
		return float64(v), true
	}
	return 0, false
}

// toWhole takes a real number only where it is certainly the one that was meant.
func toWhole(value any) (uint64, bool) {
	switch v := value.(type) {
	case uint64:
		return v, true
	case int:
		return uint64(v), v >= 0
	case float64:
		return uint64(v), v >= 0 && v <= 1<<53 && v == math.Trunc(v)
	}
	return 0, false
}

// String is the expression as text: the name of the kind, then its streams, then
// its arguments by name. Parse reads it back.
func (s Stream) String() string {
	if err := s.Err(); err != nil {
		return fmt.Sprintf("error(%q)", err.Error())
	}
	var text strings.Builder
	s.node.write(&text)
	return text.String()
}

func (n *node) write(text *strings.Builder) {
	if n.kind.bare {
		text.WriteString(n.kind.Params[0].text(n.args[0]))
		return
	}
	if n.kind == dataKind {
		text.WriteString(n.array.name)
		return
	}
	text.WriteString(n.kind.Name + "(")
	separator := ""
	for _, in := range n.inputs {
		text.WriteString(separator)
		in.write(text)
		separator = ", "
	}
	for i, p := range n.kind.Params {
		text.WriteString(separator + p.Name + "=" + p.text(n.args[i]))
		separator = ", "
	}
	text.WriteString(")")
}

func (p Param) text(arg uint64) string {
	if p.Real {
		return strconv.FormatFloat(math.Float64frombits(arg), 'g', -1, 64)
	}
	return strconv.FormatUint(arg, 10)
}

// Package expr evaluates the expressions of a plugin's manifest: arithmetic on named
// numbers, comparisons, a choice between two values, and a few functions. A name may
// also stand for a word, which can be compared with a word in quotes.
//
//	ceil(slots / bucket)
//	bucket == 1 ? 0.9 : 0.95
//	placement == 'first' || bucket >= 8
//
// Numbers are real numbers; what is true is 1, and what is false 0.
package expr

import (
	"fmt"
	"math"
)

// Limits of an expression: no sensible one comes near them.
const (
	maxLength = 1000
	maxDepth  = 50
)

// Names gives what names stand for: a float64, or a string.
type Names map[string]any

// Expr is an expression that was read.
type Expr struct {
	text string
	root node
}

// String is the expression as it was written.
func (e *Expr) String() string { return e.text }

// node is a part of an expression.
type node interface {
	value(Names) (any, error)
}

// Number evaluates the expression, which must give a finite number.
func (e *Expr) Number(names Names) (float64, error) {
	v, err := number(e.root, names)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = fmt.Errorf("is %v, no finite number", v)
	}
	if err != nil {
		return 0, fmt.Errorf("%q %w", e.text, err)
	}
	return v, nil
}

// Whole evaluates the expression, which must give a whole number from 0 to 2^53, up to
// which numbers are exact.
func (e *Expr) Whole(names Names) (uint64, error) {
	v, err := e.Number(names)
	if err != nil {
		return 0, err
	}
	if v != math.Trunc(v) {
		return 0, fmt.Errorf("%q is %v: it takes a whole number; hint: ceil(...) or floor(...)", e.text, v)
	}
	if v < 0 || v > 1<<53 {
		return 0, fmt.Errorf("%q is %v: it takes 0 to 2^53", e.text, v)
	}
	return uint64(v), nil
}

// True evaluates the expression as a condition.
func (e *Expr) True(names Names) (bool, error) {
	v, err := e.Number(names)
	return v != 0, err
}

// number is the value of a part that must be a number.
func number(n node, names Names) (float64, error) {
	v, err := n.value(names)
	if err != nil {
		return 0, err
	}
	x, ok := v.(float64)
	if !ok {
		return 0, fmt.Errorf("has the word '%v' where a number is needed", v)
	}
	return x, nil
}

type constant struct{ of any }

func (c constant) value(Names) (any, error) { return c.of, nil }

type name string

func (n name) value(names Names) (any, error) {
	v, ok := names[string(n)]
	if !ok {
		return nil, fmt.Errorf("has the name %s, which is not known here", string(n))
	}
	return v, nil
}

type unary struct {
	op string
	of node
}

func (u unary) value(names Names) (any, error) {
	v, err := number(u.of, names)
	if u.op == "!" {
		return truth(v == 0), err
	}
	return -v, err
}

type binary struct {
	op          string
	left, right node
}

func (b binary) value(names Names) (any, error) {
	if b.op == "==" || b.op == "!=" {
		return b.compare(names)
	}
	x, err := number(b.left, names)
	if err != nil {
		return nil, err
	}
	if b.op == "&&" && x == 0 || b.op == "||" && x != 0 {
		return truth(x != 0), nil
	}
	y, err := number(b.right, names)
	if err != nil {
		return nil, err
	}
	if y == 0 && (b.op == "/" || b.op == "%") {
		return nil, fmt.Errorf("divides by 0")
	}
	return operators[b.op].of(x, y), nil
}

// compare is == or !=, of numbers or of words.
func (b binary) compare(names Names) (any, error) {
	x, err := b.left.value(names)
	if err != nil {
		return nil, err
	}
	y, err := b.right.value(names)
	if err != nil {
		return nil, err
	}
	if fmt.Sprintf("%T", x) != fmt.Sprintf("%T", y) {
		return nil, fmt.Errorf("compares %v with %v, a number with a word", x, y)
	}
	return truth((x == y) == (b.op == "==")), nil
}

type choice struct{ condition, yes, no node }

func (c choice) value(names Names) (any, error) {
	v, err := number(c.condition, names)
	if err != nil {
		return nil, err
	}
	if v != 0 {
		return c.yes.value(names)
	}
	return c.no.value(names)
}

type call struct {
	f    function
	args []node
}

func (c call) value(names Names) (any, error) {
	var args []float64
	for _, arg := range c.args {
		x, err := number(arg, names)
		if err != nil {
			return nil, err
		}
		args = append(args, x)
	}
	return c.f.of(args), nil
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

package stream

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/zeebo/xxh3"
)

// compiler writes the program of an expression. Each part leaves one number on
// the stack. The index that a part is to look at is a place of the stack, since a
// map of the index puts a new one there.
type compiler struct {
	*kernels.Assembler
	index  uint64
	place  Place
	placed map[*array]uint64
	err    error // the first of place
}

// Place copies numbers to where a program can read them and returns the address.
// Numbers of the same name are equal, and may be copied once.
type Place = func(name string, numbers []uint64) (uint64, error)

func compile(n *node, place Place) (kernels.Program, error) {
	c := &compiler{Assembler: kernels.NewAssembler(), place: place, placed: map[*array]uint64{}}
	c.number(n)
	if c.err != nil {
		return kernels.Program{}, c.err
	}
	return c.Program()
}

// array is the address of numbers of the host.
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

// number puts the number of n at the current index on the stack.
func (c *compiler) number(n *node) { n.kind.emit(c, n) }

// step puts the current index on the stack and does one step with it.
func (c *compiler) step(name string, constants ...uint64) {
	c.Step("get", c.index)
	c.Step(name, constants...)
}

// with does one step with the number on the stack and a constant.
func (c *compiler) with(name string, constant uint64) {
	c.Step("constant", constant)
	c.Step(name)
}

// at puts the number of n on the stack, not at the current index but at the one
// that the function puts there.
func (c *compiler) at(n *node, index func()) {
	index()
	outer := c.index
	c.index = c.Top()
	c.number(n)
	c.index = outer
	c.Step("keep")
}

// Derive makes a seed for a part of something that has a seed. Seeds of different
// parts are independent of each other and of the first.
func Derive(seed uint64, part string) uint64 { return xxh3.HashStringSeed(part, seed) }

// seedOf is the seed of a random step. It depends on the kind of the stream, so
// that two kinds that are given the same seed do not follow each other, and on
// which of its steps it is.
func seedOf(n *node, part string) uint64 { return Derive(n.whole("seed"), n.kind.Name+part) }

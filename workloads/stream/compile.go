package stream

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/zeebo/xxh3"
)

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

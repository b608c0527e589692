package stream

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/zeebo/xxh3"
)

// array is numbers that the host has and a program reads.
type array struct {
	numbers []uint64
	name    string // the same for the same numbers, and for no others
	label   string // where they come from, in messages
	largest uint64
	others  sync.Map // from a limit to the Stream of absent keys below it
}

func newArray(label string, numbers []uint64) *array {
	a := &array{numbers: numbers, label: label, name: nameOf(numbers)}
	if len(numbers) > 0 {
		a.largest = slices.Max(numbers)
	}
	return a
}

// nameOf is data(hash, n) with the XXH3 of the numbers as 8 bytes each, low byte
// first, in 128 bits.
func nameOf(numbers []uint64) string {
	h := xxh3.New()
	var block []byte
	for part := range slices.Chunk(numbers, 1024) {
		block = block[:0]
		for _, x := range part {
			block = binary.LittleEndian.AppendUint64(block, x)
		}
		h.Write(block)
	}
	hash := h.Sum128().Bytes()
	return fmt.Sprintf("data(%x, %d)", hash, len(numbers))
}

// dataKind is not among Kinds: no text and no parameters make it.
var dataKind = &Kind{
	Name: "data", Help: "numbers of the host",
	largest: func(n *node, _ uint64) uint64 { return n.array.largest },
	emit: func(c *compiler, n *node) {
		c.step("load", c.array(n.array), n.length)
	},
}

// Data is numbers that are there already: read from a file, or made by a script.
// They are copied to a device before a program reads them. The stream keeps the
// slice, which must not change from now on. The label says in messages where the
// numbers come from.
func Data(label string, numbers []uint64) Stream {
	return Stream{node: &node{kind: dataKind, array: newArray(label, numbers), length: uint64(len(numbers)), parts: 1}}
}

// Source is numbers of the host that a stream is made of.
type Source struct {
	Label string // as given to Data
	Text  string // as in the expression; the same for the same numbers
	Len   uint64
}

// Sources lists the Data in an expression, each once.
func (s Stream) Sources() []Source {
	if s.Err() != nil {
		return nil
	}
	var list []Source
	s.node.each(func(n *node) {
		same := func(other Source) bool { return other.Text == n.array.name }
		if n.kind == dataKind && !slices.ContainsFunc(list, same) {
			list = append(list, Source{n.array.label, n.array.name, n.length})
		}
	})
	return list
}

// each calls f for every part of an expression.
func (n *node) each(f func(*node)) {
	f(n)
	for _, in := range n.inputs {
		in.each(f)
	}
}

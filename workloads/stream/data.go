package stream

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/workloads/rows"
)

// array is host memory that a program reads.
type array struct {
	numbers []uint64
	name    string // the same for equal numbers only
	label   string // where they come from, for messages
	largest uint64
	others  sync.Map     // from a limit to the Stream of absent keys below it
	fields  []rows.Field // the columns of a file that they are of; nil if they are of none
}

func newArray(label string, numbers []uint64) *array {
	h := xxh3.New()
	var block []byte
	for part := range slices.Chunk(numbers, 1024) {
		block, _ = binary.Append(block[:0], binary.LittleEndian, part)
		h.Write(block)
	}
	a := &array{numbers: numbers, label: label, name: fmt.Sprintf("data(%x, %d)", h.Sum128().Bytes(), len(numbers))}
	if len(numbers) > 0 {
		a.largest = slices.Max(numbers)
	}
	return a
}

// dataKind is not one of Kinds: no text and no parameters make it.
var dataKind = &Kind{
	Name: "data", Help: "numbers in host memory",
	largest: func(n *node, _ uint64) uint64 { return n.array.largest },
	emit:    func(c *compiler, n *node) { c.step("load", c.array(n.array), n.length) },
}

// Data is a stream of existing numbers, which must not change any more. They are copied to the device before
// a program reads them. The label tells in messages where they come from.
func Data(label string, numbers []uint64) Stream {
	return Stream{node: &node{kind: dataKind, array: newArray(label, numbers), length: uint64(len(numbers)), parts: 1}}
}

// OfFields is Data that was read from columns of a file, or is a part of such numbers.
func OfFields(label string, numbers []uint64, fields []rows.Field) Stream {
	s := Data(label, numbers)
	s.node.array.fields = fields
	return s
}

// Fields returns the columns of files that all numbers of the stream are of; nil if some are not, or of others.
func (s Stream) Fields() []rows.Field {
	if s.Err() != nil {
		return nil
	}
	return s.node.fields()
}

func (n *node) fields() []rows.Field {
	switch {
	case n.kind == dataKind:
		return n.array.fields
	case n.is("take"), n.is("skip"), n.is("shuffle"), n.is("at"):
		return n.inputs[0].fields()
	case n.is("concat"), n.is("choose"):
		return rows.Common(n.inputs[0].fields(), n.inputs[1].fields())
	}
	return nil
}

// Source is a Data stream inside an expression.
type Source struct {
	Label string // as given to Data
	Text  string // as in the expression; equal for equal numbers
	Len   uint64
}

// Sources lists the different Data streams in an expression.
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

// Different returns how many different numbers the stream has, which must consist of Data alone.
func (s Stream) Different() (uint64, error) {
	seen := map[uint64]bool{}
	err := s.numbers(func(x uint64) { seen[x] = true })
	return uint64(len(seen)), err
}

// Once is the different numbers of a stream of Data alone, each where it comes first.
func (s Stream) Once() Stream {
	seen := map[uint64]bool{}
	var list []uint64
	err := s.numbers(func(x uint64) {
		if !seen[x] {
			seen[x], list = true, append(list, x)
		}
	})
	if err != nil {
		return Stream{err: err}
	}
	return OfFields("once", list, s.Fields())
}

// numbers calls do with all numbers, which must be those of Data.
func (s Stream) numbers(do func(uint64)) error {
	if err := s.Err(); err != nil {
		return err
	}
	return s.node.numbers(do)
}

func (n *node) numbers(do func(uint64)) error {
	switch {
	case n.kind == dataKind:
		for _, x := range n.array.numbers {
			do(x)
		}
		return nil
	case n.is("concat"):
		return cmp.Or(n.inputs[0].numbers(do), n.inputs[1].numbers(do))
	}
	return fmt.Errorf("%s is generated on the device; only the numbers of files, of gen.from and of answers are known before", n.kind.Name)
}

func (n *node) each(f func(*node)) {
	f(n)
	for _, in := range n.inputs {
		in.each(f)
	}
}

package schemes

import "fmt"

// Pair is a key width and a value width, in bytes. A value width of 0 means that a table
// holds only keys; a value of more than 8 bytes is wide (kernels/pair.h).
type Pair struct{ Key, Value int }

// The pairs of most schemes.
var (
	Pair4 = Pair{4, 4}
	Pair8 = Pair{8, 8}
)

// String returns the pair's name in kernel names and on the command line.
func (p Pair) String() string { return fmt.Sprintf("k%dv%d", p.Key, p.Value) }

// Bytes returns the size of a pair.
func (p Pair) Bytes() int { return p.Key + p.Value }

// SlotBytes returns the size of a pair in an array of pairs, with the alignment of C++.
func (p Pair) SlotBytes() uint64 {
	align := max(p.Key, min(p.Value, 8))
	return uint64((p.Bytes() + align - 1) / align * align)
}

// EmptyKey marks a slot that was never used; tables do not accept it as a key.
func (p Pair) EmptyKey() uint64 { return ^uint64(0) >> (64 - 8*p.Key) }

// ErasedKey marks a slot whose pair was erased.
func (p Pair) ErasedKey() uint64 { return p.EmptyKey() - 1 }

// SlotText is a slot as vectors show it.
func (p Pair) SlotText(key, value uint64) string {
	switch {
	case key == p.EmptyKey():
		return "."
	case key == p.ErasedKey():
		return "x"
	case p.Value == 0:
		return fmt.Sprint(key)
	}
	return fmt.Sprintf("%d=%d", key, value)
}

// NoValue is the answer of a find for an absent key.
func (p Pair) NoValue() uint64 { return ^uint64(0) >> (64 - 8*min(p.AnswerBytes(), 8)) }

// AnswerBytes returns the size of an operation's answer: a value, or a number if tables
// hold only keys.
func (p Pair) AnswerBytes() int {
	if p.Value == 0 {
		return 4
	}
	return p.Value
}

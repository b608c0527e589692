package run

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/number"
)

// Notes merges notes that differ only in numbers, with the range of each number and how often they came.
type Notes struct{ kinds []*kindOfNote }

type kindOfNote struct {
	words       []string // around the numbers
	least, most []string // of each number, as the scheme writes it
	times       uint64
}

// numbers are those that stand by themselves: bytes 12 and 0.5, not k8v8 or 0x12.
var numbers = regexp.MustCompile(`\b\d+(\.\d+)?\b`)

// Add takes a note of a batch. It returns its kind, counted from 0 in order of appearance.
func (n *Notes) Add(note string) (kind int) {
	words, values := numbers.Split(note, -1), numbers.FindAllString(note, -1)
	kind = slices.IndexFunc(n.kinds, func(k *kindOfNote) bool { return slices.Equal(k.words, words) })
	if kind < 0 {
		kind = len(n.kinds)
		n.kinds = append(n.kinds, &kindOfNote{words, slices.Clone(values), slices.Clone(values), 0})
	}
	k := n.kinds[kind]
	k.times++
	for i, v := range values {
		k.least[i] = slices.MinFunc([]string{k.least[i], v}, byNumber)
		k.most[i] = slices.MaxFunc([]string{k.most[i], v}, byNumber)
	}
	return kind
}

func byNumber(a, b string) int {
	x, _ := number.Parse(a) // too large is infinite
	y, _ := number.Parse(b)
	return cmp.Compare(x, y)
}

// Kind returns the merged note of a kind.
func (n *Notes) Kind(kind int) string { return n.kinds[kind].String() }

// Texts returns the notes, one of each kind.
func (n *Notes) Texts() []string { return lists.Map(n.kinds, (*kindOfNote).String) }

// String has a range for each number that varied.
func (k *kindOfNote) String() string {
	text := k.words[0]
	for i, word := range k.words[1:] {
		if text += k.least[i]; k.least[i] != k.most[i] {
			text += " to " + k.most[i]
		}
		text += word
	}
	if k.times == 1 {
		return text
	}
	return fmt.Sprintf("%s (%d times)", text, k.times)
}

package run

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Notes are what a scheme says of its batches. Notes that differ in numbers alone are of
// one kind and become one: a table that makes room in each of a hundred batches says so
// once, with the numbers from least to most, and how often.
type Notes struct{ kinds []*kindOfNote }

type kindOfNote struct {
	words []string // around the numbers
	least []string // of each number, as the scheme writes it
	most  []string
	times uint64
}

// numbers are those that stand by themselves: bytes 12 and 0.5, not k8v8 or 0x12.
var numbers = regexp.MustCompile(`\b\d+(\.\d+)?\b`)

// Add takes a note of a batch. It returns which kind it is of, counted from 0 in the order
// in which they came.
func (n *Notes) Add(note string) (kind int) {
	words, values := numbers.Split(note, -1), numbers.FindAllString(note, -1)
	for i, k := range n.kinds {
		if slices.Equal(k.words, words) {
			k.widen(values)
			return i
		}
	}
	n.kinds = append(n.kinds, &kindOfNote{words, append([]string(nil), values...), values, 1})
	return len(n.kinds) - 1
}

func (k *kindOfNote) widen(values []string) {
	k.times++
	for i, v := range values {
		if below(v, k.least[i]) {
			k.least[i] = v
		}
		if below(k.most[i], v) {
			k.most[i] = v
		}
	}
}

func below(a, b string) bool {
	x, _ := strconv.ParseFloat(a, 64) // what is too large is infinite, and no less
	y, _ := strconv.ParseFloat(b, 64)
	return x < y
}

// Kind is the one note that there is of a kind.
func (n *Notes) Kind(kind int) string { return n.kinds[kind].String() }

// Texts are the notes, one of each kind.
func (n *Notes) Texts() []string {
	var list []string
	for _, k := range n.kinds {
		list = append(list, k.String())
	}
	return list
}

// String has a range where a number was not always the same.
func (k *kindOfNote) String() string {
	var text strings.Builder
	for i, word := range k.words {
		text.WriteString(word)
		if i == len(k.least) {
			break
		}
		text.WriteString(k.least[i])
		if k.least[i] != k.most[i] {
			text.WriteString(" to " + k.most[i])
		}
	}
	if k.times == 1 {
		return text.String()
	}
	return fmt.Sprintf("%s (%d times)", text.String(), k.times)
}

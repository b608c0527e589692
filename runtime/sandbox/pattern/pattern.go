// Package pattern implements Lua's pattern matching (section 5.4.1 of the manual) with a
// meter: some patterns backtrack practically forever (a-a-a-a-b on many a's), and the
// interpreter's own matcher cannot be stopped.
package pattern

import (
	"fmt"
	"slices"
	"strings"
)

const (
	maxCaptures = 32
	maxDepth    = 200 // repeated items
)

// Match is the place where a pattern was found, followed by its captures.
type Match []Capture

// Capture is a part of the subject, or a position if it was written as ().
type Capture struct {
	Start, End int
	Position   bool
}

// Finder searches for one pattern in one subject.
type Finder struct {
	Anchored bool // the pattern matches only at the start of a search

	subject  string
	items    []item
	captures Match // patterns have no alternatives, so every match sets all of them
	meter    func(steps int)
	depth    int
	err      error
}

// New returns a finder. It reports its steps to the meter, which may panic to stop the search.
func New(subject, pattern string, meter func(steps int)) *Finder {
	meter(len(pattern))
	text, anchored := strings.CutPrefix(pattern, "^")
	p, err := parse(text)
	if err != nil {
		err = fmt.Errorf("pattern %q: %w", pattern, err)
	}
	return &Finder{Anchored: anchored, subject: subject, items: p.items, captures: make(Match, 1+p.captures), meter: meter, err: err}
}

// Find returns the first match that starts at index from or later, or nil.
func (f *Finder) Find(from int) (Match, error) {
	for at := from; at <= len(f.subject) && f.err == nil; at++ {
		if end := f.match(at, 0); end >= 0 {
			f.captures[0] = Capture{Start: at, End: end}
			return slices.Clone(f.captures), nil
		}
		if f.Anchored {
			break
		}
	}
	return nil, f.err
}

// match matches the items from i on against the subject from s on. It returns the end of the match, or -1.
func (f *Finder) match(s, i int) int {
	f.depth++
	defer func() { f.depth-- }()
	if f.depth > maxDepth && f.err == nil {
		f.err = fmt.Errorf("the pattern is too complex: more than %d repeated items", maxDepth)
	}
	for ; i < len(f.items) && s >= 0 && f.err == nil; i++ {
		f.meter(1)
		switch item := &f.items[i]; item.kind {
		case single:
			s = f.one(s, item)
		case '*', '?':
			return f.repeated(s, i)
		case '-':
			return f.shortest(s, i)
		case '(':
			f.captures[item.capture] = Capture{s, s, true} // ) turns it into text
		case ')':
			f.captures[item.capture].End, f.captures[item.capture].Position = s, false
		case '1':
			s = f.again(s, f.captures[item.capture])
		case 'b':
			s = f.balanced(s, item)
		case 'f':
			s = f.frontier(s, item)
		case '$':
			if s < len(f.subject) {
				return -1
			}
		}
	}
	if f.err != nil {
		return -1
	}
	return s
}

// one returns the index after a character of the item, or -1.
func (f *Finder) one(s int, item *item) int {
	f.meter(1)
	if s < len(f.subject) && item.set.has(f.subject[s]) {
		return s + 1
	}
	return -1
}

// repeated matches an item as often as possible, then the rest.
func (f *Finder) repeated(s, i int) int {
	item, least, end := &f.items[i], s, -1
	for f.one(s, item) >= 0 && (item.kind == '*' || s == least) {
		s++
	}
	for ; s >= least && end < 0; s-- {
		end = f.match(s, i+1)
	}
	return end
}

// shortest matches an item as rarely as possible, then the rest.
func (f *Finder) shortest(s, i int) int {
	for ; s >= 0; s = f.one(s, &f.items[i]) {
		if end := f.match(s, i+1); end >= 0 {
			return end
		}
	}
	return -1
}

func (f *Finder) again(s int, c Capture) int {
	text := f.subject[c.Start:c.End]
	f.meter(len(text))
	if c.Position || !strings.HasPrefix(f.subject[s:], text) {
		return -1
	}
	return s + len(text)
}

// balanced matches %bxy: from an x to its y.
func (f *Finder) balanced(s int, item *item) int {
	if s >= len(f.subject) || f.subject[s] != item.open {
		return -1
	}
	for at, depth := s+1, 1; at < len(f.subject); at++ {
		f.meter(1)
		switch f.subject[at] {
		case item.close:
			depth--
		case item.open:
			depth++
		}
		if depth == 0 {
			return at + 1
		}
	}
	return -1
}

// frontier matches %f[set]: the empty string between a character outside the set and one
// inside. The ends of the subject count as the character 0.
func (f *Finder) frontier(s int, item *item) int {
	padded := func(at int) byte {
		if at < 0 || at >= len(f.subject) {
			return 0
		}
		return f.subject[at]
	}
	if item.set.has(padded(s-1)) || !item.set.has(padded(s)) {
		return -1
	}
	return s
}

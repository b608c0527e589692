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
	maxDepth    = 200 // of items that match in more than one way
	meterEvery  = 256
)

// Match is the place where a pattern was found.
type Match struct {
	Start, End int
	Captures   []Capture
}

// Capture is a captured part of a match, or a position if it was written as ().
type Capture struct {
	Start, End int // End is -1 while the capture is open
	Position   bool
}

// Whole returns the match itself as a capture.
func (m Match) Whole() Capture { return Capture{m.Start, m.End, false} }

// Finder searches for one pattern in one subject.
type Finder struct {
	subject, pattern string
	meter            func(steps int)
	steps            int

	sets     map[int]set // by the place of their [
	captures []Capture
	depth    int
}

// New returns a finder. It reports its steps to the meter, which may panic to stop the
// search.
func New(subject, pattern string, meter func(steps int)) *Finder {
	return &Finder{subject: subject, pattern: pattern, meter: meter, sets: map[int]set{}}
}

// malformed is a mistake in a pattern. It is a panic inside this package only.
type malformed struct{ error }

func fail(text string, args ...any) { panic(malformed{fmt.Errorf(text, args...)}) }

// Find returns the first match that starts at index from or later.
func (f *Finder) Find(from int) (m Match, ok bool, err error) {
	defer func() {
		f.meter(f.steps)
		f.steps = 0
		switch r := recover().(type) {
		case nil:
		case malformed:
			err = fmt.Errorf("pattern %q: %w", f.pattern, r.error)
		default:
			panic(r)
		}
	}()
	start := 0
	if f.Anchored() {
		start = 1
	}
	for at := from; at <= len(f.subject); at++ {
		f.captures, f.depth = f.captures[:0], 0
		if end := f.match(at, start); end >= 0 {
			return f.found(at, end), true, nil
		}
		if f.Anchored() {
			break
		}
	}
	return Match{}, false, nil
}

// Anchored reports whether the pattern matches only at the start of a search.
func (f *Finder) Anchored() bool { return strings.HasPrefix(f.pattern, "^") }

func (f *Finder) found(start, end int) Match {
	if slices.ContainsFunc(f.captures, Capture.open) {
		fail("unfinished capture")
	}
	return Match{start, end, slices.Clone(f.captures)}
}

func (c Capture) open() bool { return c.End < 0 }

func (f *Finder) step() {
	if f.steps++; f.steps == meterEvery {
		f.steps = 0
		f.meter(meterEvery)
	}
}

// match matches the pattern from p on against the subject from s on. It returns the end
// of the match, or -1.
func (f *Finder) match(s, p int) int {
	if f.depth++; f.depth > maxDepth {
		fail("too complex: more than %d items that match in several ways", maxDepth)
	}
	defer func() { f.depth-- }()
	for p < len(f.pattern) {
		f.step()
		switch c := f.pattern[p]; {
		case c == '(':
			return f.startCapture(s, p+1)
		case c == ')':
			return f.endCapture(s, p+1)
		case c == '$' && p+1 == len(f.pattern):
			if s == len(f.subject) {
				return s
			}
			return -1
		case c == '%' && p+1 < len(f.pattern) && isSpecial(f.pattern[p+1]):
			if s, p = f.special(s, p+1); s < 0 {
				return -1
			}
			continue
		}
		next := f.itemEnd(p)
		if next < len(f.pattern) && strings.IndexByte("*+-?", f.pattern[next]) >= 0 {
			return f.repeated(s, p, next)
		}
		if !f.matches(s, p) {
			return -1
		}
		s, p = s+1, next
	}
	return s
}

// repeated matches an item as often as the sign at next says, then the rest.
func (f *Finder) repeated(s, p, next int) int {
	switch f.pattern[next] {
	case '*':
		return f.longest(s, p, next)
	case '-':
		return f.shortest(s, p, next)
	case '+':
		if f.matches(s, p) {
			return f.longest(s+1, p, next)
		}
		return -1
	}
	if f.matches(s, p) {
		if end := f.match(s+1, next+1); end >= 0 {
			return end
		}
	}
	return f.match(s, next+1)
}

// longest matches an item as often as possible, then the rest.
func (f *Finder) longest(s, p, next int) int {
	times := 0
	for f.matches(s+times, p) {
		times++
	}
	for ; times >= 0; times-- {
		if end := f.match(s+times, next+1); end >= 0 {
			return end
		}
	}
	return -1
}

// shortest matches an item as few times as possible, then the rest.
func (f *Finder) shortest(s, p, next int) int {
	for {
		if end := f.match(s, next+1); end >= 0 {
			return end
		}
		if !f.matches(s, p) {
			return -1
		}
		s++
	}
}

func (f *Finder) startCapture(s, p int) int {
	if len(f.captures) == maxCaptures {
		fail("more than %d captures", maxCaptures)
	}
	capture := Capture{Start: s, End: -1}
	if p < len(f.pattern) && f.pattern[p] == ')' {
		capture, p = Capture{s, s, true}, p+1
	}
	f.captures = append(f.captures, capture)
	end := f.match(s, p)
	if end < 0 {
		f.captures = f.captures[:len(f.captures)-1]
	}
	return end
}

func (f *Finder) endCapture(s, p int) int {
	last := len(f.captures) - 1
	for last >= 0 && !f.captures[last].open() {
		last--
	}
	if last < 0 {
		fail("a ) without its (")
	}
	f.captures[last].End = s
	end := f.match(s, p)
	if end < 0 {
		f.captures[last].End = -1
	}
	return end
}

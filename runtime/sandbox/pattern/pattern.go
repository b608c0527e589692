// Package pattern is Lua's pattern matching, as section 5.4.1 of its manual has it,
// with a meter: some patterns take time without end (a-a-a-a-b over many a's), and
// the matcher that comes with the interpreter cannot be stopped.
package pattern

import (
	"errors"
	"fmt"
	"strings"
)

const (
	maxCaptures = 32
	maxDepth    = 200 // of items that match in more than one way
	meterEvery  = 256
)

// Match is where a pattern was found.
type Match struct {
	Start, End int
	Captures   []Capture
}

// Capture is a part of a match, or a position if it was written as ().
type Capture struct {
	Start, End int
	Position   bool
}

// Whole is the match itself, as a capture.
func (m Match) Whole() Capture { return Capture{m.Start, m.End, false} }

// Finder looks for one pattern in one subject.
type Finder struct {
	subject, pattern string
	meter            func(steps int)
	steps            int

	captures []Capture
	open     []bool // captures that are not closed yet
	depth    int
}

// New makes a finder. The meter is told about every few steps; it may panic to
// stop the search.
func New(subject, pattern string, meter func(steps int)) *Finder {
	return &Finder{subject: subject, pattern: pattern, meter: meter}
}

// malformed is a mistake in a pattern; it travels as a panic inside of this package.
type malformed struct{ error }

func fail(text string, args ...any) { panic(malformed{fmt.Errorf(text, args...)}) }

// Find returns the first match that starts at the index from or behind it.
func (f *Finder) Find(from int) (m Match, ok bool, err error) {
	defer func() {
		f.meter(f.steps)
		f.steps = 0
		if bad := new(malformed); recoverInto(bad, recover()) {
			err = fmt.Errorf("pattern %q: %w", f.pattern, bad.error)
		}
	}()
	start, anchored := 0, f.Anchored()
	if anchored {
		start = 1
	}
	for at := from; at <= len(f.subject); at++ {
		f.captures, f.open, f.depth = f.captures[:0], f.open[:0], 0
		if end := f.match(at, start); end >= 0 {
			return f.found(at, end), true, nil
		}
		if anchored {
			break
		}
	}
	return Match{}, false, nil
}

// recoverInto takes what was recovered if it is a mistake in the pattern. Anything
// else goes on.
func recoverInto(bad *malformed, recovered any) bool {
	if recovered == nil {
		return false
	}
	mistake, ok := recovered.(malformed)
	if !ok {
		panic(recovered)
	}
	*bad = mistake
	return true
}

// Anchored says whether the pattern matches only where a search starts.
func (f *Finder) Anchored() bool { return len(f.pattern) > 0 && f.pattern[0] == '^' }

func (f *Finder) found(start, end int) Match {
	m := Match{Start: start, End: end}
	for i, capture := range f.captures {
		if f.open[i] {
			fail("unfinished capture")
		}
		m.Captures = append(m.Captures, capture)
	}
	return m
}

func (f *Finder) step() {
	if f.steps++; f.steps == meterEvery {
		f.steps = 0
		f.meter(meterEvery)
	}
}

// match returns where a match of the pattern from p on ends that starts at s, or -1.
func (f *Finder) match(s, p int) int {
	if f.depth++; f.depth > maxDepth {
		fail("too complex: more than %d items that match in several ways", maxDepth)
	}
	defer func() { f.depth-- }()
	for p < len(f.pattern) {
		f.step()
		if end, ok := f.mark(s, p); ok {
			return end
		}
		if f.pattern[p] == '%' && p+1 < len(f.pattern) && isSpecial(f.pattern[p+1]) {
			if s, p = f.special(s, p+1); s < 0 {
				return -1
			}
			continue
		}
		next := f.itemEnd(p)
		if next < len(f.pattern) && strings.IndexByte("*+-?", f.pattern[next]) >= 0 {
			return f.repeated(s, p, next)
		}
		if !f.matches(s, p, next) {
			return -1
		}
		s, p = s+1, next
	}
	return s
}

// mark matches from a bracket of a capture on, or the end of the subject, if there is
// one at p.
func (f *Finder) mark(s, p int) (end int, ok bool) {
	switch c := f.pattern[p]; {
	case c == '(':
		return f.startCapture(s, p+1), true
	case c == ')':
		return f.endCapture(s, p+1), true
	case c == '$' && p+1 == len(f.pattern):
		if s == len(f.subject) {
			return s, true
		}
		return -1, true
	}
	return 0, false
}

// repeated matches an item as often as the sign at next says, then the rest.
func (f *Finder) repeated(s, p, next int) int {
	switch f.pattern[next] {
	case '*':
		return f.longest(s, p, next)
	case '-':
		return f.shortest(s, p, next)
	case '+':
		if f.matches(s, p, next) {
			return f.longest(s+1, p, next)
		}
		return -1
	}
	if f.matches(s, p, next) {
		if end := f.match(s+1, next+1); end >= 0 {
			return end
		}
	}
	return f.match(s, next+1)
}

// longest matches an item as often as possible, then the rest.
func (f *Finder) longest(s, p, next int) int {
	times := 0
	for f.matches(s+times, p, next) {
		times++
	}
	for ; times >= 0; times-- {
		if end := f.match(s+times, next+1); end >= 0 {
			return end
		}
	}
	return -1
}

// shortest matches an item as seldom as possible, then the rest.
func (f *Finder) shortest(s, p, next int) int {
	for {
		if end := f.match(s, next+1); end >= 0 {
			return end
		}
		if !f.matches(s, p, next) {
			return -1
		}
		s++
	}
}

func (f *Finder) startCapture(s, p int) int {
	if len(f.captures) == maxCaptures {
		fail("more than %d captures", maxCaptures)
	}
	capture, open := Capture{Start: s, End: s}, true
	if p < len(f.pattern) && f.pattern[p] == ')' {
		capture.Position, open = true, false
		p++
	}
	f.captures, f.open = append(f.captures, capture), append(f.open, open)
	end := f.match(s, p)
	if end < 0 {
		f.captures, f.open = f.captures[:len(f.captures)-1], f.open[:len(f.open)-1]
	}
	return end
}

func (f *Finder) endCapture(s, p int) int {
	last := len(f.open) - 1
	for last >= 0 && !f.open[last] {
		last--
	}
	if last < 0 {
		fail("a ) without its (")
	}
	f.captures[last].End, f.open[last] = s, false
	end := f.match(s, p)
	if end < 0 {
		f.open[last] = true
	}
	return end
}

var errEnds = errors.New("ends with %")

// itemEnd is where a single-character item ends that starts at p.
func (f *Finder) itemEnd(p int) int {
	switch f.pattern[p] {
	case '%':
		if p+1 == len(f.pattern) {
			panic(malformed{errEnds})
		}
		return p + 2
	case '[':
		return f.setEnd(p)
	}
	return p + 1
}

// setEnd is where a set ends; a ] right after the [ or [^ is a member.
func (f *Finder) setEnd(p int) int {
	at := p + 1
	if at < len(f.pattern) && f.pattern[at] == '^' {
		at++
	}
	for first := true; at < len(f.pattern); first = false {
		switch {
		case f.pattern[at] == ']' && !first:
			return at + 1
		case f.pattern[at] == '%':
			at++
		}
		at++
	}
	fail("a [ without its ]")
	return 0
}

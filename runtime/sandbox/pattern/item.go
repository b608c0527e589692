package pattern

import "strings"

// The items of a pattern: characters, classes, sets, and the special items %b, %f and
// references to captures.

// matches reports whether the character at s matches the item at p.
func (f *Finder) matches(s, p int) bool {
	f.step()
	if s >= len(f.subject) {
		return false
	}
	c := f.subject[s]
	switch f.pattern[p] {
	case '.':
		return true
	case '%':
		return ofClass(c, f.pattern[p+1])
	case '[':
		return f.set(p).has[c]
	}
	return f.pattern[p] == c
}

// itemEnd returns the end of the single-character item at p.
func (f *Finder) itemEnd(p int) int {
	switch f.pattern[p] {
	case '%':
		if p+1 == len(f.pattern) {
			fail("ends with %%")
		}
		return p + 2
	case '[':
		return f.set(p).end
	}
	return p + 1
}

// set is a set of characters, such as [a-z_] or [^%s].
type set struct {
	has *[256]bool
	end int // where the pattern goes on
}

// set reads the set at p, once.
func (f *Finder) set(p int) set {
	if known, ok := f.sets[p]; ok {
		return known
	}
	has, at, member := new([256]bool), p+1, true
	if strings.HasPrefix(f.pattern[at:], "^") {
		at, member = at+1, false
	}
	end := f.setEnd(at)
	for at < end {
		f.step()
		at = addMember(has, f.pattern[:end], at)
	}
	for c := range has {
		has[c] = has[c] == member
	}
	f.sets[p] = set{has, end + 1}
	return f.sets[p]
}

// setEnd returns the place of the ] that ends a set. A ] that comes first is a member.
func (f *Finder) setEnd(first int) int {
	for at := first; at < len(f.pattern); at++ {
		switch {
		case f.pattern[at] == ']' && at > first:
			return at
		case f.pattern[at] == '%':
			at++
		}
	}
	fail("a [ without its ]")
	return 0
}

// addMember adds the class, range or character at the index to a set and returns its end.
func addMember(has *[256]bool, pattern string, at int) (end int) {
	switch {
	case pattern[at] == '%':
		for c := range has {
			has[c] = has[c] || ofClass(byte(c), pattern[at+1])
		}
		return at + 2
	case at+2 < len(pattern) && pattern[at+1] == '-':
		for c := int(pattern[at]); c <= int(pattern[at+2]); c++ {
			has[c] = true
		}
		return at + 3
	}
	has[pattern[at]] = true
	return at + 1
}

// classes gives the meaning of a lowercase letter after %.
var classes = map[byte]func(byte) bool{
	'a': isLetter,
	'c': func(c byte) bool { return c < 0x20 || c == 0x7f },
	'd': isDigit,
	'g': func(c byte) bool { return c > 0x20 && c < 0x7f },
	'l': func(c byte) bool { return c >= 'a' && c <= 'z' },
	'p': func(c byte) bool { return c > 0x20 && c < 0x7f && !isLetter(c) && !isDigit(c) },
	's': func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' },
	'u': func(c byte) bool { return c >= 'A' && c <= 'Z' },
	'w': func(c byte) bool { return isLetter(c) || isDigit(c) },
	'x': func(c byte) bool { return isDigit(c) || strings.IndexByte("abcdefABCDEF", c) >= 0 },
	'z': func(c byte) bool { return c == 0 },
}

// ofClass reports whether a character matches % and a class: a lowercase letter is a
// class, an uppercase letter its complement, anything else stands for itself.
func ofClass(c, class byte) bool {
	is, known := classes[class|0x20]
	if !known || !isLetter(class) {
		return c == class
	}
	return is(c) == (class >= 'a')
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func isSpecial(c byte) bool { return c == 'b' || c == 'f' || isDigit(c) }

// special matches the special item whose letter is at p. It returns the ends of the match
// and of the item; the end of the match is -1 if it does not match.
func (f *Finder) special(s, p int) (int, int) {
	switch c := f.pattern[p]; c {
	case 'b':
		return f.balanced(s, p+1), p + 3
	case 'f':
		return f.frontier(s, p+1)
	default:
		return f.again(s, int(c)-'1'), p + 1
	}
}

// balanced matches %bxy: from an x to its y.
func (f *Finder) balanced(s, p int) int {
	if p+1 >= len(f.pattern) {
		fail("%%b takes two characters, as in %%b()")
	}
	opens, closes := f.pattern[p], f.pattern[p+1]
	if s >= len(f.subject) || f.subject[s] != opens {
		return -1
	}
	depth := 1
	for at := s + 1; at < len(f.subject); at++ {
		f.step()
		switch f.subject[at] {
		case closes:
			if depth--; depth == 0 {
				return at + 1
			}
		case opens:
			depth++
		}
	}
	return -1
}

// frontier matches %f[set]: the empty string between a character outside the set and one
// inside. The ends of the subject count as the character 0.
func (f *Finder) frontier(s, p int) (int, int) {
	if p >= len(f.pattern) || f.pattern[p] != '[' {
		fail("%%f takes a set, as in %%f[%%w]")
	}
	set := f.set(p)
	inside := func(i int) bool {
		if i < 0 || i >= len(f.subject) {
			return set.has[0]
		}
		return set.has[f.subject[i]]
	}
	if inside(s-1) || !inside(s) {
		return -1, set.end
	}
	return s, set.end
}

// again matches the text of an earlier capture.
func (f *Finder) again(s, capture int) int {
	if capture < 0 || capture >= len(f.captures) || f.captures[capture].open() || f.captures[capture].Position {
		fail("%%%d refers to a capture that is not complete here", capture+1)
	}
	text := f.subject[f.captures[capture].Start:f.captures[capture].End]
	for range len(text) {
		f.step()
	}
	if !strings.HasPrefix(f.subject[s:], text) {
		return -1
	}
	return s + len(text)
}

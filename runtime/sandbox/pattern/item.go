package pattern

import "strings"

// The items of a pattern: characters, classes, sets, and those that are written
// with a % and are no class: %b, %f and references to captures.

// matches says whether the character at s is of the item from p to next.
func (f *Finder) matches(s, p, next int) bool {
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
		return f.inSet(c, p, next-1)
	}
	return f.pattern[p] == c
}

// inSet looks a character up in the set from p to last, the places of [ and ].
func (f *Finder) inSet(c byte, p, last int) bool {
	at, member := p+1, true
	if f.pattern[at] == '^' {
		at, member = at+1, false
	}
	for at < last {
		f.step()
		switch {
		case f.pattern[at] == '%':
			if ofClass(c, f.pattern[at+1]) {
				return member
			}
			at += 2
		case at+2 < last && f.pattern[at+1] == '-':
			if f.pattern[at] <= c && c <= f.pattern[at+2] {
				return member
			}
			at += 3
		default:
			if f.pattern[at] == c {
				return member
			}
			at++
		}
	}
	return !member
}

// classes are what a small letter after % means.
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

// ofClass says whether a character is what stands after a %: of the class of a
// letter, of none of a capital one's, or the character itself.
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

// special matches an item whose letter is at p. It returns where the match and the
// item end; the match ends at -1 if there is none.
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

// balanced matches %bxy: from an x to the y that belongs to it.
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

// frontier matches %f[set] between a character outside of the set and one inside;
// the ends of the subject are like the character 0.
func (f *Finder) frontier(s, p int) (int, int) {
	if p >= len(f.pattern) || f.pattern[p] != '[' {
		fail("%%f takes a set, as in %%f[%%w]")
	}
	end := f.setEnd(p)
	at := func(i int) byte {
		if i < 0 || i >= len(f.subject) {
			return 0
		}
		return f.subject[i]
	}
	if f.inSet(at(s-1), p, end-1) || !f.inSet(at(s), p, end-1) {
		return -1, end
	}
	return s, end
}

// again matches what a capture has matched.
func (f *Finder) again(s, capture int) int {
	if capture < 0 || capture >= len(f.captures) || f.open[capture] || f.captures[capture].Position {
		fail("%%%d is no capture that is complete here", capture+1)
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

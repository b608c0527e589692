package pattern

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// single is the kind of an item that is one character of a set.
const single = 0

// item is a part of a pattern. Its kind is single; * - or ? for repeated characters of the
// set; ( or ) for the ends of a capture; 1 for the text of a capture; b for %bxy; f for
// %f[set]; $ for the end of the subject.
type item struct {
	kind        byte
	set         set
	capture     int
	open, close byte
}

// parser reads a pattern.
type parser struct {
	rest     string
	items    []item
	captures int
	open     []int // captures whose ) is missing
}

func parse(pattern string) (p parser, err error) {
	p.rest = pattern
	for p.rest != "" && err == nil {
		var next item
		if next, err = p.item(p.next()); next.kind == '+' {
			p.items = append(p.items, item{kind: single, set: next.set})
			next.kind = '*'
		}
		p.items = append(p.items, next)
	}
	if err == nil && len(p.open) > 0 {
		err = errors.New("unfinished capture")
	}
	return p, err
}

func (p *parser) next() byte {
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c
}

func (p *parser) item(c byte) (i item, err error) {
	switch {
	case c == '(':
		return p.startCapture()
	case c == ')':
		return p.endCapture()
	case c == '$' && p.rest == "":
		return item{kind: '$'}, nil
	case c == '%' && p.rest == "":
		return i, errors.New("ends with %")
	case c == '%' && strings.IndexByte("bf0123456789", p.rest[0]) >= 0:
		return p.special(p.next())
	case c == '%':
		i.set = class(p.next())
	case c == '[':
		i.set, err = p.set()
	case c == '.':
		i.set.add(0, 255)
	default:
		i.set.add(c, c)
	}
	if p.rest != "" && strings.IndexByte("*+-?", p.rest[0]) >= 0 {
		i.kind = p.next()
	}
	return i, err
}

func (p *parser) startCapture() (item, error) {
	if p.captures++; p.captures > maxCaptures {
		return item{}, fmt.Errorf("more than %d captures", maxCaptures)
	}
	var position bool
	if p.rest, position = strings.CutPrefix(p.rest, ")"); !position {
		p.open = append(p.open, p.captures)
	}
	return item{kind: '(', capture: p.captures}, nil
}

func (p *parser) endCapture() (item, error) {
	last := len(p.open) - 1
	if last < 0 {
		return item{}, errors.New("a ) without its (")
	}
	capture := p.open[last]
	p.open = p.open[:last]
	return item{kind: ')', capture: capture}, nil
}

// special reads %b, %f and %1 to %9.
func (p *parser) special(letter byte) (item, error) {
	switch capture := int(letter) - '0'; {
	case letter == 'b' && len(p.rest) < 2:
		return item{}, errors.New("%b takes two characters, as in %b()")
	case letter == 'b':
		return item{kind: 'b', open: p.next(), close: p.next()}, nil
	case letter == 'f' && !strings.HasPrefix(p.rest, "["):
		return item{}, errors.New("%f takes a set, as in %f[%w]")
	case letter == 'f':
		p.next()
		set, err := p.set()
		return item{kind: 'f', set: set}, err
	case capture == 0 || capture > p.captures || slices.Contains(p.open, capture):
		return item{}, fmt.Errorf("%%%d refers to a capture that is not complete here", capture)
	default:
		return item{kind: '1', capture: capture}, nil
	}
}

func (p *parser) set() (s set, err error) {
	rest, inverted := strings.CutPrefix(p.rest, "^")
	end := setEnd(rest)
	if end < 0 {
		return s, errors.New("a [ without its ]")
	}
	members := parser{rest: rest[:end]}
	p.rest = rest[end+1:]
	for members.rest != "" {
		switch first := members.next(); {
		case first == '%':
			s.union(class(members.next()))
		case len(members.rest) > 1 && members.rest[0] == '-':
			members.next()
			s.add(first, members.next())
		default:
			s.add(first, first)
		}
	}
	if inverted {
		s.invert()
	}
	return s, nil
}

// setEnd returns the index of the ] that ends a set, or -1. A ] that comes first is a member.
func setEnd(text string) int {
	for at := 0; at < len(text); at++ {
		switch {
		case text[at] == ']' && at > 0:
			return at
		case text[at] == '%':
			at++
		}
	}
	return -1
}

// set is a set of characters, one bit each.
type set [4]uint64

func (s *set) has(c byte) bool { return s[c/64]>>(c%64)&1 == 1 }
func (s *set) invert()         { *s = set{^s[0], ^s[1], ^s[2], ^s[3]} }

func (s *set) add(first, last byte) {
	for c := int(first); c <= int(last); c++ {
		s[c/64] |= 1 << (c % 64)
	}
}

func (s *set) union(other set) {
	for i := range s {
		s[i] |= other[i]
	}
}

// classes are the ranges that a lowercase letter after % stands for.
var classes = map[byte]string{
	'a': "azAZ", 'c': "\x00\x1f\x7f\x7f", 'd': "09", 'g': "!~", 'l': "az", 'p': "!/:@[`{~",
	's': "  \t\r", 'u': "AZ", 'w': "azAZ09", 'x': "09afAF", 'z': "\x00\x00",
}

// class returns the meaning of a character after %: a lowercase letter is a class, an
// uppercase letter its complement, anything else stands for itself.
func class(name byte) (s set) {
	ranges, known := classes[name|0x20]
	if !known {
		s.add(name, name)
	}
	for ; ranges != ""; ranges = ranges[2:] {
		s.add(ranges[0], ranges[1])
	}
	if known && name < 'a' {
		s.invert()
	}
	return s
}

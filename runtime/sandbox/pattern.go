package sandbox

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

// A pattern becomes a regular expression of Go, whose time is linear in the subject: the interpreter's own matcher
// backtracks practically forever (a-a-a-a-b on many a's) and cannot be stopped. Regular expressions lack %b, %f and %1.

const (
	maxPattern  = 1000 // bytes; a step of a search takes time in proportion
	maxPatterns = 64   // that are kept compiled
	maxCaptures = 32
)

// pattern is a compiled pattern.
type pattern struct {
	*regexp.Regexp
	anchored  bool   // it matches only where a search starts
	positions []bool // captures written as (), which give where they are
	read      func() // is called for each byte that a search reads
}

// subject is text to search, one rune per byte.
type subject struct {
	rest string
	read func()
}

func (s *subject) ReadRune() (r rune, size int, err error) {
	if s.read(); s.rest == "" {
		return 0, 0, io.EOF
	}
	r, s.rest = rune(s.rest[0]), s.rest[1:]
	return r, 1, nil
}

// search finds a pattern in a text from an index on. It returns the ends of the match and of each capture, or nil.
func (p *pattern) search(text string, from int) []int {
	if from > len(text) {
		return nil
	}
	ends := p.FindReaderSubmatchIndex(&subject{text[from:], p.read})
	for i := range ends {
		ends[i] += from
	}
	return ends
}

// captures returns the captures of a match, or else the whole match.
func (p *pattern) captures(text string, ends []int) (values []glua.LValue) {
	if len(p.positions) == 0 {
		return []glua.LValue{glua.LString(text[ends[0]:ends[1]])}
	}
	for i, position := range p.positions {
		start, end := ends[2+2*i], ends[3+2*i]
		if position {
			values = append(values, glua.LNumber(start+1))
		} else {
			values = append(values, glua.LString(text[start:end]))
		}
	}
	return values
}

// pattern returns a compiled pattern.
func (box *Box) pattern(text string) (*pattern, error) {
	if known := box.patterns[text]; known != nil {
		return known, nil
	}
	box.Charge(len(text))
	p, err := compilePattern(text)
	if err != nil {
		return nil, fmt.Errorf("pattern %s: %w", Describe(glua.LString(text)), err)
	}
	p.read = func() { box.Charge(1 + len(text)/8) }
	if len(box.patterns) == maxPatterns {
		clear(box.patterns)
	}
	box.patterns[text] = p
	return p, nil
}

func compilePattern(text string) (_ *pattern, err error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("it has %d bytes, at most %d; hint: find(text, 1, true) looks for plain text", len(text), maxPattern)
	}
	t := translator{}
	t.rest, t.anchored = strings.CutPrefix(text, "^")
	if t.anchored {
		t.out.WriteString(`\A`)
	}
	for t.rest != "" {
		if err = t.item(); err != nil {
			return nil, err
		}
	}
	switch {
	case t.open > 0:
		return nil, errors.New("unfinished capture")
	case len(t.positions) > maxCaptures:
		return nil, fmt.Errorf("more than %d captures", maxCaptures)
	}
	t.Regexp, err = regexp.Compile(t.out.String())
	return &t.pattern, err
}

// translator writes a pattern as a regular expression.
type translator struct {
	pattern
	rest string // of the pattern
	open int    // captures whose ) is missing
	out  strings.Builder
}

func (t *translator) next() byte {
	c := t.rest[0]
	t.rest = t.rest[1:]
	return c
}

func (t *translator) item() (err error) {
	set := ""
	switch c := t.next(); {
	case c == '(':
		t.open++
		t.positions = append(t.positions, strings.HasPrefix(t.rest, ")"))
		t.out.WriteByte('(')
		return nil
	case c == ')' && t.open == 0:
		return errors.New("a ) without its (")
	case c == ')':
		t.open--
		t.out.WriteByte(')')
		return nil
	case c == '$' && t.rest == "":
		t.out.WriteString(`\z`)
		return nil
	case c == '[':
		set, err = t.set()
	case c == '.':
		set = `\x00-\xff`
	case c == '%' && t.rest != "" && strings.IndexByte("bf0123456789", t.rest[0]) >= 0:
		err = fmt.Errorf("%%%c is not supported", t.rest[0])
	default:
		set, err = t.member(c)
	}
	t.out.WriteString("[" + set + "]" + t.repetition())
	return err
}

func (t *translator) repetition() string {
	if t.rest == "" || strings.IndexByte("*+-?", t.rest[0]) < 0 {
		return ""
	}
	if c := t.next(); c != '-' {
		return string(c)
	}
	return "*?" // as few as possible
}

// set translates a set up to its ]. A ] that comes first is a member.
func (t *translator) set() (string, error) {
	var out strings.Builder
	if t.rest != "" && t.rest[0] == '^' {
		out.WriteByte(t.next())
	}
	for first := true; t.rest != ""; first = false {
		c := t.next()
		if c == ']' && !first {
			return out.String(), nil
		}
		member, err := t.member(c)
		if err != nil {
			return "", err
		}
		if c != '%' && len(t.rest) > 1 && t.rest[0] == '-' && t.rest[1] != ']' && t.rest[1] != '%' {
			t.next()
			last := t.next()
			if last < c {
				return "", fmt.Errorf("the range %c-%c is reversed", c, last)
			}
			member += "-" + literal(last)
		}
		out.WriteString(member)
	}
	return "", errors.New("a [ without its ]")
}

// classes are the names of what a lowercase letter after % stands for; the uppercase letter is its complement.
var classes = map[byte]string{
	'a': "alpha", 'c': "cntrl", 'd': "digit", 'g': "graph", 'l': "lower", 'p': "punct", 's': "space", 'u': "upper", 'w': "alnum",
	'x': "xdigit",
}

// member translates a character, which may be % and a class.
func (t *translator) member(c byte) (string, error) {
	if c != '%' {
		return literal(c), nil
	}
	if t.rest == "" {
		return "", errors.New("ends with %")
	}
	c = t.next()
	name, known := classes[c|0x20]
	switch {
	case c == 'z' || c == 'Z':
		return map[byte]string{'z': `\x00`, 'Z': `\x01-\xff`}[c], nil
	case known && c < 'a':
		return "[:^" + name + ":]", nil
	case known:
		return "[:" + name + ":]", nil
	}
	return literal(c), nil
}

func literal(c byte) string { return fmt.Sprintf(`\x%02x`, c) }

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

// Patterns are translated to Go's regular expressions, which take linear time: the interpreter's own matcher backtracks
// practically forever (a-a-a-a-b on many a's) and cannot be stopped. Regular expressions lack %b, %f and %1.

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

var (
	// items are the parts of a pattern: the ends of captures, and characters with how often they repeat.
	items = regexp.MustCompile(`(?s)\(|\)|(\[(?:\^(?:%.|[^%])|%.|[^%^])(?:%.|[^]%])*\]|%.|.)([-*+?]?)`)
	// members are the parts of a set: classes, ranges and single characters.
	members = regexp.MustCompile(`(?s)%.|([^%])-([^%])|.`)

	repeats = map[string]string{"": "", "*": "*", "+": "+", "?": "?", "-": "*?"}
)

// classes are the sets that a lowercase letter after % stands for; the uppercase letter is the complement.
var classes = map[string]string{
	"a": "alpha", "c": "cntrl", "d": "digit", "g": "graph", "l": "lower", "p": "punct", "s": "space", "u": "upper", "w": "alnum",
	"x": "xdigit",
}

func compilePattern(text string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("it has %d bytes, at most %d; hint: find(text, 1, true) looks for plain text", len(text), maxPattern)
	}
	rest, anchored := strings.CutPrefix(runes(text), "^")
	p := &pattern{anchored: anchored}
	expression, err := p.translate(items.FindAllStringSubmatch(rest, -1))
	if err != nil {
		return nil, err
	}
	if anchored {
		expression = `\A` + expression
	}
	p.Regexp, err = regexp.Compile(expression)
	return p, err
}

// runes makes a rune of each byte.
func runes(text string) string {
	var out strings.Builder
	for i := range len(text) {
		out.WriteRune(rune(text[i]))
	}
	return out.String()
}

// translate writes the items of a pattern as a regular expression.
func (p *pattern) translate(items [][]string) (expression string, err error) {
	open := 0
	for i, item := range items {
		text, isLast := item[0], i == len(items)-1
		switch {
		case text == "(":
			open++
			p.positions = append(p.positions, !isLast && items[i+1][0] == ")")
		case text == ")":
			if open--; open < 0 {
				return "", errors.New("a ) without its (")
			}
		case text == "$" && isLast:
			text = `\z`
		default:
			text, err = characters(item[1])
			text += repeats[item[2]]
		}
		if expression += text; err != nil {
			return "", err
		}
	}
	switch {
	case open > 0:
		return "", errors.New("unfinished capture")
	case len(p.positions) > maxCaptures:
		return "", fmt.Errorf("more than %d captures", maxCaptures)
	}
	return expression, nil
}

// characters translates a character, a class or a set.
func characters(item string) (string, error) {
	switch {
	case item == ".":
		return "(?s:.)", nil
	case item == "[":
		return "", errors.New("a [ without its ]")
	case item == "%":
		return "", errors.New("ends with %")
	case item[0] == '%' && strings.Contains("bf0123456789", item[1:]):
		return "", fmt.Errorf("%s is not supported", item)
	case item[0] == '[':
		return set(item[1 : len(item)-1])
	}
	return "[" + member(item) + "]", nil
}

// set translates the members of a set.
func set(text string) (string, error) {
	out := "["
	text, inverted := strings.CutPrefix(text, "^")
	if inverted {
		out = "[^"
	}
	for _, m := range members.FindAllStringSubmatch(text, -1) {
		switch first, last := m[1], m[2]; {
		case first > last:
			return "", fmt.Errorf("the range %s is reversed", m[0])
		case first != "":
			out += member(first) + "-" + member(last)
		default:
			out += member(m[0])
		}
	}
	return out + "]", nil
}

// member translates a character, or a class such as %a.
func member(text string) string {
	letter, escaped := strings.CutPrefix(text, "%")
	name, known := classes[strings.ToLower(letter)]
	switch {
	case escaped && letter == "z":
		return `\x00`
	case escaped && letter == "Z":
		return `\x01-\xff`
	case escaped && known && letter < "a":
		return "[:^" + name + ":]"
	case escaped && known:
		return "[:" + name + ":]"
	}
	return fmt.Sprintf(`\x{%x}`, []rune(letter)[0])
}

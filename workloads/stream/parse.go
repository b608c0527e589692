package stream

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxText bounds the text of an expression: maxParts parts are shorter.
const maxText = 1 << 16

// Parse reads an expression as String writes it:
//
//	expression = number | name "(" [ item { "," item } ] ")"
//	item       = expression | name "=" number
//
// Names are those of Kinds. Streams come in the declared order, arguments in any;
// one that has a default may be left out. A number by itself is a constant.
// Numbers may be hexadecimal (0x10), and there may be spaces. Expressions with
// numbers of the host (Data) have a text too, which is not read: it does not have
// the numbers.
func Parse(text string) (Stream, error) {
	if len(text) > maxText {
		return Stream{}, fmt.Errorf("a stream of %d characters, at most %d", len(text), maxText)
	}
	p := &parser{text: text}
	s, err := p.expression(0)
	if err == nil && p.peek() != 0 {
		err = p.unexpected("the end")
	}
	if err != nil {
		return Stream{}, fmt.Errorf("stream, character %d: %w", p.at+1, err)
	}
	return s, nil
}

type parser struct {
	text string
	at   int
}

// peek is the next character that is no space, 0 at the end.
func (p *parser) peek() byte {
	for p.at < len(p.text) && p.text[p.at] <= ' ' {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) unexpected(want string) error {
	if p.peek() == 0 {
		return fmt.Errorf("the text ends where %s should be", want)
	}
	return fmt.Errorf("there is %q where %s should be", p.text[p.at:p.at+1], want)
}

func (p *parser) skip(c byte) bool {
	if p.peek() != c || c == 0 {
		return false
	}
	p.at++
	return true
}

// word reads a name or a number: letters, digits and what numbers have else.
func (p *parser) word() string {
	p.peek()
	start := p.at
	for p.at < len(p.text) && isWord(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_.+-", c) >= 0
}

func startsNumber(c byte) bool { return c >= '0' && c <= '9' || c == '-' || c == '.' }

func (p *parser) expression(depth int) (Stream, error) {
	if depth > maxParts {
		return Stream{}, fmt.Errorf("an expression %d deep, at most %d", depth, maxParts)
	}
	start := p.at
	if startsNumber(p.peek()) {
		value, err := p.number()
		if err != nil {
			return Stream{}, err
		}
		return p.made(start, New("constant", nil, Params{"value": value}))
	}
	name := p.word()
	if name == "" {
		return Stream{}, p.unexpected("a stream")
	}
	if _, err := findKind(name); err != nil {
		return p.made(start, Stream{err: err})
	}
	return p.call(start, name, depth)
}

// made returns a stream, or its error at the place where its text starts.
func (p *parser) made(start int, s Stream) (Stream, error) {
	if err := s.Err(); err != nil {
		p.at = start
		p.peek()
		return Stream{}, err
	}
	return s, nil
}

func (p *parser) call(start int, name string, depth int) (Stream, error) {
	if !p.skip('(') {
		return Stream{}, p.unexpected(`"(" after ` + name)
	}
	var inputs []Stream
	params := Params{}
	for !p.skip(')') {
		if len(inputs)+len(params) > 0 && !p.skip(',') {
			return Stream{}, p.unexpected(`"," or ")"`)
		}
		if err := p.item(&inputs, params, depth); err != nil {
			return Stream{}, err
		}
	}
	return p.made(start, New(name, inputs, params))
}

// item reads an argument or a stream; what follows a name tells which.
func (p *parser) item(inputs *[]Stream, params Params, depth int) error {
	start := p.at
	if c := p.peek(); !startsNumber(c) {
		name := p.word()
		if name != "" && p.skip('=') {
			return p.argument(name, params)
		}
		p.at = start
	}
	s, err := p.expression(depth + 1)
	*inputs = append(*inputs, s)
	return err
}

func (p *parser) argument(name string, params Params) error {
	if _, twice := params[name]; twice {
		return fmt.Errorf("%s is given twice", name)
	}
	value, err := p.number()
	params[name] = value
	return err
}

// number reads a whole number, or a real one if it has a sign, a point or an
// exponent, or is too large.
func (p *parser) number() (any, error) {
	p.peek()
	start := p.at
	word := p.word()
	if word == "" {
		return nil, p.unexpected("a number")
	}
	digits, base := word, 10
	if hex, is := strings.CutPrefix(word, "0x"); is {
		digits, base = hex, 16
	}
	if n, err := strconv.ParseUint(digits, base, 64); err == nil {
		return n, nil
	}
	x, err := strconv.ParseFloat(word, 64)
	if err != nil || base == 16 || math.IsInf(x, 0) || math.IsNaN(x) {
		p.at = start
		return nil, fmt.Errorf("%q is no number that fits 64 bits", word)
	}
	return x, nil
}

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/lists"
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
		values = append(values, lists.Either[glua.LValue](position, glua.LNumber(start+1), glua.LString(text[start:end])))
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
	runes := lists.Map([]byte(text), func(b byte) rune { return rune(b) }) // one of each byte
	rest, anchored := strings.CutPrefix(string(runes), "^")
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
	switch name, known := classes[strings.ToLower(letter)]; {
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

// The string functions that take patterns.

// start returns argument 3, the index where a search begins; a negative one counts from the end.
func start(L *glua.LState, text string) int {
	from := L.OptInt(3, 1)
	if from < 0 {
		from += len(text) + 1
	}
	return max(from, 1) - 1
}

func (box *Box) find(L *glua.LState) (int, error) {
	text, sought := L.CheckString(1), L.CheckString(2)
	from := start(L, text)
	if L.ToBool(4) {
		return box.findPlain(L, text, sought, from)
	}
	p := Check(box.pattern(sought))
	ends := p.search(text, from)
	if ends == nil {
		return Return(L, glua.LNil)
	}
	values := []glua.LValue{glua.LNumber(ends[0] + 1), glua.LNumber(ends[1])}
	if len(p.positions) > 0 {
		values = append(values, p.captures(text, ends)...)
	}
	return Return(L, values...)
}

func (box *Box) findPlain(L *glua.LState, text, sought string, from int) (int, error) {
	box.Charge(len(text) / 16)
	if from <= len(text) {
		if at := strings.Index(text[from:], sought); at >= 0 {
			return Return(L, glua.LNumber(from+at+1), glua.LNumber(from+at+len(sought)))
		}
	}
	return Return(L, glua.LNil)
}

func (box *Box) match(L *glua.LState) (int, error) {
	text := L.CheckString(1)
	p := Check(box.pattern(L.CheckString(2)))
	ends := p.search(text, start(L, text))
	if ends == nil {
		return Return(L, glua.LNil)
	}
	return Return(L, p.captures(text, ends)...)
}

// gmatch returns an iterator. Its state is in upvalues, where Weigh counts it.
func (box *Box) gmatch(L *glua.LState) (int, error) {
	text, pattern := glua.LString(L.CheckString(1)), glua.LString(L.CheckString(2))
	return Return(L, L.NewClosure(box.raising("string.gmatch", box.nextMatch), text, pattern, glua.LNumber(0)))
}

func (box *Box) nextMatch(L *glua.LState) (int, error) {
	text, from := L.ToString(glua.UpvalueIndex(1)), L.ToInt(glua.UpvalueIndex(3))
	p := Check(box.pattern(L.ToString(glua.UpvalueIndex(2))))
	ends := p.search(text, from)
	if ends == nil {
		return Return(L, glua.LNil)
	}
	if from = ends[1]; ends[1] == ends[0] {
		from++
	}
	L.Replace(glua.UpvalueIndex(3), glua.LNumber(from))
	return Return(L, p.captures(text, ends)...)
}

func (box *Box) gsub(L *glua.LState) (int, error) {
	text, most := L.CheckString(1), L.OptInt(4, maxString+1)
	p := Check(box.pattern(L.CheckString(2)))
	var out strings.Builder
	from, times := 0, 0
	for from <= len(text) && times < most && (times == 0 || !p.anchored) {
		ends := p.search(text, from)
		if ends == nil {
			break
		}
		times++
		out.WriteString(text[from:ends[0]])
		out.WriteString(replacement(L, text[ends[0]:ends[1]], p.captures(text, ends)))
		if from = ends[1]; ends[1] == ends[0] {
			out.WriteString(text[from:min(from+1, len(text))])
			from++
		}
		if out.Len() > maxString {
			return 0, errLong
		}
	}
	_, err := box.grown(L, out.String()+text[min(from, len(text)):])
	L.Push(glua.LNumber(times))
	return 2, err
}

// replacement returns the replacement of a match: a text with %0 to %9, the value in a
// table, or the result of a function.
func replacement(L *glua.LState, whole string, captures []glua.LValue) string {
	var v glua.LValue
	switch by := L.Get(3).(type) {
	case glua.LString, glua.LNumber:
		return expand(by.String(), whole, captures)
	case *glua.LTable:
		v = L.GetTable(by, captures[0])
	case *glua.LFunction:
		v = Run(L, by, captures...)
	default:
		Raise(fmt.Errorf("argument 3 is %s, it takes a text, a table or a function", Describe(by)))
	}
	if glua.LVIsFalse(v) {
		return whole
	}
	if !glua.LVCanConvToString(v) {
		Raise(fmt.Errorf("the replacement is %s, it takes a text, a number, or nil to keep the match", Describe(v)))
	}
	return v.String()
}

var escape = regexp.MustCompile(`(?s)%.`)

// expand replaces %0 to %9 by the whole match and the captures, and other escaped characters by themselves.
func expand(text, whole string, captures []glua.LValue) string {
	return substitute(escape, text, func(spec string) (string, error) {
		switch capture := int(spec[1]) - '0'; {
		case capture == 0:
			return whole, nil
		case capture < 0 || capture > 9:
			return spec[1:], nil
		case capture > len(captures):
			return "", fmt.Errorf("the replacement contains %%%d, the highest capture is %%%d", capture, len(captures))
		default:
			return captures[capture-1].String(), nil
		}
	})
}

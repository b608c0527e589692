package sandbox

import (
	"fmt"
	"regexp"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

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
	L.Push(glua.LNumber(ends[0] + 1))
	L.Push(glua.LNumber(ends[1]))
	if len(p.positions) == 0 {
		return 2, nil
	}
	n, err := Return(L, p.captures(text, ends)...)
	return 2 + n, err
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

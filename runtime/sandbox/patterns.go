package sandbox

import (
	"fmt"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox/pattern"
)

// The string functions that take patterns, with a matcher whose steps are counted.

func (box *Box) finder(L *glua.LState, subject, text string) *pattern.Finder {
	return pattern.New(subject, text, func(steps int) { box.Charge(L, steps) })
}

// start converts an optional Lua index to an offset from 0.
func start(L *glua.LState, argument int, subject string) int {
	from := L.OptInt(argument, 1)
	if from < 0 {
		from += len(subject) + 1
	}
	return max(from, 1) - 1
}

func (box *Box) find(L *glua.LState) (int, error) {
	subject, text, from := L.CheckString(1), L.CheckString(2), start(L, 3, L.CheckString(1))
	if !L.ToBool(4) {
		m, ok, err := box.finder(L, subject, text).Find(from)
		if err != nil || !ok {
			return none(L, err)
		}
		pushPlace(L, m.Start, m.End)
		return 2 + pushCaptures(L, subject, m, false), nil
	}
	box.Charge(L, len(subject)/16)
	if from <= len(subject) {
		if at := strings.Index(subject[from:], text); at >= 0 {
			pushPlace(L, from+at, from+at+len(text))
			return 2, nil
		}
	}
	return none(L, nil)
}

// none returns nil to Lua, or an error.
func none(L *glua.LState, err error) (int, error) {
	L.Push(glua.LNil)
	return 1, err
}

func pushPlace(L *glua.LState, start, end int) {
	L.Push(glua.LNumber(start + 1))
	L.Push(glua.LNumber(end))
}

func (box *Box) match(L *glua.LState) (int, error) {
	subject, from := L.CheckString(1), start(L, 3, L.CheckString(1))
	m, ok, err := box.finder(L, subject, L.CheckString(2)).Find(from)
	if err != nil || !ok {
		return none(L, err)
	}
	return pushCaptures(L, subject, m, true), nil
}

// pushCaptures pushes the captures and returns their number. With whole set, a match without
// captures pushes the whole match.
func pushCaptures(L *glua.LState, subject string, m pattern.Match, whole bool) int {
	captures := m.Captures
	if len(captures) == 0 && whole {
		captures = []pattern.Capture{m.Whole()}
	}
	for _, c := range captures {
		L.Push(captured(subject, c))
	}
	return len(captures)
}

func captured(subject string, c pattern.Capture) glua.LValue {
	if c.Position {
		return glua.LNumber(c.Start + 1)
	}
	return glua.LString(subject[c.Start:c.End])
}

// gmatch returns an iterator. Its state is in upvalues, where Weigh counts it.
func (box *Box) gmatch(L *glua.LState) (int, error) {
	subject, text := glua.LString(L.CheckString(1)), glua.LString(L.CheckString(2))
	L.Push(L.NewClosure(box.raising(box.nextMatch), subject, text, glua.LNumber(0)))
	return 1, nil
}

func (box *Box) nextMatch(L *glua.LState) (int, error) {
	subject, text := L.Get(glua.UpvalueIndex(1)).String(), L.Get(glua.UpvalueIndex(2)).String()
	from := int(L.Get(glua.UpvalueIndex(3)).(glua.LNumber))
	m, ok, err := box.finder(L, subject, text).Find(from)
	if err != nil || !ok {
		return none(L, err)
	}
	if from = m.End; m.End == m.Start {
		from++
	}
	L.Replace(glua.UpvalueIndex(3), glua.LNumber(from))
	return pushCaptures(L, subject, m, true), nil
}

func (box *Box) gsub(L *glua.LState) (int, error) {
	subject, text, most := L.CheckString(1), L.CheckString(2), L.OptInt(4, maxString+1)
	finder := box.finder(L, subject, text)
	var out strings.Builder
	from, times := 0, 0
	for from <= len(subject) && times < most {
		m, ok, err := finder.Find(from)
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		times++
		replacement, err := box.replacement(L, subject, m)
		if err != nil {
			return 0, fmt.Errorf("string.gsub: %w", err)
		}
		out.WriteString(subject[from:m.Start] + replacement)
		if from = m.End; m.End == m.Start {
			out.WriteString(subject[from:min(from+1, len(subject))])
			from++
		}
		if out.Len() > maxString {
			return 0, fmt.Errorf("string.gsub: %w", errLong)
		}
		if finder.Anchored() {
			break
		}
	}
	out.WriteString(subject[min(from, len(subject)):])
	if n, err := box.grown(L, out.String()); err != nil {
		return n, err
	}
	L.Push(glua.LNumber(times))
	return 2, nil
}

// replacement returns the replacement of a match, from a text with %0 to %9, a table or a
// function.
func (box *Box) replacement(L *glua.LState, subject string, m pattern.Match) (string, error) {
	var v glua.LValue
	switch by := L.Get(3).(type) {
	case glua.LString, glua.LNumber:
		return expand(glua.LVAsString(by), subject, m)
	case *glua.LTable:
		first := m.Whole()
		if len(m.Captures) > 0 {
			first = m.Captures[0]
		}
		v = L.GetTable(by, captured(subject, first))
	case *glua.LFunction:
		L.Push(by)
		L.Call(pushCaptures(L, subject, m, true), 1)
		v = L.Get(-1)
		L.Pop(1)
	default:
		return "", fmt.Errorf("argument 3 is %s, it takes a text, a table or a function", Describe(by))
	}
	switch {
	case glua.LVIsFalse(v):
		return subject[m.Start:m.End], nil
	case glua.LVCanConvToString(v):
		return glua.LVAsString(v), nil
	}
	return "", fmt.Errorf("the replacement is %s, it takes a text, a number, or nil to keep the match", Describe(v))
}

// expand inserts captures into a replacement text.
func expand(text, subject string, m pattern.Match) (string, error) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		i++
		capture := int(text[i]) - '0'
		switch {
		case capture < 0 || capture > 9:
			out.WriteByte(text[i])
		case capture == 0 || capture == 1 && len(m.Captures) == 0:
			out.WriteString(subject[m.Start:m.End])
		case capture > len(m.Captures):
			return "", fmt.Errorf("the replacement contains %%%d, the pattern has %d captures", capture, len(m.Captures))
		default:
			out.WriteString(captured(subject, m.Captures[capture-1]).String())
		}
		if out.Len() > maxString {
			return "", errLong
		}
	}
	return out.String(), nil
}

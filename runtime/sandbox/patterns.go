package sandbox

import (
	"fmt"
	"regexp"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox/pattern"
)

// The string functions that take patterns, with a matcher whose steps are counted.

// search finds argument 2, a pattern or plain text, in argument 1, from argument 3 on.
func (box *Box) search(L *glua.LState, plain bool) (pattern.Match, error) {
	subject, text, from := L.CheckString(1), L.CheckString(2), L.OptInt(3, 1)
	if from < 0 {
		from += len(subject) + 1
	}
	from = max(from, 1) - 1
	if !plain || from > len(subject) {
		return pattern.New(subject, text, box.Charge).Find(from)
	}
	box.Charge(len(subject) / 16)
	at := strings.Index(subject[from:], text)
	if at < 0 {
		return nil, nil
	}
	return pattern.Match{{Start: from + at, End: from + at + len(text)}}, nil
}

func (box *Box) find(L *glua.LState) (int, error) {
	m := Check(box.search(L, L.ToBool(4)))
	if m == nil {
		return Return(L, glua.LNil)
	}
	values := []glua.LValue{glua.LNumber(m[0].Start + 1), glua.LNumber(m[0].End)}
	if len(m) > 1 {
		values = append(values, captures(L.ToString(1), m)...)
	}
	return Return(L, values...)
}

func (box *Box) match(L *glua.LState) (int, error) {
	m := Check(box.search(L, false))
	if m == nil {
		return Return(L, glua.LNil)
	}
	return Return(L, captures(L.ToString(1), m)...)
}

func captures(subject string, m pattern.Match) (values []glua.LValue) {
	if len(m) > 1 {
		m = m[1:]
	}
	for _, c := range m {
		if c.Position {
			values = append(values, glua.LNumber(c.Start+1))
		} else {
			values = append(values, glua.LString(subject[c.Start:c.End]))
		}
	}
	return values
}

// gmatch returns an iterator. Its state is in upvalues, where Weigh counts it.
func (box *Box) gmatch(L *glua.LState) (int, error) {
	subject, text := glua.LString(L.CheckString(1)), glua.LString(L.CheckString(2))
	return Return(L, L.NewClosure(box.raising("string.gmatch", box.nextMatch), subject, text, glua.LNumber(0)))
}

func (box *Box) nextMatch(L *glua.LState) (int, error) {
	subject, from := L.ToString(glua.UpvalueIndex(1)), L.ToInt(glua.UpvalueIndex(3))
	m := Check(pattern.New(subject, L.ToString(glua.UpvalueIndex(2)), box.Charge).Find(from))
	if m == nil {
		return Return(L, glua.LNil)
	}
	if from = m[0].End; m[0].End == m[0].Start {
		from++
	}
	L.Replace(glua.UpvalueIndex(3), glua.LNumber(from))
	return Return(L, captures(subject, m)...)
}

func (box *Box) gsub(L *glua.LState) (int, error) {
	subject, text, most := L.CheckString(1), L.CheckString(2), L.OptInt(4, maxString+1)
	finder := pattern.New(subject, text, box.Charge)
	var out strings.Builder
	from, times := 0, 0
	for from <= len(subject) && times < most {
		m := Check(finder.Find(from))
		if m == nil {
			break
		}
		times++
		out.WriteString(subject[from:m[0].Start])
		out.WriteString(Check(replacement(L, subject[m[0].Start:m[0].End], captures(subject, m))))
		if from = m[0].End; m[0].End == m[0].Start {
			out.WriteString(subject[from:min(from+1, len(subject))])
			from++
		}
		if out.Len() > maxString {
			return 0, errLong
		}
		if finder.Anchored {
			break
		}
	}
	_, err := box.grown(L, out.String()+subject[min(from, len(subject)):])
	L.Push(glua.LNumber(times))
	return 2, err
}

// replacement returns the replacement of a match: a text with %0 to %9, the value in a
// table, or the result of a function.
func replacement(L *glua.LState, whole string, captures []glua.LValue) (string, error) {
	var v glua.LValue
	switch by := L.Get(3).(type) {
	case glua.LString, glua.LNumber:
		return expand(by.String(), whole, captures), nil
	case *glua.LTable:
		v = L.GetTable(by, captures[0])
	case *glua.LFunction:
		v = Run(L, by, captures...)
	default:
		return "", fmt.Errorf("argument 3 is %s, it takes a text, a table or a function", Describe(by))
	}
	switch {
	case glua.LVIsFalse(v):
		return whole, nil
	case glua.LVCanConvToString(v):
		return v.String(), nil
	}
	return "", fmt.Errorf("the replacement is %s, it takes a text, a number, or nil to keep the match", Describe(v))
}

var escape = regexp.MustCompile(`(?s)%.`)

// expand replaces %0 to %9 by the whole match and the captures, and other escaped characters by themselves.
func expand(text, whole string, captures []glua.LValue) string {
	size := 0
	return escape.ReplaceAllStringFunc(text, func(spec string) string {
		capture, value := int(spec[1])-'0', spec[1:]
		switch {
		case capture == 0:
			value = whole
		case capture > len(captures) && capture <= 9:
			Raise(fmt.Errorf("the replacement contains %%%d, the highest capture is %%%d", capture, len(captures)))
		case capture > 0 && capture <= 9:
			value = captures[capture-1].String()
		}
		if size += len(value); size > maxString {
			Raise(errLong)
		}
		return value
	})
}

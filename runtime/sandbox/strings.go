package sandbox

import (
	"fmt"
	"sort"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

// Functions on strings and tables that would otherwise make strings of any size, or
// work for any time, in one instruction.

var errLong = fmt.Errorf("the string would be longer than %d bytes, which is the most", maxString)

// grown is a string that the code gets, if it is not too long. Its bytes count as
// steps.
func (box *Box) grown(L *glua.LState, text string) (int, error) {
	if len(text) > maxString {
		return 0, errLong
	}
	box.Charge(L, len(text)/16)
	L.Push(glua.LString(text))
	return 1, nil
}

func (box *Box) rep(L *glua.LState) (int, error) {
	text, n := L.CheckString(1), L.CheckInt(2)
	if n > 0 && len(text) > maxString/n {
		return 0, fmt.Errorf("string.rep: %w", errLong)
	}
	return box.grown(L, strings.Repeat(text, max(n, 0)))
}

// concat is the operator "..": from the right, as it is read.
func (box *Box) concat(L *glua.LState) (int, error) {
	values := make([]glua.LValue, L.GetTop())
	length := 0
	for i := range values {
		values[i] = L.Get(i + 1)
		if text, ok := values[i].(glua.LString); ok {
			length += len(text)
		}
	}
	if length > maxString {
		return 0, errLong
	}
	last := len(values) - 1
	for ; last > 0; last-- {
		joined, err := box.join(values[last-1], values[last])
		if err != nil {
			return 0, err
		}
		values[last-1] = joined
	}
	if text, ok := values[0].(glua.LString); ok {
		return box.grown(L, string(text))
	}
	L.Push(values[0])
	return 1, nil
}

func (box *Box) join(a, b glua.LValue) (glua.LValue, error) {
	if glua.LVCanConvToString(a) && glua.LVCanConvToString(b) {
		return glua.LString(glua.LVAsString(a) + glua.LVAsString(b)), nil
	}
	for _, operand := range []glua.LValue{a, b} {
		if fn := box.L.GetMetaField(operand, "__concat"); fn != glua.LNil {
			box.L.Push(fn)
			box.L.Push(a)
			box.L.Push(b)
			box.L.Call(2, 1)
			joined := box.L.Get(-1)
			box.L.Pop(1)
			return joined, nil
		}
	}
	return nil, fmt.Errorf("%s .. %s: it joins texts, numbers and vectors; hint: tostring(x) makes a text", Describe(a), Describe(b))
}

func (box *Box) tableConcat(L *glua.LState) (int, error) {
	t, separator := L.CheckTable(1), L.OptString(2, "")
	first, last := L.OptInt(3, 1), L.OptInt(4, t.Len())
	var text strings.Builder
	for i := first; i <= last; i++ {
		v := t.RawGet(glua.LNumber(i))
		if !glua.LVCanConvToString(v) {
			return 0, fmt.Errorf("table.concat: item %d is %s, it takes texts and numbers", i, Describe(v))
		}
		text.WriteString(glua.LVAsString(v))
		if i < last {
			text.WriteString(separator)
		}
		if text.Len() > maxString {
			return 0, fmt.Errorf("table.concat: %w", errLong)
		}
		box.Charge(L, 1)
	}
	return box.grown(L, text.String())
}

// sort is table.sort. Go's sorting ends whatever the comparison says.
func (box *Box) sort(L *glua.LState) (int, error) {
	t := L.CheckTable(1)
	values := make([]glua.LValue, t.Len())
	for i := range values {
		values[i] = t.RawGetInt(i + 1)
	}
	less := func(i, j int) bool { return L.LessThan(values[i], values[j]) }
	if L.GetTop() > 1 {
		by := L.CheckFunction(2)
		less = func(i, j int) bool {
			L.Push(by)
			L.Push(values[i])
			L.Push(values[j])
			L.Call(2, 1)
			answer := L.ToBool(-1)
			L.Pop(1)
			return answer
		}
	}
	sort.Slice(values, func(i, j int) bool { box.Charge(L, 1); return less(i, j) })
	for i, v := range values {
		t.RawSetInt(i+1, v)
	}
	return 0, nil
}

// format is string.format with Lua's own limits: the interpreter's hands the text to
// Go, which reads other verbs and any width.
func (box *Box) format(L *glua.LState) (int, error) {
	text := L.CheckString(1)
	var out strings.Builder
	argument := 1
	for {
		before, rest, found := strings.Cut(text, "%")
		out.WriteString(before)
		if !found {
			return box.grown(L, out.String())
		}
		if after, ok := strings.CutPrefix(rest, "%"); ok {
			out.WriteByte('%')
			text = after
			continue
		}
		argument++
		spec := rest[:min(len(rest), len(rest)-len(strings.TrimLeft(rest, "-+ #0123456789."))+1)]
		if err := box.formatOne(&out, spec, argument); err != nil {
			return 0, fmt.Errorf("string.format: %w", err)
		}
		text = rest[len(spec):]
		if out.Len() > maxString {
			return 0, fmt.Errorf("string.format: %w", errLong)
		}
	}
}

func (box *Box) formatOne(out *strings.Builder, spec string, argument int) error {
	if spec == "" {
		return fmt.Errorf("the format ends with %%; hint: %%%% is one")
	}
	if argument > box.L.GetTop() {
		return fmt.Errorf("value %d is missing: it is for %%%s", argument-1, spec)
	}
	v, verb, flags := box.L.Get(argument), spec[len(spec)-1], spec[:len(spec)-1]
	for _, width := range strings.FieldsFunc(flags, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(strings.TrimLeft(width, "0")) > 2 {
			return fmt.Errorf("%%%s is wider than 99", spec)
		}
	}
	switch verb {
	case 's':
		fmt.Fprintf(out, "%"+flags+"s", box.Text(v))
		return nil
	case 'q':
		fmt.Fprintf(out, "%q", glua.LVAsString(v))
		return nil
	case 'd', 'i', 'u', 'c', 'x', 'X', 'o', 'e', 'E', 'f', 'g', 'G':
		x, ok := v.(glua.LNumber)
		if !ok {
			return fmt.Errorf("value %d is %s: %%%s takes a number", argument-1, Describe(v), spec)
		}
		formatNumber(out, flags, verb, float64(x))
		return nil
	}
	return fmt.Errorf("%%%s is no format: there are %%d %%i %%u %%c %%x %%X %%o %%e %%E %%f %%g %%G %%q %%s", spec)
}

func formatNumber(out *strings.Builder, flags string, verb byte, x float64) {
	switch verb {
	case 'd', 'i', 'u':
		fmt.Fprintf(out, "%"+flags+"d", int64(x))
	case 'c':
		out.WriteByte(byte(int64(x)))
	case 'x', 'X', 'o':
		fmt.Fprintf(out, "%"+flags+string(verb), int64(x))
	default:
		fmt.Fprintf(out, "%"+flags+string(verb), x)
	}
}

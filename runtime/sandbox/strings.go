package sandbox

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

// The interpreter's own versions of these functions can make strings of any size, or work
// for any time, in one instruction.

var errLong = fmt.Errorf("the string would be longer than %d bytes, the limit", maxString)

// grown pushes a string unless it is too long. Its bytes count as steps.
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

// concat is the operator "..", which joins from the right.
func (box *Box) concat(L *glua.LState) (int, error) {
	joined := L.Get(L.GetTop())
	for i := L.GetTop() - 1; i > 0; i-- {
		var err error
		if joined, err = box.join(L.Get(i), joined); err != nil {
			return 0, err
		}
	}
	if text, ok := joined.(glua.LString); ok {
		return box.grown(L, string(text))
	}
	L.Push(joined)
	return 1, nil
}

func (box *Box) join(a, b glua.LValue) (glua.LValue, error) {
	if glua.LVCanConvToString(a) && glua.LVCanConvToString(b) {
		left, right := glua.LVAsString(a), glua.LVAsString(b)
		if len(left)+len(right) > maxString {
			return nil, errLong
		}
		return glua.LString(left + right), nil
	}
	for _, operand := range []glua.LValue{a, b} {
		if fn := box.L.GetMetaField(operand, "__concat"); fn != glua.LNil {
			return call(box.L, fn, a, b), nil
		}
	}
	return nil, fmt.Errorf("%s .. %s: operands must be texts, numbers or vectors; hint: tostring(x) makes a text", Describe(a), Describe(b))
}

// call calls a Lua function and returns its first result.
func call(L *glua.LState, fn glua.LValue, arguments ...glua.LValue) glua.LValue {
	L.Push(fn)
	for _, v := range arguments {
		L.Push(v)
	}
	L.Call(len(arguments), 1)
	defer L.Pop(1)
	return L.Get(-1)
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

// sort is table.sort. Go's sort ends even if the comparison is inconsistent.
func (box *Box) sort(L *glua.LState) (int, error) {
	t := L.CheckTable(1)
	values := make([]glua.LValue, t.Len())
	for i := range values {
		values[i] = t.RawGetInt(i + 1)
	}
	less := L.LessThan
	if L.GetTop() > 1 {
		by := L.CheckFunction(2)
		less = func(a, b glua.LValue) bool { return glua.LVAsBool(call(L, by, a, b)) }
	}
	sort.Slice(values, func(i, j int) bool { box.Charge(L, 1); return less(values[i], values[j]) })
	for i, v := range values {
		t.RawSetInt(i+1, v)
	}
	return 0, nil
}

var (
	directive = regexp.MustCompile(`(?s)%([-+ #0-9.]*)(.?)`)
	tooWide   = regexp.MustCompile(`[1-9][0-9][0-9]`)
)

// format is string.format with Lua's own limits. The interpreter's passes the text to Go,
// which allows other verbs and any width.
func (box *Box) format(L *glua.LState) (int, error) {
	text := L.CheckString(1)
	var out strings.Builder
	argument, copied := 1, 0
	for _, at := range directive.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(text[copied:at[0]])
		copied = at[1]
		if text[at[0]:at[1]] == "%%" {
			out.WriteByte('%')
			continue
		}
		argument++
		one, err := box.formatOne(text[at[2]:at[3]], text[at[4]:at[5]], argument)
		if err != nil {
			return 0, fmt.Errorf("string.format: %w", err)
		}
		if out.WriteString(one); out.Len() > maxString {
			return 0, fmt.Errorf("string.format: %w", errLong)
		}
	}
	return box.grown(L, out.String()+text[copied:])
}

func (box *Box) formatOne(flags, verb string, argument int) (string, error) {
	spec := "%" + flags + verb
	switch {
	case verb == "":
		return "", fmt.Errorf("the format ends with %s; hint: %%%% is a percent sign", spec)
	case argument > box.L.GetTop():
		return "", fmt.Errorf("value %d is missing, for %s", argument-1, spec)
	case tooWide.MatchString(flags):
		return "", fmt.Errorf("%s is wider than 99", spec)
	}
	v := box.L.Get(argument)
	switch verb {
	case "s":
		return fmt.Sprintf(spec, box.Text(v)), nil
	case "q":
		return fmt.Sprintf("%q", glua.LVAsString(v)), nil
	}
	if !strings.Contains("d i u c x X o e E f g G", verb) {
		return "", fmt.Errorf("unknown format %s: choose from %%d %%i %%u %%c %%x %%X %%o %%e %%E %%f %%g %%G %%q %%s", spec)
	}
	x, ok := v.(glua.LNumber)
	if !ok {
		return "", fmt.Errorf("value %d is %s: %s takes a number", argument-1, Describe(v), spec)
	}
	switch verb {
	case "d", "i", "u":
		return fmt.Sprintf("%"+flags+"d", int64(x)), nil
	case "x", "X", "o":
		return fmt.Sprintf(spec, int64(x)), nil
	case "c":
		return string([]byte{byte(int64(x))}), nil
	}
	return fmt.Sprintf(spec, float64(x)), nil
}

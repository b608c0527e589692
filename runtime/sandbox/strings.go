package sandbox

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// The interpreter's own versions of these functions can make strings of any size, work for
// any time in one instruction, or differ from Lua's.

var errLong = fmt.Errorf("the string would be longer than %d bytes, the limit", maxString)

// grown returns a string to Lua unless it is too long. Its bytes count as steps.
func (box *Box) grown(L *glua.LState, text string) (int, error) {
	if len(text) > maxString {
		return 0, errLong
	}
	box.Charge(len(text) / 16)
	return Return(L, glua.LString(text))
}

// substitute replaces the matches of an expression, unless that makes the text too long.
func substitute(expression *regexp.Regexp, text string, by func(match string) (string, error)) string {
	size := 0
	return expression.ReplaceAllStringFunc(text, func(match string) string {
		one := Check(by(match))
		if size += len(one); size > maxString {
			Raise(errLong)
		}
		return one
	})
}

func (box *Box) rep(L *glua.LState) (int, error) {
	text, n := L.CheckString(1), max(L.CheckInt(2), 0)
	if n > 0 && len(text) > maxString/n {
		return 0, errLong
	}
	return box.grown(L, strings.Repeat(text, n))
}

// concat is the operator "..", which joins from the right. The last argument is no operand.
func (box *Box) concat(L *glua.LState) (int, error) {
	joined := L.Get(L.GetTop() - 1)
	for i := L.GetTop() - 2; i > 0; i-- {
		joined = Check(join(L, L.Get(i), joined))
	}
	if text, ok := joined.(glua.LString); ok {
		return box.grown(L, string(text))
	}
	return Return(L, joined)
}

func join(L *glua.LState, a, b glua.LValue) (glua.LValue, error) {
	if glua.LVCanConvToString(a) && glua.LVCanConvToString(b) {
		left, right := a.String(), b.String()
		if len(left)+len(right) > maxString {
			return nil, errLong
		}
		return glua.LString(left + right), nil
	}
	for _, operand := range []glua.LValue{a, b} {
		if fn := L.GetMetaField(operand, "__concat"); fn != glua.LNil {
			return Run(L, fn, a, b), nil
		}
	}
	return nil, fmt.Errorf("%s .. %s: operands must be texts, numbers or vectors; hint: tostring(x) makes a text", Describe(a), Describe(b))
}

// Run calls a Lua function and returns its first result.
func Run(L *glua.LState, fn glua.LValue, arguments ...glua.LValue) glua.LValue {
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
			return 0, fmt.Errorf("item %d is %s, it takes texts and numbers", i, Describe(v))
		}
		if i > first {
			text.WriteString(separator)
		}
		if text.WriteString(v.String()); text.Len() > maxString {
			return 0, errLong
		}
		box.Charge(1)
	}
	return box.grown(L, text.String())
}

// sort is table.sort. Go's sort ends even if the comparison is inconsistent.
func (box *Box) sort(L *glua.LState) (int, error) {
	t := L.CheckTable(1)
	values := lists.Make(t.Len(), func(i int) glua.LValue { return t.RawGetInt(i + 1) })
	less := L.LessThan
	if L.GetTop() > 1 {
		by := L.CheckFunction(2)
		less = func(a, b glua.LValue) bool { return glua.LVAsBool(Run(L, by, a, b)) }
	}
	sort.Slice(values, func(i, j int) bool { box.Charge(1); return less(values[i], values[j]) })
	for i, v := range values {
		t.RawSetInt(i+1, v)
	}
	return 0, nil
}

var (
	directive = regexp.MustCompile(`(?s)%[-+ #0-9.]*.?`)
	tooWide   = regexp.MustCompile(`[1-9][0-9][0-9]`)
)

// format is string.format with Lua's own limits. The interpreter's passes the text to Go,
// which allows other verbs and any width.
func (box *Box) format(L *glua.LState) (int, error) {
	argument := 1
	return box.grown(L, substitute(directive, L.CheckString(1), func(spec string) (string, error) {
		if spec == "%%" {
			return "%", nil
		}
		argument++
		return box.formatOne(spec, argument)
	}))
}

func (box *Box) formatOne(spec string, argument int) (string, error) {
	last := len(spec) - 1
	flags, verb := spec[:last], spec[last:]
	switch {
	case strings.Contains("%-+ #0123456789.", verb):
		return "", fmt.Errorf("the format ends with %s; hint: %%%% is a percent sign", spec)
	case argument > box.L.GetTop():
		return "", fmt.Errorf("value %d is missing, for %s", argument-1, spec)
	case tooWide.MatchString(flags):
		return "", fmt.Errorf("%s is wider than 99", spec)
	case !strings.Contains("diucxXoeEfgGqs", verb):
		return "", fmt.Errorf("unknown format %s: choose from %%d %%i %%u %%c %%x %%X %%o %%e %%E %%f %%g %%G %%q %%s", spec)
	}
	v := box.L.Get(argument)
	x, isNumber := v.(glua.LNumber)
	switch {
	case verb == "s":
		return fmt.Sprintf(spec, box.Text(v)), nil
	case verb == "q":
		return strconv.Quote(glua.LVAsString(v)), nil
	case !isNumber:
		return "", fmt.Errorf("value %d is %s: %s takes a number", argument-1, Describe(v), spec)
	case verb == "c":
		return string([]byte{byte(int64(x))}), nil
	case verb == "u":
		return fmt.Sprintf(flags+"d", x), nil
	}
	return fmt.Sprintf(spec, x), nil
}

// toNumber is Lua's tonumber; the interpreter's version does not read 1e6.
func toNumber(L *glua.LState) (int, error) {
	v, base := L.CheckAny(1), L.OptInt(2, 10)
	if text, ok := v.(glua.LString); ok {
		if x, err := readNumber(strings.ToLower(strings.TrimSpace(string(text))), base); err == nil {
			v = glua.LNumber(x)
		}
	}
	if _, ok := v.(glua.LNumber); !ok {
		v = glua.LNil
	}
	return Return(L, v)
}

func readNumber(text string, base int) (float64, error) {
	switch digits, hex := strings.CutPrefix(text, "0x"); {
	case base != 10:
		n, err := strconv.ParseInt(digits, base, 64)
		return float64(n), err
	case hex:
		n, err := strconv.ParseUint(digits, 16, 64)
		return float64(n), err
	case strings.Trim(text, "+-.e0123456789") != "": // no inf, nan, 1_000
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

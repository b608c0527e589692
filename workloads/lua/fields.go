package lua

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
)

// fields are the named values in a Lua table, such as shape or the arguments of a
// generator. Errors name the path of the field: shape.load.
type fields struct {
	path  string
	names []string // in the order in which the script has them
	value map[string]glua.LValue
}

// named reads a table that has only named values.
func named(path string, v glua.LValue) (fields, error) {
	f := fields{path: path, value: map[string]glua.LValue{}}
	t, ok := v.(*glua.LTable)
	if !ok {
		return f, wrongField(path, " is %s, it takes a table, as in { name = value }", sandbox.Describe(v))
	}
	for k, v := t.Next(glua.LNil); k != glua.LNil; k, v = t.Next(k) {
		name, ok := k.(glua.LString)
		if !ok {
			return f, wrongField(path, " has %s without a name, it takes name = value", sandbox.Describe(v))
		}
		f.names = append(f.names, string(name))
		f.value[string(name)] = v
	}
	return f, nil
}

// only refuses names that are not known.
func (f fields) only(known ...string) error {
	for _, name := range f.names {
		if !slices.Contains(known, name) {
			return &fieldError{path: f.at(name), text: fmt.Sprintf("%s: %v", f.path, nearest.Unknown("field", name, known))}
		}
	}
	return nil
}

func (f fields) at(name string) string { return f.path + "." + name }

func (f fields) has(name string) bool { return f.value[name] != nil }

// list reads the items of a table that has only items.
func list(path string, v glua.LValue) ([]glua.LValue, error) {
	t, ok := v.(*glua.LTable)
	if !ok {
		return nil, wrongField(path, " is %s, it takes a list, as in { a, b }", sandbox.Describe(v))
	}
	var items []glua.LValue
	for k, v := t.Next(glua.LNil); k != glua.LNil; k, v = t.Next(k) {
		if number, ok := k.(glua.LNumber); !ok || int(number) != len(items)+1 {
			return nil, wrongField(path, " has %s at %s, it takes a list without gaps and names, as in { a, b }", sandbox.Describe(v), k)
		}
		items = append(items, v)
	}
	return items, nil
}

// isNamed says whether a table has a named value.
func isNamed(v glua.LValue) bool {
	t, ok := v.(*glua.LTable)
	if !ok {
		return false
	}
	for k, _ := t.Next(glua.LNil); k != glua.LNil; k, _ = t.Next(k) {
		if _, ok := k.(glua.LString); ok {
			return true
		}
	}
	return false
}

// number is a number from low to high; absent ones are 0.
func (f fields) number(name string, low, high float64) (float64, error) {
	v, ok := f.value[name]
	if !ok {
		return 0, nil
	}
	x, ok := v.(glua.LNumber)
	if !ok || !(float64(x) >= low && float64(x) <= high) {
		return 0, wrongField(f.at(name), " is %s, it takes a number, %v to %v", sandbox.Describe(v), glua.LNumber(low), glua.LNumber(high))
	}
	return float64(x), nil
}

// whole is a whole number of at least low; absent ones are 0. math.huge is the
// largest, if it makes sense to have no limit.
func (f fields) whole(name string, low uint64, endless bool) (uint64, error) {
	v, ok := f.value[name]
	if !ok {
		return 0, nil
	}
	if v == glua.LNumber(math.Inf(1)) && endless {
		return math.MaxUint64, nil
	}
	x, ok := toWhole(v)
	if !ok || x < low {
		return 0, wrongField(f.at(name), " is %s, it takes a whole number from %d on", sandbox.Describe(v), low)
	}
	return x, nil
}

// toWhole takes u64 values, and numbers that are whole for certain.
func toWhole(v glua.LValue) (uint64, bool) {
	if ud, ok := v.(*glua.LUserData); ok {
		n, ok := ud.Value.(u64)
		return uint64(n), ok
	}
	return sandbox.Whole(v)
}

// text is one of some words; absent ones are "".
func (f fields) text(name string, words ...string) (string, error) {
	v, ok := f.value[name]
	if !ok {
		return "", nil
	}
	text, ok := v.(glua.LString)
	if !ok || words != nil && !slices.Contains(words, string(text)) {
		return "", wrongField(f.at(name), " is %s, it takes %s", sandbox.Describe(v), oneOf(words))
	}
	return string(text), nil
}

// flag is true or false; absent ones are false.
func (f fields) flag(name string) (bool, error) {
	v, ok := f.value[name]
	if !ok {
		return false, nil
	}
	flag, ok := v.(glua.LBool)
	if !ok {
		return false, wrongField(f.at(name), " is %s, it takes true or false", sandbox.Describe(v))
	}
	return bool(flag), nil
}

func oneOf(words []string) string {
	if words == nil {
		return "a text"
	}
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, fmt.Sprintf("%q", word))
	}
	return strings.Join(quoted, " or ")
}

// scalar is a value that options, axes and summaries have: a number, a text without
// control characters, or a boolean.
func scalar(v glua.LValue) (any, bool) {
	switch v := v.(type) {
	case glua.LNumber:
		return float64(v), !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
	case glua.LString:
		return string(v), !strings.ContainsFunc(string(v), unicode.IsControl)
	case glua.LBool:
		return bool(v), true
	}
	return nil, false
}

// toLua is the inverse of scalar.
func toLua(value any) glua.LValue {
	switch v := value.(type) {
	case float64:
		return glua.LNumber(v)
	case string:
		return glua.LString(v)
	case bool:
		return glua.LBool(v)
	}
	return glua.LNil
}

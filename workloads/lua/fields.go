package lua

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// decode reads a table of named values into a struct: values of other names are errors.
// The field tag lua is the name, min and max bound numbers (max:"inf" allows math.huge as a
// whole number), oneof lists the allowed texts. Fields of absent values stay as they are.
func decode(path string, v glua.LValue, into any, positions ...string) (fields, error) {
	f, err := named(path, v, positions...)
	if err != nil {
		return f, err
	}
	target := reflect.ValueOf(into).Elem()
	members := reflect.VisibleFields(target.Type())
	var known []string
	for _, member := range members {
		known = append(known, member.Tag.Get("lua"))
	}
	if err := f.only(known...); err != nil {
		return f, err
	}
	for i, member := range members {
		if f.has(known[i]) {
			if err := f.decode(known[i], target.Field(i).Addr().Interface(), member.Tag); err != nil {
				return f, err
			}
		}
	}
	return f, nil
}

func (f fields) decode(name string, into any, tag reflect.StructTag) (err error) {
	switch into := into.(type) {
	case *glua.LValue:
		*into = f.value[name]
	case *string:
		*into, err = f.text(name, strings.Fields(tag.Get("oneof"))...)
	case *bool:
		*into, err = f.flag(name)
	case *uint64:
		low, _ := strconv.ParseUint(tag.Get("min"), 10, 64)
		*into, err = f.whole(name, low, tag.Get("max") == "inf")
	case *float64:
		*into, err = f.number(name, bound(tag.Get("min"), -1), bound(tag.Get("max"), 1))
	case **float64:
		*into = new(float64)
		err = f.decode(name, *into, tag)
	}
	return err
}

// bound parses a bound of a number; without text it is infinite.
func bound(text string, sign int) float64 {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x
	}
	return math.Inf(sign)
}

// fields are the named values of a Lua table, such as shape or the arguments of a
// generator. Errors name the path of the field: shape.load.
type fields struct {
	path  string
	names []string // in the script's order
	value map[string]glua.LValue
}

// named reads a table of named values. The first values without a name get the names of
// their positions.
func named(path string, v glua.LValue, positions ...string) (fields, error) {
	f := fields{path: path, value: map[string]glua.LValue{}}
	t, ok := v.(*glua.LTable)
	if !ok {
		return f, wrongField(path, " is %s, it takes a table, as in { name = value }", sandbox.Describe(v))
	}
	for k, v := t.Next(glua.LNil); k != glua.LNil; k, v = t.Next(k) {
		name, ok := k.(glua.LString)
		if at, isWhole := toWhole(k); isWhole && at-1 < uint64(len(positions)) {
			name, ok = glua.LString(positions[at-1]), true
		}
		if !ok {
			return f, wrongField(path, " has %s without a name, it takes name = value", sandbox.Describe(v))
		}
		if !f.has(string(name)) {
			f.names = append(f.names, string(name))
		}
		f.value[string(name)] = v
	}
	return f, nil
}

// only refuses unknown names.
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

// count returns how many of the names are present.
func (f fields) count(names ...string) (n int) {
	for _, name := range names {
		if f.has(name) {
			n++
		}
	}
	return n
}

// get returns a value, or Lua's nil.
func (f fields) get(name string) glua.LValue {
	if v, ok := f.value[name]; ok {
		return v
	}
	return glua.LNil
}

// number returns a number from low to high, 0 if it is absent.
func (f fields) number(name string, low, high float64) (float64, error) {
	v, ok := f.value[name]
	if !ok {
		return 0, nil
	}
	x, ok := v.(glua.LNumber)
	if !ok || !(float64(x) >= low && float64(x) <= high) {
		return 0, wrongField(f.at(name), " is %s, it takes %s", sandbox.Describe(v), numbers(low, high))
	}
	return float64(x), nil
}

// numbers describes a range of numbers.
func numbers(low, high float64) string {
	switch bounded, limited := !math.IsInf(low, -1), !math.IsInf(high, 1); {
	case bounded && limited:
		return fmt.Sprintf("a number, %s to %s", run.Text(low), run.Text(high))
	case bounded:
		return fmt.Sprintf("a number from %s on", run.Text(low))
	case limited:
		return fmt.Sprintf("a number up to %s", run.Text(high))
	}
	return "a number"
}

// whole returns a whole number of at least low, 0 if it is absent. If endless is set,
// math.huge stands for the largest.
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

// toWhole accepts u64 values and numbers that are exactly whole.
func toWhole(v glua.LValue) (uint64, bool) {
	if ud, ok := v.(*glua.LUserData); ok {
		n, ok := ud.Value.(u64)
		return uint64(n), ok
	}
	return sandbox.Whole(v)
}

// text returns a text, or one of some words; "" if it is absent.
func (f fields) text(name string, words ...string) (string, error) {
	v, ok := f.value[name]
	if !ok {
		return "", nil
	}
	text, ok := v.(glua.LString)
	if ok && (len(words) == 0 || slices.Contains(words, string(text))) {
		return string(text), nil
	}
	allowed := "a text"
	if len(words) > 0 {
		allowed = `"` + strings.Join(words, `" or "`) + `"`
	}
	return "", wrongField(f.at(name), " is %s, it takes %s", sandbox.Describe(v), allowed)
}

// flag returns true or false; false if it is absent.
func (f fields) flag(name string) (bool, error) {
	if !f.has(name) {
		return false, nil
	}
	return flag(f.at(name), f.value[name])
}

func flag(path string, v glua.LValue) (bool, error) {
	if flag, ok := v.(glua.LBool); ok {
		return bool(flag), nil
	}
	return false, wrongField(path, " is %s, it takes true or false", sandbox.Describe(v))
}

// list reads the items of a table without names.
func list(path string, v glua.LValue) ([]glua.LValue, error) {
	t, ok := v.(*glua.LTable)
	if !ok {
		return nil, wrongField(path, " is %s, it takes a list, as in { a, b }", sandbox.Describe(v))
	}
	var items []glua.LValue
	for k, v := t.Next(glua.LNil); k != glua.LNil; k, v = t.Next(k) {
		if number, ok := k.(glua.LNumber); !ok || int(number) != len(items)+1 {
			return nil, wrongField(path, " has %s at %s, it takes a list without gaps or names, as in { a, b }", sandbox.Describe(v), k)
		}
		items = append(items, v)
	}
	return items, nil
}

// isNamed reports whether a value is a table with a named value.
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

// isName matches the names of options and axes.
var isName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString

// scalar converts a value of options, axes and summaries: a finite number, a text without
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

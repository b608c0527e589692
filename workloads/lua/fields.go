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

// fields are the named values of a Lua table. Errors name the path of the field: shape.load.
type fields struct {
	path  string
	names []string // in the script's order
	value map[string]glua.LValue
	err   error // the first error of read
}

// named reads a table of named values. The first values without a name get those of their positions.
func named(path string, v glua.LValue, positions ...string) (*fields, error) {
	f := &fields{path: path, value: map[string]glua.LValue{}}
	t, ok := v.(*glua.LTable)
	if !ok {
		return f, wrongValue(path, v, "a table, as in { name = value }")
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

func only(path string, v glua.LValue, known []string, positions ...string) (*fields, error) {
	f, err := named(path, v, positions...)
	for _, name := range f.names {
		if err == nil && !slices.Contains(known, name) {
			err = &fieldError{path: f.at(name), text: fmt.Sprintf("%s: %v", path, nearest.Unknown("field", name, known))}
		}
	}
	return f, err
}

// eachNamed reads a table of named values in the script's order.
func eachNamed(path string, v glua.LValue, read func(path, name string, v glua.LValue) error) error {
	f, err := named(path, v)
	for _, name := range f.names {
		if err == nil {
			err = read(f.at(name), name, f.value[name])
		}
	}
	return err
}

// decode reads named values into the fields of a struct with the tag lua. The other tags are those of convert.
func decode(path string, v glua.LValue, into any, positions ...string) (*fields, error) {
	target := reflect.ValueOf(into).Elem()
	var known []string
	for _, member := range reflect.VisibleFields(target.Type()) {
		if name, ok := member.Tag.Lookup("lua"); ok {
			known = append(known, name)
		}
	}
	f, err := only(path, v, known, positions...)
	if err != nil {
		return f, err
	}
	for _, member := range reflect.VisibleFields(target.Type()) {
		f.read(member.Tag.Get("lua"), target.FieldByIndex(member.Index).Addr().Interface(), member.Tag)
	}
	return f, f.err
}

func (f *fields) at(name string) string { return f.path + "." + name }

func (f *fields) has(name string) bool { return f.value[name] != nil }

func (f *fields) count(names ...string) (n int) {
	for _, name := range names {
		if f.has(name) {
			n++
		}
	}
	return n
}

func (f *fields) get(name string) glua.LValue {
	if v, ok := f.value[name]; ok {
		return v
	}
	return glua.LNil
}

// read stores a value. An absent one changes nothing.
func (f *fields) read(name string, into any, tag reflect.StructTag) {
	if v, ok := f.value[name]; ok && f.err == nil {
		f.err = convert(f.at(name), v, into, tag)
	}
}

// convert stores a value. The tags min and max bound numbers (max:"inf" allows math.huge), oneof lists texts.
func convert(path string, v glua.LValue, into any, tag reflect.StructTag) error {
	ok, takes := true, ""
	switch into := into.(type) {
	case *glua.LValue:
		*into = v
	case *bool:
		ok, takes = v.Type() == glua.LTBool, "true or false"
		*into = v == glua.LTrue
	case *string:
		words := strings.Fields(tag.Get("oneof"))
		ok, takes = v.Type() == glua.LTString && (len(words) == 0 || slices.Contains(words, v.String())), "a text"
		if len(words) > 0 {
			takes = `"` + strings.Join(words, `" or "`) + `"`
		}
		*into = v.String()
	case *uint64:
		low, _ := strconv.ParseUint(tag.Get("min"), 10, 64)
		if *into, ok = toWhole(v); v == glua.LNumber(math.Inf(1)) && tag.Get("max") == "inf" {
			*into, ok = math.MaxUint64, true
		}
		ok, takes = ok && *into >= low, fmt.Sprintf("a whole number from %d on", low)
	case *float64:
		low, high := bound(tag.Get("min"), -1), bound(tag.Get("max"), 1)
		x, isNumber := v.(glua.LNumber)
		ok, takes = isNumber && float64(x) >= low && float64(x) <= high, numbers(low, high)
		*into = float64(x)
	}
	if !ok {
		return wrongValue(path, v, takes)
	}
	return nil
}

// bound parses a bound of a number; without text it is infinite.
func bound(text string, sign int) float64 {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x
	}
	return math.Inf(sign)
}

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

// toWhole accepts u64 values and numbers that are exactly whole.
func toWhole(v glua.LValue) (uint64, bool) {
	if n, ok := sandbox.Value[u64](v); ok {
		return uint64(n), true
	}
	return sandbox.Whole(v)
}

func list(path string, v glua.LValue) ([]glua.LValue, error) {
	t, ok := v.(*glua.LTable)
	if !ok {
		return nil, wrongValue(path, v, "a list, as in { a, b }")
	}
	var items []glua.LValue
	for k, v := t.Next(glua.LNil); k != glua.LNil; k, v = t.Next(k) {
		if k != glua.LNumber(len(items)+1) {
			return nil, wrongField(path, " has %s at %s, it takes a list without gaps or names, as in { a, b }", sandbox.Describe(v), k)
		}
		items = append(items, v)
	}
	return items, nil
}

func isNamed(v glua.LValue) bool {
	t, ok := v.(*glua.LTable)
	if !ok {
		return false
	}
	first, _ := t.Next(glua.LNil)
	return first.Type() == glua.LTString
}

var isName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString

// scalar converts a value of options, axes and summaries; numbers are finite, texts have no control characters.
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

package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/number"
)

// Fields are the named values of a Lua table. Errors name the path of the field: shape.load, or the field alone
// if there is no path.
type Fields struct {
	Path  string
	Err   error    // the first error of Read
	names []string // in the script's order
	value map[string]glua.LValue
}

// named reads a table of named values. The first values without a name get those of their positions.
func named(path string, v glua.LValue, positions ...string) (*Fields, error) {
	f := &Fields{Path: path, value: map[string]glua.LValue{}}
	t, ok := v.(*glua.LTable)
	if !ok {
		return f, WrongValue(path, v, "a table, as in { name = value }")
	}
	for k, v := t.Next(glua.LNil); k != glua.LNil; k, v = t.Next(k) {
		name, ok := k.(glua.LString)
		if at, isWhole := Whole(k); isWhole && at-1 < uint64(len(positions)) {
			name, ok = glua.LString(positions[at-1]), true
		}
		if !ok {
			return f, WrongField(path, " has %s without a name, it takes name = value", Describe(v))
		}
		if !f.Has(string(name)) {
			f.names = append(f.names, string(name))
		}
		f.value[string(name)] = v
	}
	return f, nil
}

// Only reads a table of named values. Unknown names are errors.
func Only(path string, v glua.LValue, known []string, positions ...string) (*Fields, error) {
	f, err := named(path, v, positions...)
	for _, name := range f.names {
		if err == nil && !slices.Contains(known, name) {
			text := strings.TrimPrefix(fmt.Sprintf("%s: %v", path, nearest.Unknown("field", name, known)), ": ")
			err = &FieldError{Path: f.At(name), Text: text}
		}
	}
	return f, err
}

// EachNamed reads a table of named values in the script's order.
func EachNamed(path string, v glua.LValue, read func(path, name string, v glua.LValue) error) error {
	f, err := named(path, v)
	if err != nil {
		return err
	}
	return lists.Each(f.names, func(name string) error { return read(f.At(name), name, f.value[name]) })
}

// Decode reads named values into the fields of a struct with the tag lua. The other tags are those of Convert.
func Decode(path string, v glua.LValue, into any, positions ...string) (*Fields, error) {
	target := reflect.ValueOf(into).Elem()
	var known []string
	for _, member := range reflect.VisibleFields(target.Type()) {
		if name, ok := member.Tag.Lookup("lua"); ok {
			known = append(known, name)
		}
	}
	f, err := Only(path, v, known, positions...)
	if err != nil {
		return f, err
	}
	for _, member := range reflect.VisibleFields(target.Type()) {
		f.Read(member.Tag.Get("lua"), target.FieldByIndex(member.Index).Addr().Interface(), member.Tag)
	}
	return f, f.Err
}

// At returns the path of a field.
func (f *Fields) At(name string) string { return lists.Either(f.Path == "", name, f.Path+"."+name) }

// Has reports whether a field is given.
func (f *Fields) Has(name string) bool { return f.value[name] != nil }

// Count returns how many of some fields are given.
func (f *Fields) Count(names ...string) int { return len(lists.Filter(names, f.Has)) }

// Get returns the value of a field, or nil.
func (f *Fields) Get(name string) glua.LValue { return cmp.Or(f.value[name], glua.LNil) }

// Read stores a value. An absent one changes nothing.
func (f *Fields) Read(name string, into any, tag reflect.StructTag) {
	if v, ok := f.value[name]; ok && f.Err == nil {
		f.Err = Convert(f.At(name), v, into, tag)
	}
}

// Convert stores a value. The tags min and max bound numbers (max:"inf" allows math.huge), oneof lists texts. A list of
// texts may be a single one.
func Convert(path string, v glua.LValue, into any, tag reflect.StructTag) error {
	if optional := reflect.ValueOf(into).Elem(); optional.Kind() == reflect.Pointer { // nil stands for an absent value
		optional.Set(reflect.New(optional.Type().Elem()))
		return Convert(path, v, optional.Interface(), tag)
	}
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
		*into = OneLine(v.String())
	case *[]string:
		return convertTexts(path, v, into)
	case *map[string][]string:
		*into = map[string][]string{}
		return EachNamed(path, v, func(path, name string, v glua.LValue) error {
			var values []string
			err := convertTexts(path, v, &values)
			(*into)[name] = values
			return err
		})
	case *uint64:
		low, _ := strconv.ParseUint(tag.Get("min"), 10, 64)
		if *into, ok = Whole(v); v == glua.LNumber(math.Inf(1)) && tag.Get("max") == "inf" {
			*into, ok = math.MaxUint64, true
		}
		ok, takes = ok && *into >= low, fmt.Sprintf("a whole number from %d on", low)
	case *float64:
		low, high := bound(tag.Get("min"), -1), bound(tag.Get("max"), 1)
		x, isNumber := v.(glua.LNumber)
		ok, takes = isNumber && float64(x) >= low && float64(x) <= high, Numbers(low, high)
		*into = float64(x)
	}
	if !ok {
		return WrongValue(path, v, takes)
	}
	return nil
}

// convertTexts reads a value or a list of values as texts.
func convertTexts(path string, v glua.LValue, into *[]string) error {
	values := []glua.LValue{v}
	if v.Type() == glua.LTTable {
		var err error
		if values, err = List(path, v); err != nil {
			return err
		}
	}
	texts, err := lists.TryMap(values, func(v glua.LValue) (string, error) { return Text(path, v) })
	*into = texts
	return err
}

// Text returns a scalar as text.
func Text(path string, v glua.LValue) (string, error) {
	value, ok := Scalar(v)
	if !ok {
		return "", WrongValue(path, v, "a number or a text")
	}
	if x, isNumber := value.(float64); isNumber {
		return number.Text(x), nil
	}
	return fmt.Sprint(value), nil
}

// Scalar returns a number, text or boolean. Numbers are finite, texts have no control characters.
func Scalar(v glua.LValue) (any, bool) {
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

// bound parses a bound of a number; without text it is infinite.
func bound(text string, sign int) float64 {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x
	}
	return math.Inf(sign)
}

// Numbers describes the numbers between two bounds, which may be infinite.
func Numbers(low, high float64) string {
	switch bounded, limited := !math.IsInf(low, -1), !math.IsInf(high, 1); {
	case bounded && limited:
		return fmt.Sprintf("a number, %s to %s", number.Text(low), number.Text(high))
	case bounded:
		return fmt.Sprintf("a number from %s on", number.Text(low))
	case limited:
		return fmt.Sprintf("a number up to %s", number.Text(high))
	}
	return "a number"
}

// List returns the items of a list.
func List(path string, v glua.LValue) (items []glua.LValue, _ error) {
	t, ok := v.(*glua.LTable)
	if !ok {
		return nil, WrongValue(path, v, "a list, as in { a, b }")
	}
	for k, v := t.Next(glua.LNil); k != glua.LNil; k, v = t.Next(k) {
		if k != glua.LNumber(len(items)+1) {
			return nil, WrongField(path, " has %s at %s, it takes a list without gaps or names, as in { a, b }", Describe(v), k)
		}
		items = append(items, v)
	}
	return items, nil
}

// IsNamed reports whether a value is a table of named values.
func IsNamed(v glua.LValue) bool {
	t, ok := v.(*glua.LTable)
	if !ok {
		return false
	}
	first, _ := t.Next(glua.LNil)
	return first.Type() == glua.LTString
}

// FieldError is a mistake in a named value. The path, such as shape.load, tells its line.
type FieldError struct {
	Path, Text string
	Err        error // the wrapped error, or nil
}

func (e *FieldError) Error() string { return e.Text }

func (e *FieldError) Unwrap() error { return e.Err }

// WrongField returns an error that begins with the path.
func WrongField(path, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &FieldError{path, strings.TrimSpace(path + err.Error()), errors.Unwrap(err)}
}

// WrongValue is the error for a value of the wrong kind.
func WrongValue(path string, v glua.LValue, takes string) error {
	return WrongField(path, " is %s, it takes %s", Describe(v), takes)
}

package report

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// conditions are a part of a run's provenance, side by side.
type conditions struct {
	Title string
	Sides []string
	Rows  []condition
}

// condition is a property and its values, one for each side.
type condition struct {
	Name, Help string
	Values     []string
	Differs    bool
}

// property is a leaf of results.Run.
type property struct {
	group, name, help, text string
	varies                  bool // it is measured, and differs between equal runs
}

// conditionsOf shows all that a run records about itself, however much that is.
func conditionsOf(sides []analysis.Side) (list []conditions) {
	var order []property
	values := map[property][][]string{} // by property without its text: of each side, of each file
	var names []string
	for i, s := range sides {
		names = append(names, s.Name)
		for _, f := range s.Files {
			for _, p := range properties(f) {
				key := p
				key.text = ""
				if values[key] == nil {
					order, values[key] = append(order, key), make([][]string, len(sides))
				}
				values[key][i] = append(values[key][i], p.text)
			}
		}
	}
	for _, key := range order {
		of := lists.At(&list, func(c conditions) bool { return c.Title == key.group }, conditions{Title: key.group, Sides: names})
		of.Rows = append(of.Rows, newCondition(key, values[key]))
	}
	return list
}

func newCondition(key property, values [][]string) condition {
	texts := lists.Map(values, func(ofFiles []string) string { return strings.Join(lists.Unique(ofFiles), ", ") })
	c := condition{Name: key.name, Help: key.help, Values: texts}
	c.Differs = !key.varies && len(lists.Unique(c.Values)) > 1
	return c
}

// properties are what a run says about itself, but for the command and the script, which are shown elsewhere.
func properties(f analysis.File) (list []property) {
	v := reflect.ValueOf(f.Run)
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch {
		case field.Name == "Command" || field.Name == "Script" || field.Name == "Started":
		case nested(v.Field(i)):
			list = append(list, leaves(label(field), "", v.Field(i))...)
		default:
			list = append(list, leaf("run", label(field), field.Tag.Get("doc"), v.Field(i))...)
		}
	}
	if f.Run.Script != nil {
		list = append(list, leaves("options of the script", "", reflect.ValueOf(f.Run.Script.Options))...)
	}
	for _, p := range leaves("while it ran", "", reflect.ValueOf(f.End.Conditions)) {
		p.varies = true
		list = append(list, p)
	}
	return list
}

// nested reports whether a value has parts of its own.
func nested(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Struct:
		return v.Type() != reflect.TypeFor[time.Time]() && v.Type() != reflect.TypeFor[results.Span]()
	case reflect.Map, reflect.Pointer:
		return true
	}
	return false
}

func label(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return strings.ReplaceAll(name, "_", " ")
}

// leaves are the leaves of a struct or a map.
func leaves(group, before string, v reflect.Value) (list []property) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return leaves(group, before, v.Elem())
		}
	case reflect.Map:
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }) {
			list = append(list, leaf(group, before+key.String(), "", v.MapIndex(key))...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			switch inner := v.Field(i); {
			case inner.Type() == reflect.TypeFor[map[string]results.Span](): // whose names say it all
				list = append(list, leaves(group, before, inner)...)
			case nested(inner):
				list = append(list, leaves(group, before+label(field)+" ", inner)...)
			default:
				list = append(list, leaf(group, before+label(field), field.Tag.Get("doc"), inner)...)
			}
		}
	default:
		return leaf(group, strings.TrimSpace(before), "", v)
	}
	return list
}

// leaf is a property, unless it is absent.
func leaf(group, name, help string, v reflect.Value) []property {
	if v.IsZero() && v.Kind() != reflect.Bool && !v.CanUint() {
		return nil
	}
	return []property{{group: group, name: strings.ReplaceAll(name, "_", " "), help: help, text: propertyText(name, v.Interface())}}
}

func propertyText(name string, v any) string {
	switch x := v.(type) {
	case time.Time:
		return x.UTC().Format("2006-01-02 15:04:05 UTC")
	case string:
		return x
	case []string:
		return strings.Join(x, " ")
	case results.Span:
		return fmt.Sprintf("%.4g (%.4g to %.4g)", x.Median, x.Least, x.Most)
	case int64:
		if strings.HasSuffix(name, "bytes") {
			return fmt.Sprintf("%d (%.1f GiB)", x, float64(x)/(1<<30))
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	numbers "github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// runOf describes one side, with the command that repeats it.
type runOf struct {
	Name, About, Device, When, Seed string
	Command                         []string // quoted for a shell
}

func newRun(s analysis.Side) runOf {
	run := s.Files[0].Run
	d := run.Device
	workers := numbers.Count(d.Threads, lists.Either(d.Driver != "", "multiprocessor", "thread"))
	r := runOf{Name: s.Name, About: run.Script.Title(), When: when(s),
		Device: fmt.Sprintf("%s (%s), %s, on %s", d.Model, d.Name, workers, run.Host.Name),
		Seed:   strings.Join(lists.Unique(lists.Map(s.Files, func(f analysis.File) string { return fmt.Sprint(f.Run.Seed) })), ", ")}
	r.Command, _ = analysis.Repeated(run.Command, len(s.Files))
	return r
}

// when says when the runs began and how long they took.
func when(s analysis.Side) string {
	first, took := s.Files[0].Run.Started, time.Duration(0)
	for _, f := range s.Files {
		if f.Run.Started.Before(first) {
			first = f.Run.Started
		}
		took += f.End.Finished.Sub(f.Run.Started)
	}
	text := first.UTC().Format("2006-01-02 15:04 UTC")
	if took > 0 {
		text += ", took " + took.Round(time.Second/10).String()
	}
	if n := len(s.Files); n > 1 {
		text += fmt.Sprintf(", in %d runs", n)
	}
	return text
}

// source is a script that was run.
type source struct{ Name, Text string }

func sourcesOf(sides []analysis.Side) (list []source) {
	for _, f := range analysis.Files(sides) {
		if f.Run.Script != nil {
			list = lists.Add(list, source{f.Run.Script.Name, strings.ReplaceAll(f.Run.Script.Source, "\r\n", "\n")})
		}
	}
	return list
}

// conditions are a part of a run's provenance, side by side.
type conditions struct {
	Title string
	Sides []string
	Rows  []condition
}

// condition is a property, with its different values on each side.
type condition struct {
	property
	texts [][]string
}

// Values are those of the sides.
func (c condition) Values() []string {
	return lists.Map(c.texts, func(texts []string) string { return strings.Join(texts, ", ") })
}

// Differs reports whether the sides have different values, where equal runs have the same.
func (c condition) Differs() bool { return !c.varies && len(lists.Unique(c.Values())) > 1 }

// property is a leaf of results.Run.
type property struct {
	group, Name, Help, text string
	varies                  bool // it is measured, and differs between equal runs
}

// conditionsOf shows all that a run records about itself, however much that is.
func conditionsOf(sides []analysis.Side) (list []conditions) {
	names := lists.Map(sides, func(s analysis.Side) string { return s.Name })
	for i, s := range sides {
		for _, f := range s.Files {
			for _, p := range properties(f) {
				of := lists.At(&list, func(c conditions) bool { return c.Title == p.group }, conditions{Title: p.group, Sides: names})
				row := lists.At(&of.Rows, func(c condition) bool { return c.Name == p.Name }, condition{p, make([][]string, len(sides))})
				row.texts[i] = lists.Add(row.texts[i], p.text)
			}
		}
	}
	return list
}

// properties are the facts recorded about a run, but for the command and the script, which are shown elsewhere.
func properties(f analysis.File) []property {
	run, options := f.Run, cmp.Or(f.Run.Script, &results.Script{}).Options
	run.Command, run.Script, run.Started = nil, nil, time.Time{}
	list := leaves("", "", reflect.ValueOf(run))
	list = append(list, leaves("options of the script", "", reflect.ValueOf(options))...)
	for _, p := range leaves("while it ran", "", reflect.ValueOf(f.End.Conditions)) {
		p.varies = true
		list = append(list, p)
	}
	return list
}

// leaf reports whether a value is shown as one text.
func leaf(v reflect.Value) bool {
	one := v.Type() == reflect.TypeFor[time.Time]() || v.Type() == reflect.TypeFor[results.Span]()
	return one || v.Kind() != reflect.Struct && v.Kind() != reflect.Map && v.Kind() != reflect.Pointer
}

// leaves are the values in a struct or a map that are not absent. The first name on the way to them is that of their group.
func leaves(path, help string, v reflect.Value) (list []property) {
	add := func(name, help string, v reflect.Value) {
		list = append(list, leaves(strings.Trim(path+"\n"+name, "\n"), help, v)...)
	}
	switch {
	case leaf(v):
		group, name, inside := strings.Cut(path, "\n")
		if !inside {
			group, name = "run", group
		}
		if !v.IsZero() || v.Kind() == reflect.Bool || v.CanUint() {
			list = []property{{group: group, Name: strings.NewReplacer("\n", " ", "_", " ").Replace(name), Help: help, text: propertyText(path, v.Interface())}}
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		add("", "", v.Elem())
	case v.Kind() == reflect.Map:
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }) {
			add(key.String(), "", v.MapIndex(key))
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if v.Field(i).Type() == reflect.TypeFor[map[string]results.Span]() { // whose names say it all
				name = ""
			}
			add(strings.ReplaceAll(name, "_", " "), v.Type().Field(i).Tag.Get("doc"), v.Field(i))
		}
	}
	return list
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
	return lists.Either(err != nil, fmt.Sprint(v), string(text))
}

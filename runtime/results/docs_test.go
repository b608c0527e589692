package results

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"
)

const (
	docs  = "../../docs/running.md"
	begin = "<!-- generated from the Go types: go test ./runtime/results -update -->\n"
)

// The fields of results in docs/running.md match the Go types.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile(docs)
	prose, _, ok := bytes.Cut(page, []byte(begin))
	must.Need(t, err == nil && ok, "%s lacks the line %s: %v", docs, begin, err)
	must.Golden(t, docs, string(prose)+begin+describe(t))
}

// describe writes a list for each struct of the schema.
func describe(t *testing.T) string {
	var text strings.Builder
	todo, done := []reflect.Type{reflect.TypeFor[Document]()}, []reflect.Type(nil)
	for len(todo) > 0 {
		next := todo[0]
		todo = todo[1:]
		if slices.Contains(done, next) {
			continue
		}
		done = append(done, next)
		fmt.Fprintf(&text, "\n### %s\n\n", next.Name())
		for i := range next.NumField() {
			field := next.Field(i)
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			help := field.Tag.Get("doc")
			must.Hold(t, name != "" && help != "", "%s.%s has no json name or no doc", next.Name(), field.Name)
			if options == "omitempty" || options == "omitzero" {
				name += "?"
			}
			fmt.Fprintf(&text, "- `%s`%s: %s\n", name, strings.TrimSuffix(" "+typeName(field.Type, &todo), " text"), help)
		}
	}
	return text.String()
}

// typeName names a Go type in JSON terms and queues structs of the schema.
func typeName(t reflect.Type, todo *[]reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time"
	case t.Kind() == reflect.Pointer:
		return typeName(t.Elem(), todo)
	case t.Kind() == reflect.Slice:
		return typeName(t.Elem(), todo) + "s"
	case t.Kind() == reflect.Map:
		return typeName(t.Elem(), todo) + "s by name"
	case t.Kind() == reflect.Interface:
		return "value"
	case t == reflect.TypeFor[Plot]():
		return "[Plot](lua.md#plots)"
	case t.Kind() == reflect.Struct:
		*todo = append(*todo, t)
		return fmt.Sprintf("[%s](#%s)", t.Name(), strings.ToLower(t.Name()))
	}
	names := map[reflect.Kind]string{reflect.String: "text", reflect.Bool: "boolean", reflect.Float64: "number"}
	return cmp.Or(names[t.Kind()], "integer")
}

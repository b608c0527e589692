package analysis

import (
	"io"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// benchmarks writes the rows of all files for benchstat, which tells the sides apart by
// their configuration: benchstat -col side.
func (c Comparison) benchmarks(w io.Writer) error {
	out := benchfmt.NewWriter(w)
	for _, side := range c.sides {
		for _, f := range side.Files {
			for _, row := range f.Rows {
				r := benchmark(row)
				r.Config = []benchfmt.Config{setting("side", side.Name), setting("device", f.Run.Device.Model)}
				if err := out.Write(r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// setting is a line of the file, which holds for the benchmarks below it.
func setting(key, value string) benchfmt.Config {
	return benchfmt.Config{Key: key, Value: []byte(results.Plain(value)), File: true}
}

func benchmark(row results.Row) *benchfmt.Result {
	k := KeyOf(row)
	name := []string{"Table", "scheme=" + k.Scheme, "op=" + k.phaseAndOp(), "pair=" + k.Pair}
	name = append(name, strings.Fields(k.Point)...)
	each := 1e3 / row.Rate // nanoseconds
	ns, _ := benchunit.Tidy(each, "ns/op")
	return &benchfmt.Result{Name: benchfmt.Name(strings.Join(lists.Map(name, underscored), "/")), Iters: int(max(row.Completed, 1)), Values: []benchfmt.Value{
		{Value: ns, Unit: "sec/op", OrigValue: each, OrigUnit: "ns/op"},
	}}
}

// underscored replaces spaces, which end a name there.
func underscored(part string) string {
	return strings.Map(func(r rune) rune { return lists.Either(unicode.IsSpace(r), '_', r) }, results.Plain(part))
}

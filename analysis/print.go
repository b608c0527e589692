package analysis

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// formats write a comparison.
var formats = map[string]func(Comparison, io.Writer) error{
	"table":    func(c Comparison, w io.Writer) error { return c.Table().Print(w, c.Remarks()...) },
	"markdown": Comparison.markdown,
	"csv":      func(c Comparison, w io.Writer) error { return c.Table().CSV(w) },
	"benchfmt": Comparison.benchmarks,
	"json":     func(c Comparison, w io.Writer) error { return results.WriteJSON(w, c) },
}

// Formats are their names.
var Formats = slices.Sorted(maps.Keys(formats))

func (c Comparison) Write(w io.Writer, format string) error { return formats[format](c, w) }

// Table has a line for each row.
func (c Comparison) Table() results.Table {
	t := results.TableOf("scheme | operation | #old | #new | #ratio | #95 % | verdict", c.Rows, func(r Row) []string {
		return []string{r.Scheme, r.title(), results.RateText(r.Old), results.RateText(r.New), fmt.Sprintf("%.3f", r.Ratio),
			lists.Either(r.unbounded(), "?", fmt.Sprintf("%.3f to %.3f", r.Low, r.High)), strings.TrimSuffix(r.Verdict.String()+", "+r.Note, ", ")}
	})
	t.Keys, t.Columns[2].Unit, t.Columns[3].Unit, t.Columns[5].Unit = 2, "Mop/s", "Mop/s", "of the ratio"
	if len(c.Rows) > 0 && c.Rows[0].Against != "" {
		t.Columns[2].Title, t.Columns[3].Title = c.Old, "scheme"
	}
	return t
}

// Remarks are the lines below the table.
func (c Comparison) Remarks() []string {
	list := lists.Map(c.Warnings, func(w string) string { return "warning: " + w })
	list = append(list, lists.Map(lists.Groups(c.Left, func(l LeftOut) string { return l.Reason }), func(same []LeftOut) string {
		rows := lists.Map(same, func(l LeftOut) string { return l.Scheme + " " + l.title() })
		return fmt.Sprintf("not compared, %s: %s", same[0].Reason, strings.Join(rows, ", "))
	})...)
	if len(c.Rows) == 0 {
		list = append(list, "nothing to compare")
	} else {
		some := lists.Filter([]Kind{Faster, Slower, Same, Unclear}, func(k Kind) bool { return c.Count(k, 0) > 0 })
		parts := lists.Map(some, func(k Kind) string { return fmt.Sprintf("%d %s", c.Count(k, 0), k) })
		list = append(list, fmt.Sprintf("%s; a difference up to %g %% counts as none", strings.Join(parts, ", "), 100*c.options.Least))
	}
	if c.Count(Unclear, 0) > 0 {
		list = append(list, c.hint())
	}
	return append([]string{""}, list...)
}

// Against are the remarks below a table of the new side with a column of ratios.
func (c Comparison) Against() []string {
	legend := fmt.Sprintf("ratio: to the rates of %s; + faster, - slower, = same, ~ unclear", c.Old)
	return append([]string{"", legend}, c.Remarks()[1:]...)
}

// hint says how to learn more about the rows that are unclear.
func (c Comparison) hint() string {
	runs, needed, few := math.MaxInt, 0, false
	for _, r := range c.Rows {
		if r.Verdict == Unclear {
			runs, needed, few = min(runs, r.Runs), max(needed, r.needed(c.options.Least)), few || r.unbounded()
		}
	}
	switch {
	case few:
		return fmt.Sprintf("unclear: rows of fewer than %d batches say nothing about the noise; hint: run more batches, or %s", results.LeastRuns, c.again(5))
	case runs < 2 && len(c.sides) < 2:
		return "unclear: the batches differ too much; hint: run more of them, or " + c.again(5)
	case runs < 2:
		return fmt.Sprintf("unclear: a side was run once, and equal runs are taken to differ by %g %%; hint: %s", 100*c.options.Spread, c.again(5))
	case needed > 100:
		return "unclear: the runs differ too much; hint: keep the machine free of other work, or run more and larger batches"
	}
	return fmt.Sprintf("unclear: about %d runs on each side would settle it; hint: %s", needed, c.again(needed))
}

// again says how to repeat the runs.
func (c Comparison) again(times int) string {
	words, repeats := Repeated(c.repeat, times)
	each := map[bool]string{false: fmt.Sprintf(" %d times", times)}[repeats]
	return fmt.Sprintf("repeat each run%s: %s --json FILE", each, strings.Join(words, " "))
}

// needed is about how many runs would make the interval narrow enough for a verdict.
func (e Estimate) needed(least float64) int {
	half, wanted := math.Log(e.High/e.Low)/2, max(math.Abs(math.Log(e.Ratio)), least)/2
	return int(math.Ceil(float64(e.Runs) * half * half / wanted / wanted))
}

// markdown adds the remarks as a list.
func (c Comparison) markdown(w io.Writer) error {
	err := c.Table().Markdown(w)
	fmt.Fprintln(w)
	return cmp.Or(err, results.List(w, c.Remarks()[1:]))
}

// Repeating are the commands that take --processes.
var Repeating = []string{"run", "bench"}

// Command returns a command line without what says where its results go and how often it runs.
func Command(given []string) (words []string) {
	for i := 0; i < len(given); i++ {
		switch flag, _, joined := strings.Cut(given[i], "="); {
		case flag == "--materialise": // of --record
		case !slices.Contains([]string{"--json", "--ndjson", "--record", "--processes", "--baseline"}, flag):
			words = append(words, given[i])
		case !joined:
			i++
		}
	}
	return words
}

// Repeated returns the words of a command line that runs the same several times, quoted for a shell; repeats is false
// if the command cannot, so that they run it once.
func Repeated(given []string, times int) (words []string, repeats bool) {
	words = lists.Map(Command(given), Shell)
	if repeats = len(words) > 1 && slices.Contains(Repeating, words[1]); repeats && times > 1 {
		words = append(words, fmt.Sprintf("--processes %d", times))
	}
	return words, repeats
}

// Flags are the words that give a command a flag with each of the values.
func Flags(flag string, values []string) []string {
	return slices.Concat(lists.Map(values, func(value string) []string { return []string{flag, value} })...)
}

// Shell quotes a word of a command line where a shell would change it.
func Shell(word string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,+%@", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !safe(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

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
	name = lists.Map(append(name, strings.Fields(k.Point)...), func(part string) string { // a space would end the name
		return strings.Map(func(r rune) rune { return lists.Either(unicode.IsSpace(r), '_', r) }, results.Plain(part))
	})
	each := 1e3 / row.Rate // nanoseconds
	ns, _ := benchunit.Tidy(each, "ns/op")
	return &benchfmt.Result{Name: benchfmt.Name(strings.Join(name, "/")), Iters: int(max(row.Completed, 1)), Values: []benchfmt.Value{
		{Value: ns, Unit: "sec/op", OrigValue: each, OrigUnit: "ns/op"},
	}}
}

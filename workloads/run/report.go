package run

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// Report is the results of a run for people.
type Report struct {
	points [][]*line // by scheme; none is empty
	axes   []string
	steps  []step // what was measured, in the order in which it was first done
	own    []string
	sort   string
	base   bool // rates are compared with those of a baseline
}

// line has the results of one scheme at one point.
type line struct {
	point  results.Point
	scheme string
	rows   []results.Row
	ratios []*analysis.Row // of the rows, to those of the baseline; nil: they were not compared
	values map[string]any  // the script's own results
	load   float64         // of the table at the end
	bytes  *float64        // for each pair in it
}

// step is an operation in a phase.
type step struct{ phase, op string }

func (s step) is(row results.Row) bool { return row.Phase == s.phase && row.Op == s.op }

// Ratio is the unit of the columns that compare with a baseline.
const Ratio = "ratio"

// NewReport makes a report. Within each point, schemes are sorted by the column with that
// title, or stay in the order of the run. Ratios are those of the rows to a baseline, if there is one.
func NewReport(axes []Axis, rows []results.Row, ratios []*analysis.Row, summaries []results.Summary, sort string) (*Report, error) {
	r := &Report{sort: sort, axes: lists.Map(axes, func(a Axis) string { return a.Name }), base: len(ratios) > 0}
	for i, row := range rows {
		l := r.add(row)
		if r.base {
			l.ratios = append(l.ratios, ratios[i])
		}
	}
	for l := range r.lines() {
		summaries = r.summarize(l, summaries)
	}
	if sort == "" {
		return r, nil
	}
	return r, r.order()
}

func (r *Report) lines() iter.Seq[*line] { return slices.Values(slices.Concat(r.points...)) }

// add puts a row into its line. Rows come scheme by scheme; a repeated operation is that of the next line.
func (r *Report) add(row results.Row) *line {
	s := step{row.Phase, row.Op}
	r.steps = lists.Add(r.steps, s)
	if n := len(r.points); n == 0 || !maps.Equal(r.points[n-1][0].point, row.Point) {
		r.points = append(r.points, nil)
	}
	lines := &r.points[len(r.points)-1]
	if n := len(*lines); n == 0 || (*lines)[n-1].scheme != row.Scheme || (*lines)[n-1].row(s) != nil {
		*lines = append(*lines, &line{point: row.Point, scheme: row.Scheme})
	}
	l := (*lines)[len(*lines)-1]
	if len(l.rows) == 0 || row.Load >= l.load {
		l.load, l.bytes = row.Load, row.BytesPerPair
	}
	l.rows = append(l.rows, row)
	return l
}

// summarize gives a line its summary, if it was not stopped, and returns those of further lines.
func (r *Report) summarize(l *line, summaries []results.Summary) []results.Summary {
	if len(summaries) == 0 || summaries[0].Scheme != l.scheme || !maps.Equal(summaries[0].Point, l.point) {
		return summaries
	}
	s := summaries[0]
	l.values = s.Values
	if s.Load >= l.load { // otherwise its last phases have emptied it
		l.load, l.bytes = s.Load, finite(float64(s.TableBytes)/float64(s.Size))
	}
	r.own = lists.Add(r.own, slices.Sorted(maps.Keys(l.values))...)
	return summaries[1:]
}

// row returns the scheme's results in a step, or nil.
func (l *line) row(s step) *results.Row {
	if i := slices.IndexFunc(l.rows, s.is); i >= 0 {
		return &l.rows[i]
	}
	return nil
}

// lost is 1 if the table lacked pairs: then the line comes last.
func (l *line) lost() int {
	return lists.Either(slices.ContainsFunc(l.rows, func(row results.Row) bool { return row.Lost != "" }), 1, 0)
}

// title is the operation, with the phase if it ran in several, or the phase if it is named after it.
func (r *Report) title(s step) string {
	switch {
	case strings.HasPrefix(s.phase, s.op+" "):
		return s.phase
	case slices.ContainsFunc(r.steps, func(other step) bool { return other.op == s.op && other.phase != s.phase }):
		return s.phase + " " + s.op
	}
	return s.op
}

// order sorts the lines of each point, except where they are not comparable.
func (r *Report) order() error {
	columns := r.columns()
	at := slices.IndexFunc(columns, func(c column) bool { return r.sort == c.Title || r.sort == c.Title+" "+c.Unit })
	if at < 0 {
		titles := lists.Map(columns, func(c column) string { return c.Title })
		return nearest.Unknown("column", r.sort, lists.Add(nil, titles...))
	}
	for _, lines := range r.points {
		if !has(lines, func(row results.Row) bool { return row.Compare != "" }) {
			slices.SortStableFunc(lines, columns[at].compare)
			slices.SortStableFunc(lines, func(a, b *line) int { return a.lost() - b.lost() })
		}
	}
	return nil
}

// Table has a line for each scheme at each point.
func (r *Report) Table() results.Table {
	columns := r.columns()
	axes := lists.Map(r.axes, func(axis string) column {
		return column{results.Column{Title: axis, Number: true}, false, func(l *line) cell { return cell{text: Text(l.point[axis])} }}
	})
	columns = slices.Insert(columns, 1, axes...)
	t := results.Table{Columns: lists.Map(columns, func(c column) results.Column { return c.Column }), Keys: 1 + len(axes)}
	for i, lines := range r.points {
		if i > 0 && len(lines) > 1 {
			t.Rows = append(t.Rows, nil)
		}
		t.Rows = append(t.Rows, lists.Map(lines, func(l *line) []string {
			return lists.Map(columns, func(c column) string { return c.cell(l).text })
		})...)
	}
	return t
}

// Remarks explain the marks in the table, and what to know when comparing its lines.
func (r *Report) Remarks(summaries []results.Summary) (list []string) {
	add := func(remark string) { list = lists.Add(list, remark) }
	for l := range r.lines() {
		switch text := results.NoiseText(l.measured()); {
		case text == "?":
			add(fmt.Sprintf("? fewer than %d runs say nothing about the noise", results.LeastRuns))
		case text == results.NoFigure:
			add("no figure: the noise is above 50 percent; hint: run more or larger batches, or keep the machine free of other work")
		case strings.HasSuffix(text, "*"):
			add("* the noise did not come below its bound, or there were fewer runs than repeat.least")
		}
		for _, row := range l.rows {
			r.remarksOn(row, r.Where(l.point), add)
		}
	}
	for _, s := range summaries {
		for _, c := range s.Thresholds {
			if !c.Holds {
				add(fmt.Sprintf("%s%s: the threshold %s does not hold: it has %v", s.Scheme, r.Where(s.Point), c.Condition, c.Value))
			}
		}
		for _, note := range s.Notes {
			add(fmt.Sprintf("%s%s: %s", s.Scheme, r.Where(s.Point), note))
		}
	}
	return list
}

func (r *Report) remarksOn(row results.Row, where string, add func(string)) {
	title, rejected := r.title(step{row.Phase, row.Op}), row.Counts["rejected"]
	say := func(when bool, format string, args ...any) {
		if when {
			add(fmt.Sprintf(format, args...))
		}
	}
	say(row.Lost != "", "! other contents: %s%s: %s, so these rates are not ranked", row.Scheme, where, row.Lost)
	say(row.Compare != "", "not comparable%s: %s: %s", where, title, row.Compare)
	say(row.Open != nil && !results.Enough(0.99, row.Batches), "- of few: a 99th percentile takes at least 100 batches; hint: make the stage longer or its batches smaller")
	say(len(row.Phases) > 0, "%s runs in phases on %s: %s", title, row.Scheme, strings.Join(row.Phases, ", "))
	if row.Sharing != nil {
		add(fmt.Sprintf("%s%s: %s: %s", row.Scheme, where, title, row.Sharing.Line()))
	}
	say(row.Chunk > 0, "%s: in chunks of up to %d operations", title, row.Chunk)
	say(row.Launch > 0, "%s: in launches of up to %d operations", title, row.Launch)
	say(rejected > 0, "%s%s: %s: %d keys were rejected: the two largest keys are reserved", row.Scheme, where, title, rejected)
	for _, note := range row.Notes {
		add(fmt.Sprintf("%s%s: %s: %s", row.Scheme, where, title, note))
	}
}

// Where returns " at load=0.8", or nothing without axes.
func (r *Report) Where(at results.Point) string {
	return Point(lists.Map(r.axes, func(axis string) Coordinate { return Coordinate{axis, at[axis]} })).Where()
}

// column is a column of the table: lines are sorted by its numbers, with most set from the highest down.
type column struct {
	results.Column
	most bool
	cell func(*line) cell
}

// cell is the entry of a line. Cells without a number are sorted by their text, last.
type cell struct {
	text   string
	number *float64
}

// quantity is a column of numbers. A line whose value is nil has a dash.
func quantity(title, unit string, most bool, text func(float64) string, value func(*line) *float64) column {
	return column{results.Column{Title: title, Unit: unit, Number: true}, most, func(l *line) cell {
		if x := value(l); x != nil {
			return cell{text(*x), x}
		}
		return cell{text: "-"}
	}}
}

func fixed(digits int) func(float64) string {
	return func(x float64) string { return strconv.FormatFloat(x, 'f', digits, 64) }
}

func (r *Report) columns() []column {
	list := []column{{results.Column{Title: "scheme"}, false, func(l *line) cell { return cell{text: l.scheme} }}}
	for _, s := range r.steps {
		list = append(list, r.speed(s))
		if kernels.Op(s.op).Lists() {
			list = append(list, r.ofStep(s, "Mrow/s out", true, results.RateText, func(row results.Row) *float64 {
				return finite(row.Rate * float64(row.Counts[found]) / float64(max(row.Completed, 1)))
			}))
		}
		if r.has(func(row results.Row) bool { return s.is(row) && row.Limit > 0 }) {
			list = append(list, r.ofStep(s, "% of limit", true, fixed(0), func(row results.Row) *float64 { return finite(100 * row.Rate / row.Limit) }))
		}
		if r.base {
			list = append(list, r.ratio(s))
		}
	}
	list = append(list, r.openColumns()...)
	list = append(list, column{results.Column{Title: "noise", Unit: "± %", Number: true}, false, noise},
		sum("failed", func(row results.Row) uint64 { return row.Counts["failed"] }),
		quantity("filled", "", true, fixed(3), func(l *line) *float64 { return &l.load }),
		quantity("bytes", "per pair", false, fixed(1), func(l *line) *float64 { return l.bytes }))
	if r.has(func(row results.Row) bool { return row.PerOp != nil }) {
		list = append(list, lists.Map(r.steps, func(s step) column { return r.ofStep(s, "probes", false, fixed(3), counted("probes")) })...)
		list = append(list, slices.Concat(lists.Map(r.steps, r.accesses)...)...)
	}
	return append(list, lists.Map(r.own, ofScript)...)
}

func (r *Report) speed(s step) column {
	if slices.Contains(schemes.TableOps, s.op) {
		return r.ofStep(s, "ms", false, results.MillisText, func(row results.Row) *float64 { return &row.Median })
	}
	rate := r.ofStep(s, "Mop/s", true, results.RateText, func(row results.Row) *float64 { return &row.Rate })
	plain := rate.cell
	rate.cell = func(l *line) cell {
		c := plain(l)
		if row := l.row(s); row != nil && row.Lost != "" {
			c.text += "!"
		}
		return c
	}
	return rate
}

func (r *Report) ratio(s step) column {
	return column{results.Column{Title: r.title(s), Unit: Ratio, Number: true}, true, func(l *line) cell {
		i := slices.IndexFunc(l.rows, s.is)
		if i < 0 || l.ratios[i] == nil {
			return cell{text: "-"}
		}
		ratio := l.ratios[i]
		return cell{fmt.Sprintf("%.3f %s", ratio.Ratio, ratio.Verdict.Mark()), &ratio.Ratio}
	}}
}

// accesses are the reads and writes of the table, where a scheme reads something else to avoid them.
func (r *Report) accesses(s step) (list []column) {
	for _, name := range []string{"table_reads", "table_writes"} {
		apart := func(row results.Row) bool {
			each, known := row.PerOp[name]
			return s.is(row) && known && each != row.PerOp["probes"]
		}
		if r.has(apart) {
			list = append(list, r.ofStep(s, strings.ReplaceAll(name, "_", " "), false, fixed(3), counted(name)))
		}
	}
	return list
}

// counted is what instrumented kernels counted per operation; probes that are not named are none.
func counted(name string) func(results.Row) *float64 {
	return func(row results.Row) *float64 {
		each, known := row.PerOp[name]
		if row.PerOp == nil || !known && name != "probes" {
			return nil
		}
		return &each
	}
}

func (r *Report) ofStep(s step, unit string, most bool, text func(float64) string, value func(results.Row) *float64) column {
	return quantity(r.title(s), unit, most, text, func(l *line) *float64 {
		if row := l.row(s); row != nil {
			return value(*row)
		}
		return nil
	})
}

func (r *Report) has(what func(results.Row) bool) bool { return has(slices.Concat(r.points...), what) }

func has(lines []*line, what func(results.Row) bool) bool {
	return slices.ContainsFunc(lines, func(l *line) bool { return slices.ContainsFunc(l.rows, what) })
}

func (r *Report) openColumns() []column {
	open := lists.Filter(r.steps, func(s step) bool {
		return r.has(func(row results.Row) bool { return row.Open != nil && s.is(row) })
	})
	return lists.Either(len(open) == 0, nil, append(lists.Map(open, r.responses), r.paced()...))
}

// paced are the columns of tables with due times.
func (*Report) paced() []column {
	late := func(row results.Row) uint64 { return cmp.Or(row.Open, &results.OpenLoop{}).Late }
	return []column{sum("late", late), quantity("behind", "", false, fixed(0), behind)}
}

func (r *Report) responses(s step) column {
	return column{results.Column{Title: r.title(s), Unit: "p99 ms", Number: true}, false, func(l *line) cell {
		row := l.row(s)
		switch {
		case row == nil || row.Open == nil:
			return cell{text: "-"}
		case !results.Enough(0.99, row.Batches):
			return cell{text: fmt.Sprintf("- of %d", row.Batches)}
		}
		return cell{fmt.Sprintf("%s of %d", results.MillisText(row.Open.High), row.Batches), &row.Open.High}
	}}
}

// behind counts the operations that had arrived but were not done: once for all rows of a stage.
func behind(l *line) *float64 {
	stages, total := map[string]uint64{}, 0.0
	for _, row := range l.rows {
		if row.Open != nil {
			stages[row.Phase] = row.Open.Behind
		}
	}
	for _, n := range stages {
		total += float64(n)
	}
	return &total
}

func sum(title string, of func(results.Row) uint64) column {
	return quantity(title, "", false, fixed(0), func(l *line) *float64 { return new(float64(lists.Sum(l.rows, of))) })
}

func noise(l *line) cell {
	worst := 0.0
	for _, row := range l.measured() {
		if row.Noise == nil {
			return cell{text: "?"}
		}
		worst = max(worst, *row.Noise)
	}
	return cell{results.NoiseText(l.measured()), &worst}
}

func (l *line) measured() []results.Row {
	return measured(l.rows, func(row results.Row) string { return row.Phase })
}

// measured returns the items of stages, or those of prepare if there are no others.
func measured[T any](all []T, phase func(T) string) []T {
	stages := slices.DeleteFunc(slices.Clone(all), func(item T) bool { return phase(item) == Prepare })
	return lists.Either(len(stages) == 0, all, stages)
}

func ofScript(name string) column {
	return column{results.Column{Title: name, Number: true}, true, func(l *line) cell {
		switch v := l.values[name].(type) {
		case nil:
			return cell{text: "-"}
		case float64:
			return cell{strconv.FormatFloat(v, 'g', 5, 64), &v}
		default:
			return cell{text: fmt.Sprint(v)}
		}
	}}
}

func (c column) compare(a, b *line) int {
	x, y := c.cell(a), c.cell(b)
	switch {
	case x.number == nil && y.number == nil:
		return strings.Compare(x.text, y.text)
	case x.number == nil:
		return 1
	case y.number == nil:
		return -1
	case c.most:
		x, y = y, x
	}
	return cmp.Compare(*x.number, *y.number)
}

// CheckSort refuses a column to sort by that no table can have: of these phases, and of what the script names.
func CheckSort(title string, phases []string, names func(string) bool) error {
	always := append((&Report{}).columns(), (&Report{}).paced()...)
	bare := title
	for _, unit := range []string{"Mop/s", "ms", "p99", "probes", "table reads", "table writes", "± %", "per pair", Ratio} {
		bare = strings.TrimSuffix(bare, " "+unit)
	}
	known := slices.Concat(lists.Map(always, func(c column) string { return c.Title }), phases, kernels.Ops)
	for _, op := range kernels.Ops {
		if phase, is := strings.CutSuffix(bare, " "+op); is && (phase == Prepare || slices.Contains(phases, phase) || names(phase)) {
			return nil
		}
	}
	if bare == "" || slices.Contains(known, bare) || names(bare) {
		return nil
	}
	return nearest.Unknown("column", title, known)
}

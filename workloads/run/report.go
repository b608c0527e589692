package run

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// Report is the results of a run for people.
type Report struct {
	points []atPoint
	axes   []string
	steps  []step // what was measured, in the order in which it was first done
	own    []string
	sort   string
}

// atPoint is the lines of one point.
type atPoint struct {
	point results.Point
	lines []line
}

// line is what one scheme did at one point.
type line struct {
	scheme string
	rows   []results.Row
	values map[string]any // what the script says
	load   float64        // of the table at the end
	bytes  *float64       // for each pair in it
}

// step is an operation in a phase.
type step struct{ phase, op string }

// NewReport makes a report. Schemes are sorted by the column of that name within each
// point; without one they stay in the order in which they were given.
func NewReport(axes []Axis, rows []results.Row, summaries []results.Summary, sort string) (*Report, error) {
	r := &Report{sort: sort}
	for _, a := range axes {
		r.axes = append(r.axes, a.Name)
	}
	for _, row := range rows {
		r.add(row)
	}
	r.addSummaries(summaries)
	if sort == "" {
		return r, nil
	}
	return r, r.order()
}

// add puts a row into its line. Rows come scheme by scheme: where an operation comes
// for the second time, the same scheme was given twice.
func (r *Report) add(row results.Row) {
	s := step{row.Phase, row.Op}
	if !slices.Contains(r.steps, s) {
		r.steps = append(r.steps, s)
	}
	if n := len(r.points); n == 0 || !maps.Equal(r.points[n-1].point, row.Point) {
		r.points = append(r.points, atPoint{point: row.Point})
	}
	p := &r.points[len(r.points)-1]
	if n := len(p.lines); n == 0 || p.lines[n-1].scheme != row.Scheme || p.lines[n-1].row(s) != nil {
		p.lines = append(p.lines, line{scheme: row.Scheme})
	}
	l := &p.lines[len(p.lines)-1]
	if len(l.rows) == 0 || row.Load >= l.load {
		l.load, l.bytes = row.Load, row.BytesPerPair
	}
	l.rows = append(l.rows, row)
}

// addSummaries gives each line its summary; they are in the same order. A line whose
// run was stopped has none: it shows its table when it was the fullest.
func (r *Report) addSummaries(summaries []results.Summary) {
	for i := range r.points {
		for j := range r.points[i].lines {
			l := &r.points[i].lines[j]
			if len(summaries) == 0 || summaries[0].Scheme != l.scheme || !maps.Equal(summaries[0].Point, r.points[i].point) {
				continue
			}
			s := summaries[0]
			l.values, l.load, l.bytes = s.Values, s.Load, finite(float64(s.TableBytes)/float64(s.Size))
			summaries = summaries[1:]
			for _, name := range slices.Sorted(maps.Keys(l.values)) {
				r.own = union(r.own, []string{name})
			}
		}
	}
}

func (l line) row(s step) *results.Row {
	for i := range l.rows {
		if l.rows[i].Phase == s.phase && l.rows[i].Op == s.op {
			return &l.rows[i]
		}
	}
	return nil
}

// title is the operation, with the phase if others had it, too. Phases may be named for it.
func (r *Report) title(s step) string {
	if strings.HasPrefix(s.phase, s.op+" ") {
		return s.phase
	}
	for _, other := range r.steps {
		if other.op == s.op && other.phase != s.phase {
			return s.phase + " " + s.op
		}
	}
	return s.op
}

// order sorts the lines of each point. Those that are not comparable are not ranked:
// they stay as they are.
func (r *Report) order() error {
	columns := r.columns()
	at := slices.IndexFunc(columns, func(c column) bool { return r.sort == c.Title || r.sort == c.Title+" "+c.Unit })
	if at < 0 {
		var known []string
		for _, c := range columns {
			known = union(known, []string{c.Title})
		}
		return nearest.Unknown("column", r.sort, known)
	}
	for _, p := range r.points {
		if !p.incomparable() {
			slices.SortStableFunc(p.lines, columns[at].compare)
		}
	}
	return nil
}

func (p atPoint) incomparable() bool {
	return slices.ContainsFunc(p.lines, func(l line) bool {
		return slices.ContainsFunc(l.rows, func(row results.Row) bool { return row.Compare != "" })
	})
}

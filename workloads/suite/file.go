package suite

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/sweep"
)

// Axis is that of the questions.
const Axis = "question"

// Document is the file of the passes that the sweep of a suite has finished: of each row the median of all passes. A point
// that failed is finished.
func (s Suite) Document(on sweep.Sweep, points []sweep.Point) (d results.Document, err error) {
	failed, passes, err := s.finished(on, points)
	if err != nil {
		return d, err
	}
	var asked []string
	side := analysis.Side{Files: make([]analysis.File, passes)}
	for _, p := range points {
		if p.Part == 0 {
			asked = append(asked, p.Config.String())
		}
		if on.Parts[p.Part].Pass > passes {
			continue
		}
		var one results.Document
		why := failed[s.place(on, p)]
		if why == "" {
			one, err = on.Read(p.Ref)
		}
		if err == nil {
			one = s.Runs[s.run(on, p)].answers(one, p.Config.String(), why)
			err = join(&side.Files[on.Parts[p.Part].Pass-1].Document, &d, one)
		}
		if err != nil {
			return d, err
		}
	}
	d.Rows = side.Files[0].Rows
	if passes > 1 {
		d.Rows = side.Merge()
	}
	d.Rows = lists.Filter(d.Rows, func(r results.Row) bool {
		return !slices.ContainsFunc(d.LeftOut, func(l results.LeftOut) bool { return isOf(l, r) })
	})
	d.Run.Script, d.Run.Suite, d.Run.Command = nil, s.about(passes, asked), on.Command
	d.Seal()
	return d, nil
}

func isOf(l results.LeftOut, r results.Row) bool {
	return l.Scheme == r.Scheme && l.Point[Axis] == r.Point[Axis]
}

// run is the index of the run that a point is of.
func (s Suite) run(on sweep.Sweep, p sweep.Point) int {
	part := on.Parts[p.Part]
	return slices.IndexFunc(s.Runs, func(r Run) bool {
		return reflect.DeepEqual([]any{r.Script, r.Set, r.Axis}, []any{part.Script, part.Set, part.Axis})
	})
}

// place is what a point has in common with those of other passes.
func (s Suite) place(on sweep.Sweep, p sweep.Point) string { return fmt.Sprint(s.run(on, p), p.Config) }

// finished says why points have failed, and how many passes are whole.
func (s Suite) finished(on sweep.Sweep, points []sweep.Point) (failed map[string]string, passes int, err error) {
	status, err := on.Status()
	done, wrong := on.Done()
	if err = errors.Join(err, wrong); err != nil {
		return nil, 0, err
	}
	failed, passes = map[string]string{}, s.Passes
	for _, p := range points {
		i := slices.IndexFunc(status.Failed, func(f sweep.Failure) bool { return f.Name == p.Name })
		switch {
		case i >= 0:
			failed[s.place(on, p)] = status.Failed[i].Why
		case !slices.Contains(done, p.Ref):
			passes = min(passes, on.Parts[p.Part].Pass-1)
		}
	}
	if passes == 0 {
		err = fmt.Errorf("%d of %d points are done, and the file takes the first pass over all questions", len(done), len(points))
	}
	return failed, passes, err
}

// join adds the answers of a point to its pass, and all but the rows to the document. All must be of one machine.
func join(pass, d *results.Document, one results.Document) error {
	pass.Rows = append(pass.Rows, one.Rows...)
	one.Rows = nil
	one.LeftOut = slices.DeleteFunc(one.LeftOut, func(l results.LeftOut) bool {
		return slices.ContainsFunc(d.LeftOut, func(o results.LeftOut) bool { return l.Scheme == o.Scheme && l.Point[Axis] == o.Point[Axis] })
	})
	if one.Schema == "" { // it failed
		d.LeftOut = append(d.LeftOut, one.LeftOut...)
		return nil
	}
	d.Join(one)
	machine := func(r results.Run) []any { return []any{r.Device, r.Host, r.Build} }
	if !reflect.DeepEqual(machine(d.Run), machine(one.Run)) {
		return fmt.Errorf("some points are of %s on %s, and some of %s on %s: they belong into two files; hint: another -o",
			d.Run.Device.Model, d.Run.Host.Name, one.Run.Device.Model, one.Run.Host.Name)
	}
	return nil
}

// answers names the questions in the rows of a point. Of a question without rows it says why.
func (r Run) answers(d results.Document, scheme, failed string) results.Document {
	for _, s := range d.Summaries {
		for _, t := range s.Thresholds {
			if !t.Holds {
				failed = cmp.Or(failed, fmt.Sprintf("its answers are wrong: %s, and it is %v", t.Condition, t.Value))
			}
		}
	}
	rows, why := d.Rows, failed
	for _, l := range d.LeftOut {
		why = cmp.Or(why, l.Reason)
	}
	d.Rows, d.LeftOut, d.Summaries = nil, nil, nil
	for _, q := range r.Questions {
		own := lists.Filter(rows, func(r results.Row) bool { return r.Phase == q.Phase })
		if why == "" && slices.ContainsFunc(own, func(r results.Row) bool { return r.Op == q.Op }) {
			d.Rows = append(d.Rows, lists.Map(own, func(r results.Row) results.Row { return labeled(r, q.Name) })...)
			continue
		}
		d.LeftOut = append(d.LeftOut, results.LeftOut{Scheme: scheme, Point: results.Point{Axis: q.Name}, Failed: failed != "",
			Reason: cmp.Or(why, "it takes no part in the phase "+q.Phase)})
	}
	return d
}

func labeled(r results.Row, question string) results.Row {
	at := results.Point{Axis: question}
	maps.Copy(at, r.Point)
	r.Point = at
	return r
}

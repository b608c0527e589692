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

// collection makes the file of a suite from the runs of its sweep.
type collection struct {
	sweep.Sweep
	failed  map[string]string // points that failed, and why
	passes  int               // that are whole
	answers []*answer
	all     results.Document
}

// answer is what a scheme gave in a run of the suite, in all passes.
type answer struct {
	run, scheme string
	files       []analysis.File
	failed      string // why it has no results
}

// Document is the file of the passes that the sweep of a suite has finished. A point that failed is finished.
func (s Suite) Document(on sweep.Sweep, points []sweep.Point) (results.Document, error) {
	c := collection{Sweep: on, all: results.Document{Schema: results.Schema}}
	if err := c.count(s.Passes); err != nil {
		return c.all, err
	}
	var asked []string
	for _, p := range points {
		if p.Part == 0 {
			asked = append(asked, p.Config.String())
		}
		if on.Parts[p.Part].Pass > c.passes {
			continue
		}
		if err := c.add(p); err != nil {
			return c.all, err
		}
	}
	c.all.Run.Script, c.all.Run.Suite, c.all.Run.Command = nil, s.about(c.passes, asked), on.Command
	for _, q := range c.all.Run.Suite.Questions {
		for _, a := range c.answers {
			if a.run == key(q.Script, q.Set, q.Axis) {
				c.all = a.to(c.all, q)
			}
		}
	}
	c.all.Seal()
	return c.all, nil
}

// count finds out what has failed, and how many of the passes are whole.
func (c *collection) count(passes int) error {
	status, err := c.Status()
	if err != nil {
		return err
	}
	c.failed, c.passes = map[string]string{}, passes
	for _, f := range status.Failed {
		c.failed[f.Name] = f.Why
	}
	missing, err := c.Missing()
	for _, p := range missing {
		if c.failed[p.Name] == "" {
			c.passes = min(c.passes, c.Parts[p.Part].Pass-1)
		}
	}
	if c.passes == 0 {
		return errors.Join(err, fmt.Errorf("%d of %d points are done, and the file takes the first pass over all questions", status.Done, status.Points))
	}
	return err
}

func key(script string, set, axis []string) string { return fmt.Sprint(script, set, axis) }

func (c *collection) add(p sweep.Point) error {
	part := c.Parts[p.Part]
	run, scheme := key(part.Script, part.Set, part.Axis), p.Config.String()
	a := *lists.At(&c.answers, func(a *answer) bool { return a.run == run && a.scheme == scheme }, &answer{run: run, scheme: scheme})
	if why := c.failed[p.Name]; why != "" {
		a.failed = cmp.Or(a.failed, why)
		return nil
	}
	d, err := c.Read(p.Ref)
	if err != nil {
		return err
	}
	for _, s := range d.Summaries {
		for _, t := range s.Thresholds {
			if !t.Holds {
				a.failed = cmp.Or(a.failed, fmt.Sprintf("its answers are wrong: %s, and it is %v", t.Condition, t.Value))
			}
		}
	}
	a.files = append(a.files, analysis.File{Document: d})
	return c.meet(d)
}

// meet adds the provenance of a run to that of the others, which must be of the same machine.
func (c *collection) meet(d results.Document) error {
	all := &c.all
	if all.Run.Started.IsZero() {
		all.Run, all.End.Finished = d.Run, d.End.Finished
	}
	if r := all.Run; !reflect.DeepEqual([]any{r.Device, r.Host, r.Build}, []any{d.Run.Device, d.Run.Host, d.Run.Build}) {
		return fmt.Errorf("%s has points of %s and of %s: they belong into two files; hint: another -o", c.Folder, r.Device.Model, d.Run.Device.Model)
	}
	if d.Run.Started.Before(all.Run.Started) {
		all.Run.Started = d.Run.Started
	}
	if d.End.Finished.After(all.End.Finished) {
		all.End.Finished = d.End.Finished
	}
	all.End.Conditions = all.End.Conditions.Plus(d.End.Conditions)
	return nil
}

// to adds the rows of a question to a document: of each operation, the median of all passes. Or it says why there are none.
func (a *answer) to(d results.Document, q results.Question) results.Document {
	var side analysis.Side
	out := results.LeftOut{Scheme: a.scheme, Point: results.Point{Axis: q.Name}, Reason: a.failed, Failed: a.failed != ""}
	for _, f := range a.files {
		if len(f.LeftOut) > 0 {
			out.Reason = cmp.Or(out.Reason, f.LeftOut[0].Reason)
		}
		f.Rows = lists.Filter(f.Rows, func(r results.Row) bool { return r.Phase == q.Phase })
		side.Files = append(side.Files, f)
	}
	if out.Reason != "" || !slices.ContainsFunc(side.Files[0].Rows, func(r results.Row) bool { return r.Op == q.Op }) {
		out.Reason = cmp.Or(out.Reason, "it takes no part in the phase "+q.Phase)
		d.LeftOut = append(d.LeftOut, out)
		return d
	}
	rows := side.Files[0].Rows
	if len(side.Files) > 1 {
		rows = side.Merge()
	}
	for _, r := range rows {
		r.Point = maps.Clone(r.Point)
		if r.Point == nil {
			r.Point = results.Point{}
		}
		r.Point[Axis] = q.Name
		d.Rows = append(d.Rows, r)
	}
	return d
}

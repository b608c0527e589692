package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Checked says how many rows of a question were checked, and how.
type Checked struct {
	Question string `json:"question"`
	Rows     int    `json:"rows"`
	Oracle   bool   `json:"oracle"`  // the question was asked again here, and an oracle checked the answers
	Inputs   int    `json:"inputs"`  // have the input of that, or of each other
	Results  int    `json:"results"` // have the answers and counts of that, or of each other; operations of others failed
	Tables   int    `json:"tables"`  // have the capacity and the memory that their parameters give; others grow, or are of no scheme here
}

// verification of a file. It ends with the first row that is wrong.
type verification struct {
	results.Document
	asked []string                 // questions for the oracle
	fresh map[string][]results.Row // what it gave, by script and options
	list  []*Checked
}

// Verify derives again what can be derived of a file: the digests of its rows and of the whole, and for each row the table
// that its parameters give. It asks some questions again, on a CPU and with the oracle; the rows of others must agree with
// each other.
func Verify(ctx context.Context, d results.Document, base session.Request, questions []string) ([]*Checked, error) {
	if err := declared(d); err != nil {
		return nil, err
	}
	v := &verification{Document: d, fresh: map[string][]results.Row{}}
	if err := cmp.Or(errors.Join(v.draw(questions), sealed(d)), lists.Each(d.Rows, plausible)); err != nil {
		return nil, err
	}
	for _, q := range d.Run.Suite.Questions {
		r := Ask(q, base)
		r.Seed, r.Choice.Schemes = d.Run.Seed, nil
		r.Run = func(ctx context.Context, dev device.Device, plan run.Plan, _ run.Listener) error {
			return v.question(ctx, dev, plan, q)
		}
		if _, err := r.Results(ctx); err != nil {
			return v.list, err
		}
	}
	return v.list, nil
}

// declared checks that a file is whole, and has the questions of this program.
func declared(d results.Document) error {
	about, here := d.Run.Suite, results.ThisBuild()
	switch {
	case about == nil:
		return errors.New("it is no file of hashzoo suite")
	case !d.End.Whole():
		return fmt.Errorf("it is not whole: %s", d.End.Why())
	case d.Run.Build.Generators != here.Generators || d.Run.Build.Digests != here.Digests:
		return errors.New("its generators or digests have another version than those of this program: inputs cannot be compared")
	}
	s, err := New(d.Run.Device.Driver != "", about.Scale)
	s.Passes, s.Schemes, s.Tuned, s.Program = about.Passes, about.Schemes, about.Tuned, about.Program
	for i := range min(len(about.Questions), len(s.Suite.Questions)) {
		s.Suite.Questions[i].Chosen = about.Questions[i].Chosen
	}
	if err == nil && !reflect.DeepEqual(*about, s.Suite) {
		err = fmt.Errorf("its questions are not those of %s as this program has it: they were edited, or are of another version (digest %.8s, here %.8s)", s.Version, about.Digest, s.Digest)
	}
	return err
}

// Sampled is the number of questions that are drawn.
const Sampled = 4

// draw says which questions are asked again.
func (v *verification) draw(names []string) error {
	all := lists.Map(v.Run.Suite.Questions, func(q results.Question) string { return q.Name })
	switch v.asked = names; {
	case len(names) == 0:
		v.asked = lists.Map(rand.Perm(len(all))[:Sampled], func(i int) string { return all[i] })
	case slices.Equal(names, []string{"all"}):
		v.asked = all
	}
	return errors.Join(lists.Map(v.asked, func(name string) error { return nearest.Check("question", name, all) })...)
}

// sealed checks the digests of a file.
func sealed(d results.Document) error {
	seals := d.Seals()
	for i, r := range d.Rows {
		if i >= len(d.End.Seals) || d.End.Seals[i] != seals[i] {
			return refused(r, "it was edited, or is of another run: its digest is another one")
		}
	}
	if !slices.Equal(d.End.Seals, seals) {
		return errors.New("it was edited: the digest of the whole is another one")
	}
	return nil
}

// refused is the error of a row.
func refused(r results.Row, format string, why ...any) error {
	return fmt.Errorf("row of question %v, %s %s: %s", r.Point[Axis], r.Scheme, r.Op, fmt.Sprintf(format, why...))
}

// equal compares figures of a row with those that it should have: a name, what it has, and what it should have, of each.
func equal(r results.Row, whose string, figures ...any) error {
	for f := range slices.Chunk(figures, 3) {
		if !reflect.DeepEqual(f[1], f[2]) {
			return refused(r, "its %s is %v; %s %v", f[0], f[1], whose, f[2])
		}
	}
	return nil
}

// plausible compares the figures of a row with each other.
func plausible(r results.Row) error {
	left, each := r.N-failures(r), r.BytesPerPair
	counted := lists.Sum(kernels.Outcomes[1:], func(outcome string) uint64 { return r.Counts[outcome] })
	counted = lists.Either(isTableOp(r), r.N, counted)
	if each != nil {
		each = new(float64(r.TableBytes) / float64(r.Size))
	}
	if fails(r) {
		left = min(left, r.Completed) // in another run more failed
	}
	return equal(r, "its other figures give", "number of operations", r.N, counted, "number of completed operations", r.Completed, left,
		"load factor", r.Load, float64(r.Size)/float64(r.Capacity), "memory per pair", r.BytesPerPair, each)
}

func isTableOp(r results.Row) bool { return slices.Contains(schemes.TableOps, r.Op) }

func failures(r results.Row) uint64 { return r.Counts["failed"] + r.Counts["rejected"] }

// fails reports whether operations found no room, so that what others answer depends on the device.
func fails(r results.Row) bool { return failures(r) > 0 || r.Lost != "" }

// question checks the rows of a question.
func (v *verification) question(ctx context.Context, dev device.Device, plan run.Plan, q results.Question) (err error) {
	c := &Checked{Question: q.Name, Oracle: slices.Contains(v.asked, q.Name)}
	v.list = append(v.list, c)
	if err := v.tables(plan, q, c); err != nil {
		return err
	}
	base, run := v.of(q.Name), fmt.Sprint(q.Script, q.Set, q.Axis)
	if c.Oracle {
		if v.fresh[run] == nil {
			v.fresh[run], err = v.askAgain(ctx, dev, plan, q)
		}
		base = v.fresh[run]
	}
	if err != nil {
		return err
	}
	return v.compare(c, lists.Filter(base, func(r results.Row) bool { return r.Phase == q.Phase && !fails(r) && r.Result != "" }))
}

// of are the rows of a question.
func (v *verification) of(question string) []results.Row {
	return lists.Filter(v.Rows, func(r results.Row) bool { return r.Point[Axis] == question })
}

// tables checks that each scheme that was asked has its rows, or a reason, and that the table of a row is what its
// parameters give.
func (v *verification) tables(plan run.Plan, q results.Question, c *Checked) error {
	rows := v.of(q.Name)
	c.Rows = len(rows)
	for _, name := range slices.Concat(v.Run.Suite.Schemes, q.Chosen) {
		out := slices.ContainsFunc(v.LeftOut, func(l results.LeftOut) bool { return l.Scheme == name && l.Point[Axis] == q.Name })
		spec, known := tableOf(plan, name)
		of := func(r results.Row) bool { return r.Scheme == name || known && r.Scheme == spec.Config.String() }
		own := lists.Filter(rows, of)
		rows = slices.DeleteFunc(rows, of)
		ops := lists.Map(own, func(r results.Row) string { return r.Op })
		switch {
		case out && len(own) > 0:
			return refused(own[0], "the scheme is said to be left out")
		case !out && !slices.Contains(ops, q.Op):
			return fmt.Errorf("question %s has neither a row of %s %s nor a reason why not", q.Name, name, q.Op)
		case len(lists.Unique(ops)) < len(ops):
			return refused(own[len(own)-1], "the scheme has a row twice")
		}
		for _, r := range own {
			same, err := fits(r, spec, known, labeled(results.Row{Point: plan.Points[0].Map()}, q.Name).Point)
			if err != nil {
				return err
			}
			if same {
				c.Tables++
			}
		}
	}
	if len(rows) > 0 {
		return refused(rows[0], "the scheme was not asked, or not with these parameters")
	}
	return nil
}

// tableOf is the table of a scheme in a run, if this program knows the scheme, and it can have one.
func tableOf(plan run.Plan, scheme string) (spec engine.Spec, known bool) {
	if config, err := schemes.Parse(scheme); err == nil {
		plan.Schemes = []schemes.Config{config}
		var specs []engine.Spec
		if specs, err = plan.Specs(); err == nil && len(specs) > 0 {
			return specs[0], true
		}
	}
	return spec, false
}

// fits compares a row with the table that its parameters give. That of a scheme that resizes may have become another one, and a library makes its own.
func fits(r results.Row, spec engine.Spec, known bool, at results.Point) (same bool, err error) {
	if !known {
		return false, equal(r, "the question gives", "point", r.Point, at)
	}
	layout, err := spec.Config.Size(spec.Config, spec.Shape)
	if err != nil {
		return false, err
	}
	same = r.Capacity == layout.Capacity && r.TableBytes == layout.Bytes()
	err = equal(r, "the question and the scheme give", "point", r.Point, at, "parameters", r.Parameters, spec.Config.Settings(),
		"pair", r.Pair, spec.Shape.Pair.String(), "plugin", r.Plugin, spec.Config.PluginHash())
	if err == nil && !same && !spec.Config.Caps.Has("resize") && !spec.Config.Reference {
		err = equal(r, "its parameters give", "capacity", r.Capacity, layout.Capacity, "memory", r.TableBytes, layout.Bytes())
	}
	return same, err
}

// askAgain asks a question of one scheme, with the oracle: one that has answers in the file, or else any.
func (v *verification) askAgain(ctx context.Context, dev device.Device, plan run.Plan, q results.Question) (rows []results.Row, err error) {
	plan.Verify, plan.LeaveOut, plan.Rehearse = true, true, false
	plan.Policy = engine.Policy{Least: 1, Most: 1, Noise: plan.Policy.Noise}
	candidates := plan.Schemes
	for _, row := range v.of(q.Name) {
		if config, err := schemes.Parse(row.Scheme); err == nil && !fails(row) && engine.Suits(dev, config.Scheme) == nil {
			candidates = append([]schemes.Config{config}, candidates...)
			break
		}
	}
	for _, config := range candidates {
		plan.Schemes, rows = []schemes.Config{config}, nil
		err = run.Run(ctx, dev, plan, func(e run.Event) error {
			if ended, ok := e.(run.PointEnded); ok {
				rows = append(rows, ended.Rows...)
			}
			return nil
		})
		if err != nil && schemes.Lacking(err) == nil {
			return nil, err
		}
		if err == nil && !slices.ContainsFunc(rows, fails) {
			return rows, nil
		}
	}
	return rows, err
}

// compare compares the rows of a question with others of the same operations.
func (v *verification) compare(c *Checked, base []results.Row) error {
	for _, r := range v.of(c.Question) {
		i := slices.IndexFunc(base, func(o results.Row) bool { return o.Op == r.Op })
		if i < 0 || isTableOp(r) {
			continue
		}
		if err := agree(r, base[i]); err != nil {
			return err
		}
		c.Inputs++
		if !fails(r) && r.Result != "" {
			c.Results++
		}
	}
	return nil
}

// agree compares what two schemes must have in common: what they were asked and, if nothing failed, what they answered. A
// row has no digest of results if something failed when they were digested.
func agree(r, o results.Row) error {
	where := lists.Either(o.Point[Axis] != nil, "that of "+o.Scheme+" is", "the question gives")
	err := equal(r, where, "number of operations", r.N, o.N, "phase", r.Phase, o.Phase, "stream of keys", r.Keys, o.Keys, "input digest", r.Input, o.Input)
	if err == nil && r.Result != "" && !fails(r) {
		err = equal(r, where, "result digest", r.Result, o.Result)
	}
	if err == nil && !fails(r) {
		err = equal(r, where, "number of pairs", r.Size, o.Size, "count of outcomes", outcomes(r), outcomes(o))
	}
	return err
}

// outcomes are the counts that an oracle knows.
func outcomes(r results.Row) map[string]uint64 {
	counts := map[string]uint64{}
	for _, name := range append(slices.Clone(kernels.Outcomes), "added", "removed", "found") {
		counts[name] = r.Counts[name]
	}
	return counts
}

package suite

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

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
	config, err := schemes.Parse(scheme)
	if err == nil {
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

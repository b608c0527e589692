package suite

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// tables checks that each scheme that was asked has its rows, or a reason, and that the table of a row is what its
// parameters give.
func (v *verification) tables(plan run.Plan, q results.Question, c *Checked) error {
	i := slices.IndexFunc(v.Run.Suite.Questions, func(o results.Question) bool { return o.Name == q.Name })
	rows := v.of(q.Name)
	c.Rows = len(rows)
	for _, name := range slices.Concat(v.Run.Suite.Schemes, v.Run.Suite.Questions[i].Chosen) {
		out := slices.ContainsFunc(v.LeftOut, func(l results.LeftOut) bool { return l.Scheme == name && l.Point[Axis] == q.Name })
		spec, known := v.table(plan, name)
		if known {
			name = spec.Config.String()
		}
		of := func(r results.Row) bool { return r.Scheme == name }
		own := lists.Filter(rows, of)
		rows = slices.DeleteFunc(rows, of)
		switch at := slices.IndexFunc(own, func(r results.Row) bool { return r.Op == q.Op }); {
		case out && len(own) > 0:
			return refused(own[0], "the scheme is said to be left out")
		case !out && at < 0:
			return fmt.Errorf("question %s has neither a row of %s %s nor a reason why not", q.Name, name, q.Op)
		}
		for _, r := range own {
			if at := plan.Points[0].Map(); !maps.Equal(at, withoutQuestion(r.Point)) {
				return refused(r, "its point is %v, that of the question %v", r.Point, at)
			}
			same, err := fits(r, spec, known)
			if err != nil {
				return err
			}
			if same {
				c.Layouts++
			}
		}
	}
	if len(rows) > 0 {
		return refused(rows[0], "the scheme was not asked, or not with these parameters")
	}
	return nil
}

func withoutQuestion(p results.Point) results.Point {
	p = maps.Clone(p)
	delete(p, Axis)
	return p
}

// table is that of a scheme in a run, if this program knows the scheme, and it can have one.
func (v *verification) table(plan run.Plan, scheme string) (spec engine.Spec, known bool) {
	config, err := schemes.Parse(scheme)
	if err != nil {
		return spec, false
	}
	plan.Schemes = []schemes.Config{config}
	specs, err := plan.Specs()
	if err != nil || len(specs) == 0 {
		return engine.Spec{Config: config}, false
	}
	return specs[0], true
}

// fits compares a row with the table that its parameters give. That of a scheme that resizes may have become another one.
func fits(r results.Row, spec engine.Spec, known bool) (bool, error) {
	if !known {
		return false, nil
	}
	layout, err := spec.Config.Size(spec.Config, spec.Shape)
	if err != nil {
		return false, err
	}
	same := r.Capacity == layout.Capacity && r.TableBytes == layout.Bytes()
	switch {
	case !reflect.DeepEqual(r.Parameters, spec.Config.Settings()):
		return false, refused(r, "its parameters %v are not those of the scheme, %v", r.Parameters, spec.Config.Settings())
	case r.Pair != spec.Shape.Pair.String():
		return false, refused(r, "its pairs are %s, the question has %s", r.Pair, spec.Shape.Pair)
	case r.Plugin != spec.Config.PluginHash():
		return false, refused(r, "its plugin is %.8q, and %.8q here", r.Plugin, spec.Config.PluginHash())
	case !same && !spec.Config.Caps.Has("resize"):
		return false, refused(r, "%d slots of %d bytes; its parameters give %d of %d", r.Capacity, r.TableBytes, layout.Capacity, layout.Bytes())
	}
	return same, nil
}

// askAgain carries out a run on one scheme, with the oracle: one that has answers in the file, or else any.
func (v *verification) askAgain(ctx context.Context, dev device.Device, plan run.Plan, r Run) (rows []results.Row, err error) {
	plan.Verify, plan.LeaveOut, plan.KeepGoing = true, true, false
	plan.Policy.Warmup, plan.Policy.Least, plan.Policy.Most, plan.Policy.LeastTime = 0, 1, 1, 0
	candidates := plan.Schemes
	for _, row := range v.of(r.Questions[0].Name) {
		config, err := schemes.Parse(row.Scheme)
		if err == nil && !fails(row) && engine.Suits(dev, config.Scheme) == nil {
			candidates = []schemes.Config{config}
			break
		}
	}
	for _, config := range candidates {
		plan.Schemes = []schemes.Config{config}
		rows = nil
		err = run.Run(ctx, dev, plan, func(e run.Event) error {
			if ended, ok := e.(run.PointEnded); ok {
				rows = append(rows, ended.Rows...)
			}
			return nil
		})
		if schemes.Lacking(err) == nil && !slices.ContainsFunc(rows, fails) {
			return rows, err
		}
	}
	return rows, err
}

// compare compares the rows of a question with fresh ones or, without those, with each other.
func (v *verification) compare(c *Checked, fresh []results.Row) error {
	for _, q := range v.Run.Suite.Questions {
		if q.Name == c.Question {
			fresh = lists.Filter(fresh, func(r results.Row) bool { return r.Phase == q.Phase })
		}
	}
	c.Oracle = len(fresh) > 0
	rows := v.of(c.Question)
	for _, r := range rows {
		base := fresh
		if len(fresh) == 0 {
			base = rows
		}
		i := slices.IndexFunc(base, func(o results.Row) bool { return o.Op == r.Op && !fails(o) })
		if i < 0 || isTableOp(r) {
			continue
		}
		if err := agree(r, base[i]); err != nil {
			return err
		}
		c.Inputs++
		if !fails(r) {
			c.Results++
		}
	}
	return nil
}

// agree compares what two schemes must have in common: what they were asked and, if nothing failed, what they answered.
func agree(r, o results.Row) error {
	where := map[bool]string{true: "the question gives", false: "that of " + o.Scheme + " is"}[o.Point[Axis] == nil]
	switch {
	case r.N != o.N || r.Phase != o.Phase:
		return refused(r, "it has %d operations in %s; %s %d in %s", r.N, r.Phase, where, o.N, o.Phase)
	case r.Keys != o.Keys:
		return refused(r, "its keys are %s; %s %s", r.Keys, where, o.Keys)
	case r.Input != o.Input:
		return refused(r, "its input digest is %s; %s %s", r.Input, where, o.Input)
	case fails(r):
		return nil
	case r.Result != o.Result:
		return refused(r, "its result digest is %s; %s %s", r.Result, where, o.Result)
	case r.Size != o.Size || !maps.Equal(r.Counts, o.Counts):
		return refused(r, "it has %d pairs and counts %v; %s %d and %v", r.Size, r.Counts, where, o.Size, o.Counts)
	}
	return nil
}

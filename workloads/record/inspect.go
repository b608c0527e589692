package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Info is what a recording is, in lines of a name and a text.
func (r *Recording) Info() [][2]string {
	list := [][2]string{
		{"format", r.Format + ", " + string(r.Kind)},
		{"state", cmp.Or(r.Missing(), "whole")},
		{"made by", strings.TrimSpace("hashzoo "+r.Version+" "+r.Revision) + fmt.Sprintf(", generators %d, digests %d", r.Generators, r.Digests)},
		{"made on", r.Device + " " + r.Started},
		{"script", fmt.Sprintf("%s, %d bytes, hash %s", r.Script.Name, len(r.Script.Source), r.Script.Hash)},
		{"seed", fmt.Sprint(r.Seed)},
	}
	for _, o := range r.Options {
		list = append(list, [2]string{"option " + o.Name, o.Value})
	}
	list = append(list, [2]string{"batches", fmt.Sprintf("%d, of %d operations", r.batches, r.operations)})
	for _, p := range r.Points {
		list = append(list, [2]string{strings.TrimSpace("table " + p.At.String()), p.describe()})
	}
	return list
}

// describe is a table and how often what was done to it.
func (p *Point) describe() string {
	parts := []string{p.table()}
	ops := p.Operations()
	for _, op := range slices.Sorted(maps.Keys(ops)) {
		parts = append(parts, fmt.Sprintf("%s %d", op, ops[op]))
	}
	if p.Also != nil {
		parts = append(parts, "beside "+strings.Join(p.Also, " "))
	}
	return strings.Join(parts, ", ")
}

// Table is a line for each batch, from one number up to another.
func (r *Recording) Table(from, to uint64) results.Table {
	t := results.Table{Columns: []results.Column{{Title: "batch", Number: true}, {Title: "point"}, {Title: "phase"}, {Title: "round", Number: true},
		{Title: "operation"}, {Title: "n", Number: true}, {Title: "gave"}, {Title: "check"}, {Title: "input"}, {Title: "result"}, {Title: "keys"}}}
	r.each(func(p *Point, phase *Phase, item Item) {
		b := item.Batch
		if b == nil || b.Number < from || b.Number > to {
			return
		}
		round := fmt.Sprint(item.Round)
		if phase.Name == run.Prepare {
			round = "-"
		}
		check := string(b.Check)
		if b.Check == CheckDigest {
			check = "digest"
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(b.Number), p.At.String(), phase.Name, round, b.Op, fmt.Sprint(b.N),
			countsText(b.Counts), check, fmt.Sprintf("%.8s", b.Input), fmt.Sprintf("%.8s", b.Result), b.Keys.String()})
	})
	return t
}

// table describes the table.
func (p *Point) table() string {
	s := p.Shape
	text := p.Scheme + " " + s.Pair.String()
	for _, size := range []struct {
		name string
		is   bool
		n    any
	}{{"capacity", s.Capacity > 0, s.Capacity}, {"n", s.N > 0, s.N}, {"load", s.Load > 0, s.Load}, {"bytes", s.Bytes > 0, s.Bytes}} {
		if size.is {
			text += fmt.Sprintf(" %s=%v", size.name, size.n)
		}
	}
	if s.Host {
		text += " in host memory"
	}
	return text
}

package record

import (
	"fmt"
	"maps"
	"slices"
)

// Diff lists how two recordings differ: every option and setting that does, and the first
// batch. Where and when they were made does not matter.
func Diff(a, b *Recording) []string {
	list := append(headerDiff(a, b), optionDiff(a.Options, b.Options)...)
	if len(a.Points) != len(b.Points) {
		list = append(list, fmt.Sprintf("points: %d, %d", len(a.Points), len(b.Points)))
	}
	if text := tableDiff(a, b); text != "" {
		list = append(list, text)
	}
	if text := batchDiff(a, b); text != "" {
		list = append(list, text)
	}
	return list
}

func headerDiff(a, b *Recording) (list []string) {
	for _, f := range []struct {
		name string
		a, b any
	}{
		{"generators", a.Generators, b.Generators}, {"digests", a.Digests, b.Digests}, {"seed", a.Seed, b.Seed},
		{"script", a.Script.Name, b.Script.Name}, {"hash of the script", a.Script.Hash, b.Script.Hash},
	} {
		if f.a != f.b {
			list = append(list, fmt.Sprintf("%s: %v, %v", f.name, f.a, f.b))
		}
	}
	return list
}

func optionDiff(a, b []Option) (list []string) {
	value := func(options []Option, name string) string {
		i := slices.IndexFunc(options, func(o Option) bool { return o.Name == name })
		if i < 0 {
			return "not there"
		}
		return options[i].Value
	}
	for _, o := range a {
		if other := value(b, o.Name); other != o.Value {
			list = append(list, fmt.Sprintf("option %s: %s, %s", o.Name, o.Value, other))
		}
	}
	for _, o := range b {
		if value(a, o.Name) == "not there" {
			list = append(list, fmt.Sprintf("option %s: not there, %s", o.Name, o.Value))
		}
	}
	return list
}

// tableDiff is the first point or table that differs.
func tableDiff(a, b *Recording) string {
	for i := range min(len(a.Points), len(b.Points)) {
		p, q := a.Points[i], b.Points[i]
		if pointLine(p.At) != pointLine(q.At) {
			return fmt.Sprintf("point %d: %s, %s", i+1, p.At, q.At)
		}
		if x, y := tableLine(p.Scheme, p.Shape), tableLine(q.Scheme, q.Shape); x != y {
			return fmt.Sprintf("point %d%s: %s, %s", i+1, at(p.At), x, y)
		}
	}
	return ""
}

// batchDiff is the first thing done to a table that differs.
func batchDiff(a, b *Recording) string {
	for i := range min(len(a.Points), len(b.Points)) {
		p, q := a.Points[i], b.Points[i]
		for k := range max(len(p.Phases), len(q.Phases)) {
			if k >= len(p.Phases) || k >= len(q.Phases) {
				return fmt.Sprintf("point %d%s: %d phases, %d", i+1, at(p.At), len(p.Phases), len(q.Phases))
			}
			if text := phaseDiff(p.Phases[k], q.Phases[k], a.Digests == b.Digests); text != "" {
				return text + at(p.At)
			}
		}
	}
	return ""
}

func phaseDiff(a, b *Phase, digests bool) string {
	if a.Name != b.Name || a.Warmup != b.Warmup || a.Rate != b.Rate {
		return fmt.Sprintf("phase %s, %d calls of warm-up, rate %g; phase %s, %d, %g", a.Name, a.Warmup, a.Rate, b.Name, b.Warmup, b.Rate)
	}
	for k := range max(len(a.Items), len(b.Items)) {
		if k >= len(a.Items) || k >= len(b.Items) {
			return fmt.Sprintf("phase %s: %d batches, %d", a.Name, len(a.Items), len(b.Items))
		}
		if text := itemDiff(a.Items[k], b.Items[k], digests); text != "" {
			return fmt.Sprintf("%s, in phase %s", text, a.Name)
		}
	}
	if a.Ended != nil && b.Ended != nil && *a.Ended != *b.Ended {
		return fmt.Sprintf("after phase %s: %s; %s", a.Name, a.Ended.line(), b.Ended.line())
	}
	return ""
}

func itemDiff(a, b Item, digests bool) string {
	x, y := a.Batch, b.Batch
	switch {
	case x == nil && y == nil && a.Reseed == b.Reseed:
		return ""
	case x == nil || y == nil:
		return fmt.Sprintf("%s, %s", a.what(), b.what())
	case x.Op != y.Op || x.N != y.N || x.Capacity != y.Capacity:
		return fmt.Sprintf("batch %d: %s %d, %s %d", x.Number, x.Op, x.N, y.Op, y.N)
	case digests && x.Input != y.Input:
		return fmt.Sprintf("batch %d (%s %d): input %s, %s; keys %s, %s", x.Number, x.Op, x.N, x.Input, y.Input, x.Keys, y.Keys)
	case !maps.Equal(x.Counts, y.Counts):
		return fmt.Sprintf("%v: it gave %s, %s", x, countsText(x.Counts), countsText(y.Counts))
	case digests && x.Result != y.Result:
		return fmt.Sprintf("%v: result %s, %s", x, x.Result, y.Result)
	}
	return ""
}

func (i Item) what() string {
	if i.Batch == nil {
		return "the table is emptied"
	}
	return i.Batch.String()
}

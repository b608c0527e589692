package record

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Title describes the recording in a line.
func (r *Recording) Title() string {
	text := fmt.Sprintf("%d batches", r.Batches) + lists.Either(r.Script.Name != "", " of "+r.Script.Name, "")
	if missing := r.Missing(); missing != "" {
		text += "; " + missing
	}
	return text
}

// Missing says how far the recording goes, if it is not complete.
func (r *Recording) Missing() string {
	if r.Stopped == "" || r.Cut != "" {
		return r.Cut
	}
	where := ""
	if p := r.Points[len(r.Points)-1]; len(p.Phases) > 0 {
		where = fmt.Sprintf(", in phase %s%s", p.Phases[len(p.Phases)-1].Name, p.At.Where())
	}
	return fmt.Sprintf("the run ended early, after batch %d%s: %s", r.Batches, where, r.Stopped)
}

// Info describes the recording in lines of a name and a text.
func (r *Recording) Info() [][2]string {
	list := [][2]string{
		{"format", r.Format + ", " + string(r.Kind)},
		{"state", cmp.Or(r.Missing(), "whole")},
		{"made by", strings.TrimSpace("hashzoo "+r.Version+" "+r.Revision) + fmt.Sprintf(", generators %d, digests %d", r.Generators, r.Digests)},
		{"made on", r.Device + " " + r.Started},
		{"script", fmt.Sprintf("%s, %d bytes, hash %s", r.Script.Name, len(r.Script.Source), r.Script.Hash)},
		{"seed", fmt.Sprint(r.Seed)},
	}
	list = append(list, lists.Map(r.Options, func(o Option) [2]string { return [2]string{"option " + o.Name, o.Value} })...)
	list = append(list, [2]string{"batches", fmt.Sprintf("%d, of %d operations", r.Batches, r.Operations)})
	return append(list, lists.Map(r.Points, func(p *Point) [2]string {
		return [2]string{strings.TrimSpace("table " + p.At.String()), p.describe()}
	})...)
}

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

func (p *Point) table() string {
	s := p.Shape
	text := p.Scheme + " " + s.Pair.String()
	for _, size := range []struct {
		name string
		n    float64
	}{{"capacity", float64(s.Capacity)}, {"n", float64(s.N)}, {"load", s.Load}, {"bytes", float64(s.Bytes)}} {
		if size.n > 0 {
			text += " " + size.name + "=" + strconv.FormatFloat(size.n, 'f', -1, 64)
		}
	}
	if s.Host {
		text += " in host memory"
	}
	return text
}

// Table lists the batches from one number to another.
func (r *Recording) Table(from, to uint64) (results.Table, error) {
	t := results.TableOf[any]("#batch | point | phase | #round | operation | #n | gave | check | input | result | keys", nil, nil)
	var phase *Phase
	for p, l := range r.lines {
		phase = cmp.Or(l.Phase, phase)
		b := l.Batch
		if b == nil || b.Number < from || b.Number > to {
			continue
		}
		round := lists.Either(phase.Name == run.Prepare, "-", fmt.Sprint(b.Round))
		t.Rows = append(t.Rows, []string{fmt.Sprint(b.Number), p.At.String(), phase.Name, round, b.Op, fmt.Sprint(b.N), countsText(b.Counts),
			cmp.Or(string(b.Check), "digest"), fmt.Sprintf("%.8s", b.Input), fmt.Sprintf("%.8s", b.Result), b.Keys.String()})
	}
	return t, r.intact()
}

// Coordinates lists the points on the script's axes.
func (r *Recording) Coordinates() []run.Point {
	return lists.Map(r.Points, func(p *Point) run.Point { return p.At })
}

// Axes lists the axes of the points, with all of their values.
func (r *Recording) Axes() (list []run.Axis) {
	for _, c := range slices.Concat(r.Coordinates()...) {
		axis := lists.At(&list, func(a run.Axis) bool { return a.Name == c.Name }, run.Axis{Name: c.Name})
		axis.Values = lists.Add(axis.Values, c.Value)
	}
	return list
}

// Schemes lists the schemes of the run, each once, with defaults where the points have its parameters.
func (r *Recording) Schemes() (list []schemes.Config, err error) {
	for _, p := range r.Points {
		for _, scheme := range p.schemes() {
			config, err := schemes.Parse(scheme)
			if err != nil {
				return nil, err
			}
			if all := p.settings(config.Name); len(all) == 1 && all[0] != "" {
				config = config.Scheme.Defaults()
			}
			if !slices.ContainsFunc(list, func(c schemes.Config) bool { return c.String() == config.String() }) {
				list = append(list, config)
			}
		}
	}
	return list, nil
}

// settings lists the parameters of a scheme, once for each time that the point has it.
func (p *Point) settings(name string) (all []string) {
	for _, scheme := range p.schemes() {
		if is, settings, _ := strings.Cut(scheme, ":"); is == name {
			all = append(all, settings)
		}
	}
	return all
}

// Plugins lists the schemes whose plugins are not the recorded ones.
func (r *Recording) Plugins() (list []string) {
	for _, p := range r.Points {
		for _, was := range p.Plugins {
			s, err := schemes.Find(was.Name)
			if err != nil || s.PluginHash() == was.Hash {
				continue
			}
			list = lists.Add(list, fmt.Sprintf("scheme %s was recorded from the plugin %s, and is from %s now", was.Name, was.Hash, cmp.Or(s.PluginHash(), "the program")))
		}
	}
	return list
}

// fact is something that two recordings can differ in; more is shown but not compared.
type fact struct{ name, text, more string }

// Diff lists how two recordings differ: all options and settings, the first table, and the first batch.
func Diff(a, b *Recording) ([]string, error) {
	if err := errors.Join(a.intact(), b.intact()); err != nil {
		return nil, err
	}
	digests := a.Digests == b.Digests
	return slices.Concat(everyDifference(a.settings(), b.settings()),
		firstDifference(a.tables(), b.tables()), firstDifference(a.steps(digests), b.steps(digests))), nil
}

func (r *Recording) settings() []fact {
	return append([]fact{
		{"generators", fmt.Sprint(r.Generators), ""}, {"digests", fmt.Sprint(r.Digests), ""}, {"seed", fmt.Sprint(r.Seed), ""},
		{"script", r.Script.Name, ""}, {"hash of the script", r.Script.Hash, ""}, {"points", fmt.Sprint(len(r.Points)), ""},
	}, lists.Map(r.Options, func(o Option) fact { return fact{"option " + o.Name, o.Value, ""} })...)
}

func (r *Recording) tables() (list []fact) {
	for i, p := range r.Points {
		list = append(list, fact{fmt.Sprintf("point %d%s", i+1, p.At.Where()), "table " + p.table(), ""})
	}
	return list
}

// steps lists the facts of phases and batches, in order, with or without digests.
func (r *Recording) steps(digests bool) (list []fact) {
	digest := func(text string) string { return lists.Either(digests, text, "") }
	var phase *Phase
	for p, l := range r.lines {
		if phase = cmp.Or(l.Phase, phase); phase == nil || l.Point != nil {
			continue
		}
		where := "phase " + phase.Name + p.At.Where()
		add := func(name, text, more string) { list = append(list, fact{name + where, text, more}) }
		switch b := l.Batch; {
		case l.Phase != nil:
			add("", fmt.Sprintf("%d calls of warm-up, rate %g", phase.Warmup, phase.Rate), "")
		case l.Clear != nil:
			add("clear of ", fmt.Sprintf("reseed %v", l.Clear.Reseed), "")
		case b != nil:
			add(b.String()+" of ", fmt.Sprintf("capacity %d", b.Capacity), "")
			add(b.String()+" of ", "input "+digest(b.Input), " of keys "+b.Keys.String())
			add(b.String()+" of ", "gave "+countsText(b.Counts), "")
			add(b.String()+" of ", "result "+digest(b.Result), "")
		case l.Contents != nil:
			add("the table after ", fmt.Sprintf("%d pairs %s %s", l.Contents.Pairs, digest(l.Contents.Digest), l.Contents.Check), "")
		}
	}
	return list
}

func difference(x, y fact) string {
	return lists.Either(x.name != y.name, x.name+", "+y.name, fmt.Sprintf("%s: %s%s, %s%s", x.name, x.text, x.more, y.text, y.more))
}

func firstDifference(a, b []fact) []string {
	end := fact{name: "nothing more"}
	a, b = append(a, end), append(b, end)
	for i := range min(len(a), len(b)) {
		if a[i].name != b[i].name || a[i].text != b[i].text {
			return []string{difference(a[i], b[i])}
		}
	}
	return nil
}

func everyDifference(a, b []fact) (list []string) {
	find := func(all []fact, name string) fact {
		return cmp.Or(lists.First(all, func(f fact) bool { return f.name == name }), fact{name: name, text: "missing"})
	}
	for _, f := range slices.Concat(a, b) {
		x, y := find(a, f.name), find(b, f.name)
		if text := difference(x, y); x != y && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

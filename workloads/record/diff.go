package record

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

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
	if x.name != y.name {
		return fmt.Sprintf("%s, %s", x.name, y.name)
	}
	return fmt.Sprintf("%s: %s%s, %s%s", x.name, x.text, x.more, y.text, y.more)
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
		if i := slices.IndexFunc(all, func(f fact) bool { return f.name == name }); i >= 0 {
			return all[i]
		}
		return fact{name: name, text: "missing"}
	}
	for _, f := range slices.Concat(a, b) {
		x, y := find(a, f.name), find(b, f.name)
		if text := difference(x, y); x != y && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

package record

import (
	"fmt"
	"slices"
)

// fact is something that two recordings can differ in: what it is called, its text, and
// more that is shown but not compared.
type fact struct{ name, text, more string }

// Diff lists how two recordings differ: every option and setting that does, the first table
// and the first batch. When and where they were made does not matter.
func Diff(a, b *Recording) []string {
	digests := a.Digests == b.Digests
	return slices.Concat(everyDifference(a.settings(), b.settings()),
		firstDifference(a.tables(), b.tables()), firstDifference(a.steps(digests), b.steps(digests)))
}

// settings are the facts of the header.
func (r *Recording) settings() []fact {
	list := []fact{
		{"generators", fmt.Sprint(r.Generators), ""}, {"digests", fmt.Sprint(r.Digests), ""}, {"seed", fmt.Sprint(r.Seed), ""},
		{"script", r.Script.Name, ""}, {"hash of the script", r.Script.Hash, ""}, {"points", fmt.Sprint(len(r.Points)), ""},
	}
	for _, o := range r.Options {
		list = append(list, fact{"option " + o.Name, o.Value, ""})
	}
	return list
}

func (r *Recording) tables() (list []fact) {
	for i, p := range r.Points {
		list = append(list, fact{fmt.Sprintf("point %d%s", i+1, at(p.At)), "table " + p.table(), ""})
	}
	return list
}

// steps are the facts of phases and batches, in order, with digests or without.
func (r *Recording) steps(digests bool) (list []fact) {
	digest := func(text string) string {
		if digests {
			return text
		}
		return ""
	}
	for _, p := range r.Points {
		for _, phase := range p.Phases {
			where := " of phase " + phase.Name + at(p.At)
			list = append(list, fact{"phase " + phase.Name + at(p.At), fmt.Sprintf("%d calls of warm-up, rate %g", phase.Warmup, phase.Rate), ""})
			for _, item := range phase.Items {
				b := item.Batch
				if b == nil {
					list = append(list, fact{"clear" + where, fmt.Sprintf("reseed %v", item.Reseed), ""})
					continue
				}
				name := b.String() + where
				list = append(list, fact{name, fmt.Sprintf("capacity %d", b.Capacity), ""}, fact{name, "input " + digest(b.Input), " of keys " + b.Keys.String()},
					fact{name, "gave " + countsText(b.Counts), ""}, fact{name, "result " + digest(b.Result), ""})
			}
			if e := phase.Ended; e != nil {
				list = append(list, fact{"the table after phase " + phase.Name + at(p.At), fmt.Sprintf("%d pairs %s %s", e.Pairs, digest(e.Digest), e.Check), ""})
			}
		}
	}
	return list
}

// difference says how two facts differ.
func difference(x, y fact) string {
	if x.name != y.name {
		return fmt.Sprintf("%s, %s", x.name, y.name)
	}
	return fmt.Sprintf("%s: %s%s, %s%s", x.name, x.text, x.more, y.text, y.more)
}

// firstDifference compares facts that have an order.
func firstDifference(a, b []fact) []string {
	for i := range max(len(a), len(b)) {
		x, y := fact{name: "nothing more"}, fact{name: "nothing more"}
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x.name != y.name || x.text != y.text {
			return []string{difference(x, y)}
		}
	}
	return nil
}

// everyDifference compares facts that have names.
func everyDifference(a, b []fact) (list []string) {
	find := func(all []fact, name string) fact {
		if i := slices.IndexFunc(all, func(f fact) bool { return f.name == name }); i >= 0 {
			return all[i]
		}
		return fact{name: name, text: "missing"}
	}
	for _, x := range a {
		if y := find(b, x.name); x != y {
			list = append(list, difference(x, y))
		}
	}
	for _, y := range b {
		if x := find(a, y.name); x.text == "missing" && x != y {
			list = append(list, difference(x, y))
		}
	}
	return list
}

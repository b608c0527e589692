package run

import (
	"cmp"
	"fmt"
	"slices"
)

// batch is what members are compared by: what they asked for.
type batch struct {
	op     string
	n      uint64
	digest string
}

func (b batch) String() string { return fmt.Sprintf("%s %d (input %.8s)", b.op, b.n, b.digest) }

// compare finds the first batch in which the members of a round differ. In a run that was
// stopped, some have not made all their batches yet.
func (p *point) compare(what string, members []*member, stopped bool) {
	took := slices.DeleteFunc(slices.Clone(members), func(m *member) bool { return m.left != nil || m.skips })
	for i, m := range took {
		if i > 0 {
			p.cannotCompare(difference(what, took[0], m, stopped))
		}
	}
	for _, m := range members {
		m.batches = m.batches[:0]
	}
}

// cannotCompare records why the schemes of this phase cannot be compared, if why is not
// empty. The first reason stays; later phases inherit it, since the tables differ.
func (p *point) cannotCompare(why string) {
	if phase := p.stage.Name; why != "" && p.differs[phase] == "" {
		p.differs[phase], p.differed = why, cmp.Or(p.differed, why)
		p.hear(Differed{phase, why})
	}
}

func difference(what string, a, b *member, stopped bool) string {
	for k := range min(len(a.batches), len(b.batches)) {
		if x, y := a.batches[k], b.batches[k]; x != y {
			return fmt.Sprintf("batch %d of %s was %v on %s, %v on %s", k+1, what, x, a.Scheme(), y, b.Scheme())
		}
	}
	if len(a.batches) != len(b.batches) && !stopped {
		return fmt.Sprintf("%s made %d batches on %s, %d on %s", what, len(a.batches), a.Scheme(), len(b.batches), b.Scheme())
	}
	return ""
}

package run

import (
	"fmt"
	"slices"
)

// batch is what is compared among the members: what was asked for.
type batch struct {
	op     string
	n      uint64
	digest string
}

func (b batch) String() string { return fmt.Sprintf("%s %d (input %.8s)", b.op, b.n, b.digest) }

// compare says in which round the members first asked for different things. When the
// run was stopped, some of them have not asked for all yet.
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

// cannotCompare takes the reason why the schemes of this phase cannot be compared, if there
// is one. The first one stays.
func (p *point) cannotCompare(why string) {
	if phase := p.stage.Name; why != "" && p.differs[phase] == "" {
		p.differs[phase] = why
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

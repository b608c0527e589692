package run

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// Schemes that nobody named need not have all that a script asks for. One that lacks
// something, which may show only in the middle of a run, is left out from there on; the
// others go on as if it had never been there.

// leaveOut says whether a call on a member failed because its scheme lacks something, and
// may be left out for that. It stays among the members until the round is over.
func (p *point) leaveOut(m *member, err error) bool {
	lack := schemes.Lacking(err)
	if lack == nil || !p.LeaveOut || p.failure != nil {
		return false
	}
	if p.lacking == nil {
		p.lacking = err
	}
	m.left = &results.LeftOut{Scheme: m.Scheme(), Point: p.at.Map(), Phase: m.phase, Reason: lack.What}
	var place interface{ Place() string } // of a script with lines
	if errors.As(err, &place) {
		m.left.Where = place.Place()
	}
	return true
}

// parting takes those out that are left out, and gives back what they hold.
func (p *point) parting() error {
	var errs []error
	for _, m := range p.members {
		if m.left != nil {
			errs = append(errs, m.close())
			p.gone = append(p.gone, m)
			p.hear(Parted{m.index, *m.left})
		}
	}
	p.members = slices.DeleteFunc(p.members, func(m *member) bool { return m.left != nil })
	return errors.Join(errs...)
}

// everyone is all who have run batches, in the order of the schemes.
func (p *point) everyone() []*member {
	all := slices.Concat(p.members, p.gone)
	slices.SortStableFunc(all, func(a, b *member) int { return cmp.Compare(a.index, b.index) })
	return all
}

// phasesDone are the tallies that count: of one that was left out, those of the phases
// before. Of its last one it has not done all. Of one that failed, all is of interest.
func (m *member) phasesDone() []*tally {
	if m.left == nil || m.left.Failed {
		return m.tallies
	}
	return slices.DeleteFunc(slices.Clone(m.tallies), func(t *tally) bool { return t.phase == m.left.Phase })
}

func (p *point) leftOut() []results.LeftOut {
	var list []results.LeftOut
	for _, m := range p.gone {
		list = append(list, *m.left)
	}
	return list
}

// nothingRan is why, if no scheme went through any point to its end.
func (r *runner) nothingRan() error {
	if r.ended > 0 || r.lacking == nil || len(r.faults) > 0 {
		return nil
	}
	return &ScriptError{fmt.Errorf("no scheme has all that the script asks for: %w", r.lacking)}
}

// LeftOut says in a line each which schemes were left out, and why.
func (r *Report) LeftOut(list []results.LeftOut) []string {
	points := map[string]bool{}
	for _, p := range r.points {
		points[r.Where(p.point)] = true
	}
	var lines []string
	at := map[string][]string{} // of each line, where it is so
	for _, out := range list {
		line, where := out.Line(), r.Where(out.Point)
		points[where] = true
		lines, at[line] = union(lines, line), append(at[line], where)
	}
	for i, line := range lines {
		switch places := at[line]; {
		case len(places) >= len(points):
		case len(places) == 1:
			lines[i] += places[0]
		default:
			lines[i] += fmt.Sprintf("%s, and at %d more", places[0], len(places)-1)
		}
	}
	return lines
}

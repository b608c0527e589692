package analysis

import (
	"math"
	"slices"
)

// bound adds what the memory allows to the panels, if that was measured. Limits of several runs that are
// nearly the same are one.
func (d *draft) bound(f *Figure) {
	if d.Y != "mops" || d.Relative != nil {
		return
	}
	for i, one := range d.data {
		panel := d.places[i].panel
		if panel < 0 || one.row.Limit == 0 {
			continue
		}
		known := func(limit float64) bool { return math.Abs(limit/one.row.Limit-1) < 0.02 }
		if p := &f.Panels[panel]; !slices.ContainsFunc(p.Limits, known) {
			p.Limits = append(p.Limits, one.row.Limit)
		}
	}
	if slices.ContainsFunc(f.Panels, func(p Panel) bool { return p.Limits != nil }) {
		f.Notes = append(f.Notes, "dashed: what the memory allows")
	}
}

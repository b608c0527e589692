package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// place is the position of a datum: numbers of a panel, of a group, and on the x axis.
type place struct {
	panel, group int
	x            float64
}

// place puts the data into panels and curves.
func (d *draft) place(f *Figure) error {
	facets, panels := d.facets(), map[string]int{}
	xs := d.scale(&f.X)
	d.omitted = map[string]int{}
	d.places = slices.Repeat([]place{{panel: -1}}, len(d.data))
	for i, one := range d.data {
		if reason := d.outside(xs[i], one.y); reason != "" {
			d.omitted[reason]++
			continue
		}
		title := names(one, facets)
		if _, known := panels[title]; !known {
			panels[title] = len(f.Panels)
			f.Panels = append(f.Panels, Panel{Title: title})
		}
		d.places[i] = place{panels[title], f.group(names(one, d.Group)), xs[i]}
		c := curveOf(&f.Panels[panels[title]].Curves, d.places[i].group)
		low, high := bounds(one.y, one.noise)
		c.Spots = append(c.Spots, Spot{X: xs[i], Y: one.y, Low: low, High: high, Mark: one.mark})
	}
	if len(f.Panels) == 0 {
		return errors.New("nothing to plot: a logarithmic axis takes numbers above 0")
	}
	for _, p := range f.Panels {
		sortSpots(p.Curves)
	}
	return nil
}

func sortSpots(curves []Curve) {
	for _, c := range curves {
		slices.SortStableFunc(c.Spots, func(a, b Spot) int { return cmp.Compare(a.X, b.X) })
	}
}

func names(one datum, fields []string) string {
	var parts []string
	for _, name := range fields {
		if v := one.field(name); v != nil && v != "" {
			parts = append(parts, fieldTitle(name, v))
		}
	}
	return strings.Join(parts, ", ")
}

func (f *Figure) group(name string) int {
	f.Groups = lists.Add(f.Groups, name)
	return slices.Index(f.Groups, name)
}

// curveOf returns a group's curve of some, to which it adds a new one if there is none.
func curveOf(curves *[]Curve, group int) *Curve {
	return lists.At(curves, func(c Curve) bool { return c.Group == group }, Curve{Group: group})
}

// scale returns the positions of the data on the x axis: numbers, or places in a list.
func (d *draft) scale(a *Axis) (xs []float64) {
	for _, one := range d.data {
		if x, ok := one.field(d.X).(float64); ok {
			xs = append(xs, x)
		}
	}
	if d.numeric = len(xs) == len(d.data); d.numeric {
		return xs
	}
	xs, a.Log = nil, false
	a.Bars = slices.Contains(Fields, d.X) && d.X != "pair"
	for _, one := range d.data {
		text := Text(one.field(d.X))
		a.Categories = lists.Add(a.Categories, text)
		xs = append(xs, float64(slices.Index(a.Categories, text)))
	}
	return xs
}

// outside says where a mark has no place: a logarithmic axis has no 0.
func (d *draft) outside(x, y float64) string {
	if x <= 0 && strings.Contains(d.Log, "x") && d.numeric {
		return d.X + " " + short(x)
	}
	return lists.Either(y <= 0 && strings.Contains(d.Log, "y"), d.Y+" "+short(y), "")
}

// large is the rate from which on figures are in Gop/s.
const large = 10_000

// finish chooses units, labels and notes.
func (f *Figure) finish(d *draft) error {
	f.Title = cmp.Or(d.Title, f.Title)
	f.X.Label = cmp.Or(f.X.Label, d.xLabel())
	label, most := d.label, 0.0
	f.each(func(s *Spot) { most = max(most, s.Y) })
	if d.Y == "mops" && d.base == nil && most >= large {
		label = "throughput (Gop/s)"
		f.each(func(s *Spot) { s.Y, s.Low, s.High = s.Y/1000, s.Low/1000, s.High/1000 })
	}
	f.Y.Label = cmp.Or(d.chosen.YLabel, d.relativeLabel(cmp.Or(f.Y.Label, label)))
	if len(f.Panels) == 1 && f.Panels[0].Title == "" && d.timed && len(d.values("operation")) == 1 && !d.titled {
		f.Panels[0].Title = names(d.data[0], []string{"operation"})
	}
	if slices.Equal(f.Groups, []string{""}) {
		f.Groups[0] = f.Y.Label
	}
	f.note(d)
	return nil
}

func (d *draft) xLabel() string {
	switch label, known := fieldLabels[d.X]; {
	case known:
		return label
	case d.X == "load_factor":
		return "load factor"
	case columns[d.X].label != "":
		return columns[d.X].label
	case d.X == "scheme":
		return ""
	}
	return plain(d.X)
}

func (f *Figure) each(do func(*Spot)) {
	for _, p := range f.Panels {
		for _, c := range p.Curves {
			for i := range c.Spots {
				do(&c.Spots[i])
			}
		}
	}
}

// note says what a caption should: the kind of intervals, and what hollow markers mean.
func (f *Figure) note(d *draft) {
	intervals := false
	f.each(func(s *Spot) {
		intervals = intervals || s.High > s.Low
		if text := "hollow: " + s.Mark; s.Mark != "" && !slices.Contains(f.Hollow, text) {
			f.Hollow = append(f.Hollow, text)
		}
	})
	files := 0
	for _, s := range d.sides {
		files = max(files, len(s.Files))
	}
	switch {
	case intervals && files > 1:
		f.Notes = append(f.Notes, fmt.Sprintf("intervals: 95 percent, over %d runs", files))
	case intervals:
		f.Notes = append(f.Notes, "intervals: 95 percent, of the median batch of one run; runs differ by more")
	}
	f.Notes = append(f.Notes, f.Hollow...)
	for _, reason := range slices.Sorted(maps.Keys(d.omitted)) {
		f.Notes = append(f.Notes, fmt.Sprintf("left out, on a logarithmic axis: %s (%d)", reason, d.omitted[reason]))
	}
	if d.lacking != "" {
		f.Notes = append(f.Notes, d.lacking)
	}
	f.Failed = failures(d.sides)
	f.Notes = append(f.Notes, f.Failed...)
}

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

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
	"github.com/hashzoo/hashzoo/runtime/results"
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
		group := names(one, d.Group)
		f.Groups = lists.Add(f.Groups, group)
		d.places[i] = place{panels[title], slices.Index(f.Groups, group), xs[i]}
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

// finish chooses units, labels and notes.
func (f *Figure) finish(d *draft) {
	const large = 10_000 // the rate from which on figures are in Gop/s
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
	f.Notes = append(f.Notes, lists.Map(slices.Sorted(maps.Keys(d.omitted)), func(reason string) string {
		return fmt.Sprintf("left out, on a logarithmic axis: %s (%d)", reason, d.omitted[reason])
	})...)
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

// published are the numbers of others for the column of the plot, of the first run that has some.
func (d *draft) published() []results.Published {
	first := lists.First(Files(d.sides), func(f File) bool { return f.Run.Script != nil && len(f.Run.Script.Published) > 0 })
	if first.Run.Script == nil {
		return nil
	}
	return lists.Filter(first.Run.Script.Published, func(p results.Published) bool { return p.Column == d.Y && d.wants(p) })
}

// wants reports whether a number is one of those that where asks for.
func (d *draft) wants(p results.Published) bool {
	return lists.Every(d.Where, func(name string, texts []string) bool {
		text := cmp.Or(p.Of[name], p.Of[aliases[name]])
		return text == "" || name == "scheme" || slices.ContainsFunc(texts, func(one string) bool { return equal(parsed(text), one) })
	})
}

// publish adds the numbers of others to the panels and groups of the results that they belong to.
func (d *draft) publish(f *Figure) {
	list := d.published()
	var sources, kinds []string
	foreign := 0
	for _, p := range list {
		if y, comparable := d.value(p, list); !comparable {
			foreign++
		} else if d.add(f, p, y) {
			kind, _, _ := strings.Cut(p.Source, ": ")
			sources, kinds = append(sources, p.Source), append(kinds, kind)
		}
	}
	for _, p := range f.Panels {
		sortSpots(p.Published)
	}
	f.Published = strings.Join(lists.Unique(kinds), ", ")
	f.Notes = append(f.Notes, lists.Unique(sources)...)
	if len(sources) == 0 && len(list) > 0 && d.lacking == "" {
		f.Notes = append(f.Notes, lists.Either(foreign == len(list),
			"without published numbers: those of another machine are drawn only as ratios, to the scheme that the script names",
			fmt.Sprintf("none of the script's %d published numbers of %s belongs to these results", len(list), d.Y)))
	}
}

// value is a number as the plot shows it: as it is, or as a ratio. Rates and times of another machine are ratios only.
func (d *draft) value(p results.Published, all []results.Published) (y float64, ok bool) {
	switch scheme, relative := p.Times(); {
	case d.base == nil:
		return p.Value, !relative && !p.OfAMachine()
	case relative:
		return p.Value, d.Relative["scheme"] == scheme
	}
	for _, other := range all {
		if other.Unit == p.Unit && other.Value != 0 && d.isBaseOf(other, p) {
			return p.Value / other.Value, true
		}
	}
	return 0, false
}

// isBaseOf reports whether a published number is that of the scheme to divide by, and else of the same as another.
func (d *draft) isBaseOf(p, other results.Published) bool {
	isBase := lists.Every(d.Relative, func(name, _ string) bool { return d.base.agrees(name, p.Of[name]) })
	rest := func(of map[string]string) map[string]string {
		of = maps.Clone(of)
		maps.DeleteFunc(of, func(name, _ string) bool { return d.Relative[name] != "" })
		return of
	}
	return isBase && maps.Equal(rest(p.Of), rest(other.Of))
}

// add adds a number wherever results are that it belongs to, and reports whether there are any.
func (d *draft) add(f *Figure, p results.Published, y float64) bool {
	var done []place
	text := cmp.Or(p.Of[d.X], p.Of[aliases[d.X]])
	for i, at := range d.places {
		if at.panel < 0 || !d.belongs(p, d.data[i]) {
			continue
		}
		if d.numeric {
			x, placed := parsed(text).(float64)
			at.x = lists.Either(placed, x, AnyX)
		}
		if slices.Contains(done, at) || d.numeric && d.outside(at.x, y) != "" {
			continue
		}
		done = append(done, at)
		c := curveOf(&f.Panels[at.panel].Published, at.group)
		c.Spots = append(c.Spots, Spot{X: at.x, Y: y, Low: y, High: y, Source: p.Source})
	}
	return len(done) > 0
}

// belongs reports whether a number is of the same as a result, at any place on an axis of numbers.
func (d *draft) belongs(p results.Published, one datum) bool {
	return lists.Every(p.Of, func(name, text string) bool {
		isX := name == d.X || aliases[name] != "" && aliases[name] == d.X
		return isX && d.numeric || one.agrees(name, text)
	})
}

// gaps marks where schemes failed, in the panels that they have a curve in.
func (d *draft) gaps(f *Figure) {
	for _, file := range Files(d.sides) {
		for _, l := range file.LeftOut {
			if x, ok := l.Point[d.X].(float64); ok && l.Failed && d.numeric && d.outside(x, 1) == "" {
				d.gap(f, l, x)
			}
		}
	}
}

func (d *draft) gap(f *Figure, l results.LeftOut, x float64) {
	scheme := d.short(l.Scheme, l.Point)
	for i, at := range d.places {
		if at.panel < 0 || d.data[i].fields["scheme"] != scheme || !d.sameBut(l.Point, d.data[i]) {
			continue
		}
		p, g := &f.Panels[at.panel], Gap{at.group, x}
		has := slices.ContainsFunc(curveOf(&p.Curves, at.group).Spots, func(s Spot) bool { return s.X == x })
		if !has && !slices.Contains(p.Gaps, g) {
			p.Gaps = append(p.Gaps, g)
		}
	}
}

// sameBut reports whether a result is at a point, but for its place on the x axis.
func (d *draft) sameBut(p results.Point, one datum) bool {
	return lists.Every(p, func(name string, v any) bool { return name == d.X || toText(one.field(name)) == toText(v) })
}

// failures say which schemes failed, and which runs for other reasons.
func failures(sides []Side) (lines []string) {
	for _, file := range Files(sides) {
		failed := lists.Filter(file.LeftOut, func(l results.LeftOut) bool { return l.Failed })
		lines = append(lines, lists.Map(failed, results.LeftOut.Line)...)
		said := slices.ContainsFunc(failed, func(l results.LeftOut) bool { return strings.Contains(file.End.Error, l.Reason) })
		if !file.End.Whole() && !said {
			lines = append(lines, fmt.Sprintf("%s is not of a whole run: %s", file.Path, file.End.Why()))
		}
	}
	return lists.Unique(lines) // repeated runs may have failed alike
}

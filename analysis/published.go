package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// published are the numbers of others for the column of the plot, of the first run that has some.
func (d *draft) published() (list []results.Published) {
	for _, s := range d.sides {
		for _, f := range s.Files {
			if f.Run.Script == nil || len(f.Run.Script.Published) == 0 {
				continue
			}
			for _, p := range f.Run.Script.Published {
				if p.Column == d.Y && d.wants(p) {
					list = append(list, p)
				}
			}
			return list
		}
	}
	return nil
}

// wants reports whether a number is one of those that where asks for.
func (d *draft) wants(p results.Published) bool {
	for name, texts := range d.Where {
		text := cmp.Or(p.Of[name], p.Of[aliases[name]])
		if text != "" && name != "scheme" && !slices.ContainsFunc(texts, func(one string) bool { return equal(parsed(text), one) }) {
			return false
		}
	}
	return true
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
		why := fmt.Sprintf("none of the script's %d published numbers of %s belongs to these results", len(list), d.Y)
		if foreign == len(list) {
			why = "without published numbers: those of another machine are drawn only as ratios, to the scheme that the script names"
		}
		f.Notes = append(f.Notes, why)
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
	for name := range d.Relative {
		if !d.base.agrees(name, p.Of[name]) {
			return false
		}
	}
	rest := func(of map[string]string) map[string]string {
		of = maps.Clone(of)
		maps.DeleteFunc(of, func(name, _ string) bool { return d.Relative[name] != "" })
		return of
	}
	return maps.Equal(rest(p.Of), rest(other.Of))
}

// add adds a number wherever results are that it belongs to, and reports whether there are any.
func (d *draft) add(f *Figure, p results.Published, y float64) bool {
	var done []place
	text, hasX := p.Of[d.X], true
	if text = cmp.Or(text, p.Of[aliases[d.X]]); text == "" {
		hasX = false
	}
	for i, at := range d.places {
		if at.panel < 0 || !d.belongs(p, d.data[i]) {
			continue
		}
		if d.numeric {
			at.x, _ = parsed(text).(float64) // 0 for a level
		}
		if slices.Contains(done, at) || d.numeric && hasX && d.outside(at.x, y) != "" {
			continue
		}
		done = append(done, at)
		panel := &f.Panels[at.panel]
		if d.numeric && !hasX {
			panel.Levels = append(panel.Levels, Level{at.group, y, p.Source})
			continue
		}
		c := curveOf(&panel.Published, at.group)
		c.Spots = append(c.Spots, Spot{X: at.x, Y: y, Low: y, High: y, Source: p.Source})
	}
	return len(done) > 0
}

// belongs reports whether a number is of the same as a result, at any place on an axis of numbers.
func (d *draft) belongs(p results.Published, one datum) bool {
	for name, text := range p.Of {
		isX := name == d.X || aliases[name] != "" && aliases[name] == d.X
		if !(isX && d.numeric) && !one.agrees(name, text) {
			return false
		}
	}
	return true
}

// gaps marks where schemes failed, in the panels that they have a curve in.
func (d *draft) gaps(f *Figure) {
	for _, s := range d.sides {
		for _, file := range s.Files {
			for _, l := range file.LeftOut {
				if x, ok := l.Point[d.X].(float64); ok && l.Failed && d.numeric && d.outside(x, 1) == "" {
					d.gap(f, l, x)
				}
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
	for name, v := range p {
		if name != d.X && toText(one.field(name)) != toText(v) {
			return false
		}
	}
	return true
}

// failures say which schemes failed, and which runs for other reasons.
func failures(sides []Side) (lines []string) {
	for _, s := range sides {
		for _, file := range s.Files {
			said := false
			for _, l := range file.LeftOut {
				if l.Failed {
					lines, said = append(lines, l.Line()), said || strings.Contains(file.End.Error, l.Reason)
				}
			}
			if !file.End.Whole() && !said {
				lines = append(lines, fmt.Sprintf("%s is not of a whole run: %s", file.Path, file.End.Why()))
			}
		}
	}
	return lists.Unique(lines) // repeated runs may have failed alike
}

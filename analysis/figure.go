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
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// Figure is the content of a plot: panels side by side, with the same groups.
type Figure struct {
	Title  string
	X, Y   Axis
	Groups []string // in the order of the results
	Panels []Panel
	Hollow []string // what hollow markers mean
	Failed []string // what went wrong in the run
	Notes  []string // what a caption should say

	Published string // what the legend calls the numbers of others: published; empty without any
}

// Axis is an axis of all panels.
type Axis struct {
	Name       string
	Label      string
	Log        bool
	Categories []string // of an axis without numbers: 0, 1, ...
	Bars       bool     // the categories have no order
}

// Panel is a coordinate system.
type Panel struct {
	Title  string
	Curves []Curve

	Published []Curve // numbers of others, in the style of their groups
	Gaps      []Gap
	Limits    []float64 // what the memory allows, of rates
}

// Gap is a place without a value, because the scheme failed before it had one.
type Gap struct {
	Group int
	X     float64
}

// Curve is one group in a panel.
type Curve struct {
	Group int
	Spots []Spot
}

// AnyX is the place of a published number that has none on the x axis, such as a mean over it: beyond all others.
var AnyX = math.Inf(1)

// Spot is a mark at a point with its 95 percent interval, which may be empty.
type Spot struct {
	X, Y, Low, High float64
	Mark            string // why it is drawn hollow
	Source          string // of a published number
}

// draft is a plot that is being made.
type draft struct {
	results.Plot
	chosen  results.Plot // by the user
	sides   []Side
	data    []datum
	places  []place // of the data
	label   string  // of y
	timed   bool
	titled  bool           // by the script or the user
	numeric bool           // x has numbers only
	omitted map[string]int // how many marks have no place, by their values
	base    *datum         // one of those that values are relative to
	lacking string         // why nothing is relative
}

// Figures makes the figures that the scripts of the sides declare, or the usual one, as far as the user does not
// choose otherwise.
func Figures(sides []Side, chosen results.Plot) (list []Figure, _ error) {
	plots, err := choose(declared(sides), chosen)
	if err != nil {
		return nil, err
	}
	var reasons []error
	for _, p := range plots {
		d := draft{Plot: p, chosen: chosen, sides: sides, titled: p.Title != ""}
		f, err := d.figure()
		if err != nil {
			reasons = append(reasons, err)
			continue
		}
		list = append(list, f)
	}
	if len(list) == 0 {
		return nil, reasons[0]
	}
	list[0].Notes = append(list[0].Notes, lists.Map(reasons, func(err error) string { return "left out: " + err.Error() })...)
	return list, nil
}

// declared are the plots of the first run that has some.
func declared(sides []Side) []results.Plot {
	if f := lists.First(Files(sides), func(f File) bool { return f.Run.Script != nil && len(f.Run.Script.Plots) > 0 }); f.Run.Script != nil {
		return f.Run.Script.Plots
	}
	return []results.Plot{{X: usualX(sides[0].Files[0].Rows), Y: "mops"}}
}

// usualX is the load factor, else an axis, else the scheme.
func usualX(rows []results.Row) string {
	values := map[string][]any{}
	for _, r := range rows {
		for name, v := range r.Point {
			values[name] = lists.Add(values[name], v)
		}
	}
	names := slices.Sorted(maps.Keys(values))
	differs := func(name string) bool { return len(values[name]) > 1 }
	return cmp.Or(lists.First(slices.Concat([]string{"load", "load_factor"}, names), differs), "scheme")
}

// choose replaces what the user chose. An x and y that no plot has make one figure of the first plot.
func choose(plots []results.Plot, chosen results.Plot) ([]results.Plot, error) {
	meant := func(p results.Plot) bool { return p.X == cmp.Or(chosen.X, p.X) && p.Y == cmp.Or(chosen.Y, p.Y) }
	if slices.ContainsFunc(plots, meant) {
		plots = slices.DeleteFunc(slices.Clone(plots), func(p results.Plot) bool { return !meant(p) })
	} else {
		first := plots[0]
		p := results.Plot{X: first.X, Y: "mops", Group: first.Group}
		if chosen.X != "" {
			p.X, p.Group = chosen.X, nil
		} else {
			p.Log, p.XLabel = strings.ReplaceAll(first.Log, "y", ""), first.XLabel
		}
		plots = []results.Plot{p}
	}
	for i := range plots {
		override(&plots[i], chosen)
	}
	if l := chosen.Log; l != "" && !slices.Contains([]string{"x", "y", "xy", "none"}, l) {
		return nil, fmt.Errorf("log is %q: it takes x, y, xy or none", l)
	}
	return plots, nil
}

func override(p *results.Plot, chosen results.Plot) {
	for _, pair := range [][2]*string{{&p.X, &chosen.X}, {&p.Y, &chosen.Y}, {&p.Title, &chosen.Title}, {&p.Log, &chosen.Log},
		{&p.XLabel, &chosen.XLabel}, {&p.YLabel, &chosen.YLabel}} {
		*pair[0] = cmp.Or(*pair[1], *pair[0])
	}
	if chosen.Group != nil {
		p.Group = chosen.Group
	}
	if chosen.Relative != nil {
		p.Relative = chosen.Relative
	}
	p.Where = maps.Clone(p.Where)
	if p.Where == nil {
		p.Where = map[string][]string{}
	}
	maps.Copy(p.Where, chosen.Where)
}

func (d *draft) figure() (f Figure, err error) {
	steps := []func() error{d.collect, d.checkNames, d.filter, d.perBatch, d.group, d.relate}
	if err := lists.Each(steps, func(step func() error) error { return step() }); err != nil {
		return f, err
	}
	for _, datum := range d.data {
		datum.fields["scheme"] = d.short(datum.row.Scheme, datum.row.Point)
	}
	f = Figure{Title: d.Title, Y: Axis{Name: d.Y, Label: d.YLabel, Log: strings.Contains(d.Log, "y")}}
	f.X = Axis{Name: d.X, Label: d.XLabel, Log: strings.Contains(d.Log, "x")}
	if err := d.place(&f); err != nil {
		return f, err
	}
	d.publish(&f)
	d.bound(&f)
	d.gaps(&f)
	f.finish(d)
	return f, nil
}

// swap shows schemes next to each other if there is only one value on the x axis.
func (d *draft) swap() {
	at := slices.Index(d.Group, "scheme")
	if values := d.values(d.X); len(values) != 1 || at < 0 || len(d.values("scheme")) < 2 {
		return
	}
	where := fieldTitle(d.X, d.data[0].field(d.X))
	d.Title = strings.TrimPrefix(d.Title+", "+where, ", ")
	d.X, d.XLabel, d.Log = "scheme", "", strings.ReplaceAll(d.Log, "x", "")
	d.Group = slices.Delete(slices.Clone(d.Group), at, at+1)
}

// group chooses what has curves: by default schemes, with the run if there are several of one scheme.
func (d *draft) group() error {
	given := d.Group != nil
	if !given && d.X != "scheme" {
		d.Group = append(d.Group, "scheme")
	}
	if !given && len(d.sides) > 1 && d.X != "run" {
		d.Group = append(d.Group, "run")
	}
	if d.chosen.X == "" {
		d.swap()
	}
	return nil
}

// values are the different values of a field, in the order of the data.
func (d *draft) values(name string) []any {
	return lists.Unique(lists.Map(d.data, func(one datum) any { return one.field(name) }))
}

// checkNames refuses fields that no row has.
func (d *draft) checkNames() error {
	known := lists.Keys(d.data, func(one datum) map[string]any { return one.fields })
	known = lists.Add(known, append(lists.Map(known, func(name string) string { return cmp.Or(aliases[name], name) }), "batch")...)
	names := slices.Concat([]string{d.X}, d.Group, slices.Sorted(maps.Keys(d.Where)))
	return lists.Each(names, func(name string) error { return nearest.Check("field", name, slices.Sorted(slices.Values(known))) })
}

// filter keeps what where asks for. What happens before the stages counts only if it is asked for.
func (d *draft) filter() error {
	all := len(d.data)
	d.data = lists.Filter(d.data, func(datum datum) bool {
		return lists.Every(d.Where, func(name string, texts []string) bool {
			return slices.ContainsFunc(texts, func(text string) bool { return equal(datum.field(name), text) })
		})
	})
	if len(d.data) == 0 && all > 0 {
		wanted := func(name string) string { return name + "=" + strings.Join(d.Where[name], ",") }
		return fmt.Errorf("nothing to plot: none of %d rows has %s", all, strings.Join(lists.Map(slices.Sorted(maps.Keys(d.Where)), wanted), " and "))
	}
	stages := lists.Filter(d.data, func(datum datum) bool { return datum.fields["phase"] != "prepare" })
	if asked := d.Where["phase"] != nil || d.Where["operation"] != nil; !asked && len(stages) > 0 {
		d.data = stages
	}
	if len(d.data) == 0 {
		return errors.New("nothing to plot: there are no rows")
	}
	return nil
}

func equal(v any, text string) bool {
	if x, ok := v.(float64); ok {
		y, ok := parsed(text).(float64)
		return ok && math.Abs(x-y) <= 1e-9*math.Abs(x)
	}
	return toText(v) == text
}

// short removes what a point says from the name of a scheme: the axis ticket says ticket=2.
func (d *draft) short(scheme string, point results.Point) string {
	name, settings, _ := strings.Cut(scheme, ":")
	parts := slices.DeleteFunc(strings.Split(settings, ","), func(part string) bool {
		key, _, _ := strings.Cut(part, "=")
		_, inPoint := point[key]
		return key == d.X || slices.Contains(d.Group, key) || inPoint
	})
	return strings.TrimSuffix(name+":"+strings.Join(parts, ","), ":")
}

// relate divides values by those of the scheme that the plot is relative to. Without that scheme they stay as they are,
// unless the user asked for it.
func (d *draft) relate() error {
	if len(d.Relative) == 0 {
		return nil
	}
	shared := slices.DeleteFunc(slices.Concat(d.facets(), d.Group, []string{d.X}), func(name string) bool { return d.Relative[name] != "" })
	bases, err := d.bases(shared)
	if err != nil {
		return err
	}
	if d.base == nil {
		if d.chosen.Relative != nil {
			known := lists.Unique(lists.Map(d.data, func(one datum) string { return one.row.Scheme }))
			return nearest.Unknown("scheme to divide by", d.baseName(), known)
		}
		d.lacking = fmt.Sprintf("not as ratios, and without published rates: the results lack %s to divide by", d.baseName())
		d.Relative = nil // values stay as they are
		return nil
	}
	all := len(d.data)
	var list []datum
	for _, one := range d.data {
		if base, ok := bases[names(one, shared)]; ok && base.y > 0 {
			list = append(list, one.over(base))
		}
	}
	if d.data = list; len(list) < all {
		d.lacking = fmt.Sprintf("left out: %d of %d marks, where %s has no value to divide by", all-len(list), all, d.baseName())
	}
	return nil
}

// bases are the values that others are divided by, by the fields that both share. Of several schemes the one that is
// called exactly so is meant.
func (d *draft) bases(shared []string) (map[string]datum, error) {
	found, wanted := map[string]datum{}, d.Relative["scheme"]
	rivals := map[string]string{}
	for _, one := range d.data {
		if !one.has(d.Relative) {
			continue
		}
		key := names(one, shared)
		other, known := found[key]
		if known && other.row.Scheme != one.row.Scheme {
			rivals[key] = one.row.Scheme
		}
		if !known || one.row.Scheme == wanted {
			found[key], d.base = one, &one
		}
	}
	for _, key := range slices.Sorted(maps.Keys(rivals)) {
		if one := found[key].row.Scheme; one != wanted {
			return nil, fmt.Errorf("relative to %s: the results have %s and %s: choose one, as in --relative %s", wanted, one, rivals[key], one)
		}
	}
	return found, nil
}

// baseName writes what values are relative to: the scheme, then other fields.
func (d *draft) baseName() string {
	names := slices.Sorted(maps.Keys(d.Relative))
	values := lists.Map(lists.Unique(append([]string{"scheme"}, names...)), func(name string) string { return d.Relative[name] })
	return strings.Join(slices.DeleteFunc(values, func(s string) bool { return s == "" }), ", ")
}

// relativeLabel says in a label of the y axis that it shows ratios, which have no unit.
func (d *draft) relativeLabel(label string) string {
	if d.base == nil {
		return label
	}
	if before, _, ok := strings.Cut(label, " ("); ok {
		label = before
	}
	return label + " relative to " + d.baseName()
}

// over divides a value by that of another scheme. The interval is wide enough for two that were measured apart.
func (d datum) over(base datum) datum {
	if base.mark != "" && d.mark == "" {
		d.mark = base.row.Scheme + ": " + base.mark
	}
	if d.row.Scheme == base.row.Scheme && d.y == base.y {
		d.noise = nil
	} else if d.noise != nil || base.noise != nil {
		both := math.Hypot(orZero(d.noise), orZero(base.noise))
		d.noise = &both
	}
	d.y /= base.y
	return d
}

func orZero(x *float64) float64 { return *cmp.Or(x, new(float64)) }

// has reports whether fields have these values.
func (d datum) has(fields map[string]string) bool { return lists.Every(fields, d.agrees) }

// agrees reports whether a field, or an option of the script, has a value.
func (d datum) agrees(name, text string) bool {
	if name == "scheme" {
		return d.isScheme(text)
	}
	if v := d.field(name); v != nil {
		return equal(v, text)
	}
	option, known := d.options[name]
	return known && equal(parsed(option), text)
}

// isScheme reports whether it is a scheme with the parameters that the text names. The others may have any value.
func (d datum) isScheme(text string) bool {
	name, settings, _ := strings.Cut(text, ":")
	if own, _, _ := strings.Cut(d.row.Scheme, ":"); own != name {
		return false
	}
	for setting := range strings.SplitSeq(settings, ",") {
		if key, value, ok := strings.Cut(setting, "="); ok && d.row.Parameters[key] != value {
			return false
		}
	}
	return true
}

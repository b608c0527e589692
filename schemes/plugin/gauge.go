package plugin

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/schemes/plugin/expr"
)

// gauge is a gauge of the scheme's own as it was written: bars that show bins, which a
// function of the class counts.
type gauge struct {
	name, help, unit string
	look             string
	items, most      string
	labels           []string
	first            int64
}

// bars is how many bars the gauge has: without labels it is a number.
func (g *gauge) bars() int { return max(1, len(g.labels)) }

// bins are as many as a look has.
const bins = len(kernels.Look{}.Bin)

// looks are the functions of the class that count for gauges. Several may show what one
// counts.
func (m *manifest) looks() []string {
	var names []string
	for _, g := range m.gauges {
		if !slices.Contains(names, g.look) {
			names = append(names, g.look)
		}
	}
	return names
}

// checkGauges looks at what gauges say without expressions.
func (m *manifest) checkGauges() error {
	var known, seen []string
	for _, g := range schemes.SlotGauges {
		known = append(known, g.Name)
	}
	for _, name := range m.slotGauges {
		if !slices.Contains(known, name) {
			return m.wrong("gauges", fmt.Errorf("has %w", nearest.Unknown("gauge", name, known)))
		}
		if slices.Contains(seen, name) {
			return m.wrong("gauges", fmt.Errorf("has %s twice", name))
		}
		seen = append(seen, name)
	}
	for _, g := range m.gauges {
		if err := m.checkGauge(g, seen); err != nil {
			return err
		}
	}
	return nil
}

func (m *manifest) checkGauge(g *gauge, taken []string) error {
	key := "gauge." + g.name + "."
	switch {
	case !goodGauge.MatchString(g.name):
		return m.wrong(key+"look", fmt.Errorf("is of a gauge that is called %q: it takes small letters, digits, _ and spaces", g.name))
	case slices.Contains(taken, g.name):
		return m.wrong(key+"look", fmt.Errorf("is of a gauge that gauges has too: call it otherwise"))
	case !goodWord.MatchString(g.look):
		return m.wrong(key+"look", fmt.Errorf("is %q: it takes the name of a function of the class: small letters, digits and _", g.look))
	case slices.Contains(slices.Concat(kernels.Ops, m.kernels), g.look):
		return m.wrong(key+"look", fmt.Errorf("is %s, as another kernel is called: choose another name", g.look))
	case g.help == "":
		return m.wrong(key+"help", fmt.Errorf("is empty: it takes a text"))
	case slices.Contains(g.labels, ""):
		return m.wrong(key+"labels", fmt.Errorf("is %q: it takes a text for each bar", g.labels))
	case g.first < 0 || g.first > int64(bins-g.bars()):
		return m.wrong(key+"first", fmt.Errorf("is %d, of %d bars: there are %d bins", g.first, g.bars(), bins))
	}
	return nil
}

// watching gives the scheme its gauges: those of every array of slots, and its own.
func (d *declaration) watching() error {
	for _, g := range schemes.SlotGauges {
		if slices.Contains(d.slotGauges, g.Name) {
			d.scheme.Gauges = append(d.scheme.Gauges, d.located(g))
		}
	}
	for _, g := range d.gauges {
		made, err := d.gauge(g)
		if err != nil {
			return err
		}
		d.scheme.Gauges = append(d.scheme.Gauges, made)
	}
	return nil
}

// located says where in the manifest the gauge is if it does not fit.
func (d *declaration) located(g schemes.Gauge) schemes.Gauge {
	fits := g.Fits
	g.Fits = func(c schemes.Config, l schemes.Layout, p schemes.Pair) error {
		if err := fits(c, l, p); err != nil {
			return d.wrong("gauges", fmt.Errorf("has %s: %w", g.Name, err))
		}
		return nil
	}
	return g
}

// reader reads a gauge of the scheme's own.
type reader struct {
	*declaration
	*gauge
	items, most *expr.Expr // most is nil if a bar may be as large as it likes
}

func (d *declaration) gauge(g *gauge) (schemes.Gauge, error) {
	r := reader{declaration: d, gauge: g}
	var err error
	if r.items, err = d.ofParams(r.key("items"), cmp.Or(g.items, "capacity"), tableNames...); err != nil {
		return schemes.Gauge{}, err
	}
	if g.most != "" {
		if r.most, err = d.ofParams(r.key("most"), g.most, tableNames...); err != nil {
			return schemes.Gauge{}, err
		}
	}
	return schemes.Gauge{Name: g.name, Help: g.help, Unit: g.unit, Read: r.read, Fits: r.fits}, nil
}

func (r reader) key(of string) string { return "gauge." + r.gauge.name + "." + of }

// tableNames are what expressions of gauges know besides parameters.
var tableNames = []string{"capacity", "buckets"}

// bounds evaluates over how many items a look at a table goes, and the most that a bar
// can be, 0 if there is no such bound.
func (r reader) bounds(c schemes.Config, l schemes.Layout) (items uint64, most float64, err error) {
	names := named(c)
	names["capacity"], names["buckets"] = float64(l.Capacity), float64(l.Buckets)
	if items, err = r.items.Whole(names); err != nil {
		return 0, 0, r.wrong(r.key("items"), err)
	}
	if r.most == nil {
		return items, 0, nil
	}
	if most, err = r.most.Number(names); err != nil {
		return 0, 0, r.wrong(r.key("most"), err)
	}
	return items, most, nil
}

func (r reader) fits(c schemes.Config, l schemes.Layout, _ schemes.Pair) error {
	_, _, err := r.bounds(c, l)
	return err
}

func (r reader) read(t schemes.Table) ([]schemes.Bar, error) {
	items, most, err := r.bounds(t.Config(), t.Layout())
	if err != nil {
		return nil, err
	}
	counted, err := t.Look(t.Config().Kernel(t.Pair(), r.look, false), items, kernels.Look{})
	if err != nil {
		return nil, err
	}
	list := make([]schemes.Bar, r.bars())
	for i := range list {
		list[i] = schemes.Bar{Value: float64(counted[int(r.first)+i]), Of: most}
		if r.labels != nil {
			list[i].Label = r.labels[i]
		}
	}
	return list, nil
}

package manifest

import (
	"cmp"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// looks returns the functions of the class that count for gauges. Several gauges may show
// parts of one count.
func (m *Manifest) looks() []string {
	var names []string
	for _, g := range m.Own {
		if !slices.Contains(names, g.Look) {
			names = append(names, g.Look)
		}
	}
	return names
}

// watching sets the scheme's gauges: those of its layout, its own, and those in Go.
func (d *Declaration) watching() error {
	for _, g := range host.Gauges {
		if slices.Contains(d.Manifest.Gauges, g.Name) {
			d.Scheme.Gauges = append(d.Scheme.Gauges, d.located(g))
		}
	}
	for _, g := range d.Own {
		made, err := d.gauge(g)
		if err != nil {
			return err
		}
		d.Scheme.Gauges = append(d.Scheme.Gauges, made)
	}
	d.Scheme.Gauges = append(d.Scheme.Gauges, d.functions.Gauges...)
	return nil
}

// located adds the position in the manifest to the error of a gauge that does not fit.
func (d *Declaration) located(g schemes.Gauge) schemes.Gauge {
	fits := g.Fits
	g.Fits = func(c schemes.Config, l schemes.Layout, p schemes.Pair) error {
		if err := fits(c, l, p); err != nil {
			return d.Wrong("gauges", "has %s: %v", g.Name, err)
		}
		return nil
	}
	return g
}

// looker reads one of the scheme's own gauges.
type looker struct {
	*Declaration
	*gauge
	items, most *Expr // most is nil if bars have no bound
}

func (d *Declaration) gauge(g *gauge) (schemes.Gauge, error) {
	r := looker{Declaration: d, gauge: g}
	var err error
	if r.items, err = d.ofParams(r.key("items"), cmp.Or(g.Items, "capacity"), "capacity", "buckets"); err != nil {
		return schemes.Gauge{}, err
	}
	if g.Most != "" {
		if r.most, err = d.ofParams(r.key("most"), g.Most, "capacity", "buckets"); err != nil {
			return schemes.Gauge{}, err
		}
	}
	return schemes.Gauge{Name: g.Name, Help: g.Help, Unit: g.Unit, Read: r.read, Fits: r.fits}, nil
}

func (r looker) key(of string) string { return "gauge." + r.gauge.Name + "." + of }

// bounds evaluates the number of items of a look, and the upper bound of a bar, 0 if
// there is none.
func (r looker) bounds(c schemes.Config, l schemes.Layout) (items uint64, most float64, err error) {
	names := valuesOf(c)
	names["capacity"], names["buckets"] = float64(l.Capacity), float64(l.Buckets)
	if items, err = r.items.Whole(names); err != nil {
		return 0, 0, r.Wrong(r.key("items"), "is %v", err)
	}
	if r.most == nil {
		return items, 0, nil
	}
	if most, err = r.most.Number(names); err != nil {
		return 0, 0, r.Wrong(r.key("most"), "is %v", err)
	}
	return items, most, nil
}

func (r looker) fits(c schemes.Config, l schemes.Layout, _ schemes.Pair) error {
	_, _, err := r.bounds(c, l)
	return err
}

func (r looker) read(t schemes.Table) ([]schemes.Bar, error) {
	items, most, err := r.bounds(t.Config(), t.Layout())
	if err != nil {
		return nil, err
	}
	counted, err := t.Look(t.Config().Kernel(t.Pair(), r.Look, false), items, kernels.Look{})
	if err != nil {
		return nil, err
	}
	list := make([]schemes.Bar, r.bars())
	for i := range list {
		list[i] = schemes.Bar{Value: float64(counted[int(r.First)+i]), Of: most}
		if r.Labels != nil {
			list[i].Label = r.Labels[i]
		}
	}
	return list, nil
}

package manifest

import (
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// looks returns the functions of the class that count; gauges may share one.
func (m *Manifest) looks() []string {
	var names []string
	for _, g := range m.Own {
		if !slices.Contains(names, g.Look) {
			names = append(names, g.Look)
		}
	}
	return names
}

// gauges are those of the scheme's layout, its own, and those in Go.
func (m *Manifest) gauges() (list []schemes.Gauge) {
	for _, g := range host.Gauges {
		if slices.Contains(m.Gauges, g.Name) {
			list = append(list, m.located(g))
		}
	}
	for _, g := range m.Own {
		list = append(list, schemes.Gauge{Name: g.Name, Help: g.Help, Unit: g.Unit, Read: g.read})
	}
	return append(list, m.functions.Gauges...)
}

// located adds the position in the manifest to the error of a gauge that does not fit.
func (m *Manifest) located(g schemes.Gauge) schemes.Gauge {
	fits := g.Fits
	g.Fits = func(c schemes.Config, l schemes.Layout, p schemes.Pair) error {
		if err := fits(c, l, p); err != nil {
			return m.Wrong("gauges", "has %s: %v", g.Name, err)
		}
		return nil
	}
	return g
}

func (g *gauge) read(t schemes.Table) ([]schemes.Bar, error) {
	items := t.Layout().Capacity
	if g.Items == "buckets" {
		items = t.Layout().Buckets
	}
	counted, err := t.Look(t.Config().Kernel(t.Pair(), g.Look, false), items, kernels.Look{})
	if err != nil {
		return nil, err
	}
	list := make([]schemes.Bar, g.bars())
	for i := range list {
		list[i] = schemes.Bar{Value: float64(counted[int(g.First)+i])}
		if g.Labels != nil {
			list[i].Label = g.Labels[i]
		}
	}
	return list, nil
}

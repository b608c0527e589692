package manifest

import (
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// looks returns the functions of the class that count; gauges may share one.
func (m *Manifest) looks() []string {
	var names []string
	for _, g := range m.Own {
		if g.Look != "" && !slices.Contains(names, g.Look) {
			names = append(names, g.Look)
		}
	}
	return names
}

// gauges are those of the scheme's layout, and its own.
func (m *Manifest) gauges() (list []schemes.Gauge) {
	for _, g := range sharedKeys().Own {
		if slices.Contains(m.Gauges, g.Name) {
			list = append(list, m.shared(g))
		}
	}
	for _, g := range m.Own {
		made := g.declared()
		made.Read = g.read
		if g.Look == "" {
			made.Read = func(t schemes.Table) ([]schemes.Bar, error) { return m.side.Read(t, g.Name) }
		}
		list = append(list, made)
	}
	return list
}

func (g *gauge) declared() schemes.Gauge {
	return schemes.Gauge{Name: g.Name, Help: g.Help, Unit: g.Unit, Even: g.Even, Mean: g.Mean}
}

// shared is a gauge that the manifest names. The error of one that does not fit has the position.
func (m *Manifest) shared(g *gauge) schemes.Gauge {
	made := g.declared()
	made.Read = func(t schemes.Table) ([]schemes.Bar, error) { return host.Shared().Read(t, g.Name) }
	made.Fits = func(_ schemes.Config, l schemes.Layout, p schemes.Pair) error {
		if err := host.Shared().Fits(g.Name, l, p); err != nil {
			return m.Wrong("gauges", "has %s: %v", g.Name, err)
		}
		return nil
	}
	return made
}

// checkRead checks that the host side reads the gauges without a look, and no others.
func (m *Manifest) checkRead() error {
	for _, g := range m.Own {
		if g.Look == "" && !slices.Contains(m.side.Gauges, g.Name) {
			return m.Wrong("gauge."+g.Name+".look", "is missing, and %s does not read the gauge", Host)
		}
	}
	for _, name := range m.side.Gauges {
		if !slices.ContainsFunc(m.Own, func(g *gauge) bool { return g.Name == name && g.Look == "" }) {
			return &mistake{m.path(Host), "it reads the gauge " + name + ", and " + File + " has none of that name without a look"}
		}
	}
	return nil
}

func (g *gauge) read(t schemes.Table) ([]schemes.Bar, error) {
	items := lists.Either(g.Items == "buckets", t.Layout().Buckets, t.Layout().Capacity)
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

package schemes

import "fmt"

// Gauge is something inside a table that is worth watching while it works: how full its
// buckets are, how many slabs it has taken.
type Gauge struct {
	Name string // bucket fill, slabs
	Help string // a line
	Unit string // of the values: buckets, slabs, %; empty: plain numbers
	// Read looks at a table between batches and leaves it as it is. It must be cheap
	// however large the table is: kernels go over the slots, and what is copied to the
	// host is what they counted.
	Read func(Table) ([]Bar, error)
	// Fits says why it cannot be read of tables of a layout; nil: it can be of all.
	Fits func(Config, Layout, Pair) error
}

// Bar is a value that a gauge shows. A gauge with one bar is a number, one with several is
// a chart.
type Bar struct {
	Label string // 0, 5-8, subtable 3; empty if there is one only
	Value float64
	Of    float64 // the most that it can be; 0: there is no such bound
}

// Reading is what a gauge showed.
type Reading struct {
	Name, Help, Unit string
	Bars             []Bar
}

// Look reads the gauge of a table.
func (g Gauge) Look(t Table) (Reading, error) {
	bars, err := g.Read(t)
	if err != nil {
		return Reading{}, fmt.Errorf("scheme %s: gauge %s: %w", t.Config().Name, g.Name, err)
	}
	return Reading{g.Name, g.Help, g.Unit, bars}, nil
}

// gaugesFit says which gauge cannot be read of tables of a layout.
func (c Config) gaugesFit(l Layout, pair Pair) error {
	for _, g := range c.Gauges {
		if g.Fits == nil {
			continue
		}
		if err := g.Fits(c, l, pair); err != nil {
			return fmt.Errorf("gauge %s: %w", g.Name, err)
		}
	}
	return nil
}

// gauged says what is wrong with the gauges that a scheme declares.
func (s *Scheme) gauged() error {
	seen := map[string]bool{}
	for _, g := range s.Gauges {
		switch {
		case g.Name == "" || g.Help == "" || g.Read == nil:
			return fmt.Errorf("scheme %s declares the gauge %q: it takes a name, a help and a way to read it", s.Name, g.Name)
		case seen[g.Name]:
			return fmt.Errorf("scheme %s declares the gauge %s twice", s.Name, g.Name)
		}
		seen[g.Name] = true
	}
	return nil
}

package check

import (
	"fmt"

	"github.com/hashzoo/hashzoo/schemes"
)

// Keys of a table on which figures are measured, and pairs of one of a hundred that
// are filled.
const (
	figureKeys      = 1_000_000
	quickFigureKeys = 1 << 17
	manyFigureKeys  = 20_000_000
	fillPairs       = 1 << 16
	fillSeeds       = 100
)

// figureSteps are a step for every table that is filled to compare figures.
func (p Plan) figureSteps(t Target) []step {
	var steps []step
	for _, group := range grouped(t.Scheme.Published) {
		config, err := t.Scheme.Configure(group[0].Settings)
		for _, c := range p.familiesOf(config) {
			if t.Config != nil && t.Config.String() != c.String() {
				continue
			}
			what := fmt.Sprintf("figures of %s at load factor %g", c, group[0].Load)
			steps = append(steps, step{what, func() []Finding { return p.figures(c, group, err) }})
		}
	}
	return steps
}

// familiesOf are a configuration with each hash family; a quick check has one.
func (p Plan) familiesOf(c schemes.Config) []schemes.Config {
	if p.Quick {
		return []schemes.Config{c}
	}
	return families(c)
}

// grouped puts figures of the same table together.
func grouped(figures []schemes.Figure) [][]schemes.Figure {
	type table struct {
		settings string
		load     float64
	}
	at := map[table]int{}
	var groups [][]schemes.Figure
	for _, f := range figures {
		i, ok := at[table{f.Settings, f.Load}]
		if !ok {
			i = len(groups)
			at[table{f.Settings, f.Load}] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

func (p Plan) figures(c schemes.Config, group []schemes.Figure, err error) []Finding {
	f := Finding{Part: "figures", Scheme: c.Name, Config: c.String(), What: fmt.Sprintf("load factor %g", group[0].Load)}
	p.trying(f)
	var list []Comparison
	if err == nil {
		list, err = compareFigures(p.Device, c, group, p.figureKeys(), p.Seed)
	}
	if err != nil {
		return []Finding{f.outcome(err)}
	}
	var findings []Finding
	for _, compared := range list {
		f.Figure, f.What = &compared, compared.what()
		findings = append(findings, f.outcome(compared.holds()))
	}
	return findings
}

// figureKeys is how many keys figures are measured with. A GPU has ten thousands of
// inserts under way, which in a small table often want the same slot, look again, and
// so count a probe more than was published: there it takes as many as the papers have.
func (p Plan) figureKeys() uint64 {
	switch {
	case p.Device.Info().Driver != "":
		return manyFigureKeys
	case p.Quick:
		return quickFigureKeys
	}
	return figureKeys
}

// what says which figure it is.
func (c Comparison) what() string {
	if c.Op == "find" {
		return fmt.Sprintf("%s of find, %g %% there", c.Counter, c.Present)
	}
	return c.Counter + " of " + c.Op
}

// Filled says how many tables filled to a load factor.
type Filled struct {
	Load  float64 `json:"load"`
	Full  int     `json:"full"`
	Of    int     `json:"of"`
	Least int     `json:"least"`
}

// fillSteps are a step for every load factor that the scheme declares. A quick
// check leaves out those that concern every single variant.
func (p Plan) fillSteps(t Target) []step {
	var steps []step
	add := func(c schemes.Config, load float64, least int, err error) {
		if t.Config == nil || t.Config.String() == c.String() {
			what := fmt.Sprintf("filling %d tables of %s to %g", fillSeeds, c, load)
			steps = append(steps, step{what, func() []Finding { return p.fill(c, load, least, err) }})
		}
	}
	for _, f := range t.Scheme.Fills {
		config, err := t.Scheme.Configure(f.Settings)
		for _, c := range p.familiesOf(config) {
			add(c, f.Load, f.Least, err)
		}
	}
	if p.Quick {
		return steps
	}
	for _, variant := range t.Scheme.Variants() {
		for _, c := range hashCounts(variant) {
			add(c, c.MaxLoad(c), nearlyAll, nil)
		}
	}
	return steps
}

// nearlyAll: of a hundred tables, so many fill to the load factor that a scheme
// declares as its highest.
const nearlyAll = 95

// hashCounts are a configuration with each number of hash functions.
func hashCounts(c schemes.Config) []schemes.Config {
	list := []schemes.Config{c}
	for _, p := range c.Params {
		if p.Role == schemes.HashCount {
			list = append(list, others(c, p)...)
		}
	}
	return list
}

func (p Plan) fill(c schemes.Config, load float64, least int, err error) []Finding {
	f := Finding{
		Part: "fills", Scheme: c.Name, Config: c.String(), What: fmt.Sprintf("fills to %g", load),
		Fill: &Filled{Load: load, Of: fillSeeds, Least: least},
	}
	p.trying(f)
	if err == nil {
		f.Fill.Full, err = filled(p.Device, c, load, fillPairs, fillSeeds, p.Seed)
	}
	if err == nil && f.Fill.Full < least {
		err = fmt.Errorf("%d of %d tables filled to %g, instead of %d or more", f.Fill.Full, fillSeeds, load, least)
	}
	return []Finding{f.outcome(err)}
}

package plugin

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
)

// What check holds a scheme to.

// fill is a load factor that tables reach, as it was written.
type fill struct {
	name     string
	settings []string
	load     string
	least    int64
}

// figure is something counted per operation, as it was written.
type figure struct {
	name        string
	settings    []string
	load, perOp string
	op, counter string
	present     float64
	within      float64
}

// checkFigure looks at what a figure says without expressions.
func (m *manifest) checkFigure(f *figure) error {
	key := "figure." + f.name + "."
	measured := []string{"insert", "find"}
	switch {
	case !slices.Contains(measured, f.op):
		return m.wrong(key+"op", fmt.Errorf("is %q: it takes %s", f.op, quoted(measured)))
	case !slices.Contains(m.ops, f.op):
		return m.wrong(key+"op", fmt.Errorf("is %s, which can.ops does not have", f.op))
	case !slices.Contains(m.pairs, schemes.Pair4.String()):
		return m.wrong(key+"op", fmt.Errorf("is measured with pairs %s, which can.pairs does not have", schemes.Pair4))
	case !slices.Contains(kernels.Counters, f.counter):
		return m.wrong(key+"counter", fmt.Errorf("is %w", nearest.Unknown("counter", f.counter, kernels.Counters)))
	case !(f.present >= 0 && f.present <= 100):
		return m.wrong(key+"present", fmt.Errorf("is %g: it takes 0 to 100", f.present))
	case !(f.within > 0):
		return m.wrong(key+"within", fmt.Errorf("is %g: it takes more than 0, such as 0.02", f.within))
	}
	return nil
}

// held gives the scheme what it is held to.
func (d *declaration) held() error {
	for _, f := range d.fills {
		if err := d.addFills(f); err != nil {
			return err
		}
	}
	for _, f := range d.figures {
		if err := d.addFigures(f); err != nil {
			return err
		}
	}
	return nil
}

// addFills adds a fill for each of the settings.
func (d *declaration) addFills(f *fill) error {
	key := "fill." + f.name + "."
	if f.least < 0 || f.least > 100 {
		return d.wrong(key+"least", fmt.Errorf("is %d: it takes 0 to 100", f.least))
	}
	return d.eachOf(key, f.settings, func(settings string, c schemes.Config) error {
		load, err := d.load(key, f.load, c)
		d.scheme.Fills = append(d.scheme.Fills, schemes.Fill{Settings: settings, Load: load, Least: int(f.least)})
		return err
	})
}

// addFigures adds a figure for each of the settings.
func (d *declaration) addFigures(f *figure) error {
	key := "figure." + f.name + "."
	return d.eachOf(key, f.settings, func(settings string, c schemes.Config) error {
		load, err := d.load(key, f.load, c)
		if err != nil {
			return err
		}
		perOp, err := d.positive(key+"per_op", f.perOp, c)
		d.scheme.Published = append(d.scheme.Published, schemes.Figure{
			Settings: settings, Load: load, Op: f.op, Present: f.present, Counter: f.counter, PerOp: perOp, Within: f.within,
		})
		return err
	})
}

// eachOf calls f with each of some settings, or with the defaults if there are none, and
// with what they give.
func (d *declaration) eachOf(key string, settings []string, f func(string, schemes.Config) error) error {
	if len(settings) == 0 {
		settings = []string{""}
	}
	for _, s := range settings {
		c, err := d.scheme.Set(s)
		if err != nil {
			return d.wrong(key+"settings", fmt.Errorf("is %w", err))
		}
		if !slices.ContainsFunc(d.variants, func(v schemes.Config) bool { return v.Variant() == c.Variant() }) {
			return d.wrong(key+"settings", fmt.Errorf("has %s, which is not compiled", c))
		}
		if err := f(s, c); err != nil {
			return err
		}
	}
	return nil
}

// load evaluates a load factor.
func (d *declaration) load(key, text string, c schemes.Config) (float64, error) {
	v, err := d.positive(key+"load", text, c)
	if err == nil && v > 1 {
		return v, d.wrong(key+"load", fmt.Errorf("is %q, which is %g for %s: it takes more than 0 and at most 1", text, v, c))
	}
	return v, err
}

// positive evaluates a number above 0.
func (d *declaration) positive(key, text string, c schemes.Config) (float64, error) {
	e, err := d.ofParams(key, text)
	if err != nil {
		return 0, err
	}
	v, err := e.Number(named(c))
	if err != nil {
		return 0, d.wrong(key, err)
	}
	if v <= 0 {
		return 0, d.wrong(key, fmt.Errorf("is %q, which is %g for %s: it takes more than 0", text, v, c))
	}
	return v, nil
}

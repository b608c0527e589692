package manifest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/schemes"
)

// mostVariants limits the time to compile a scheme.
const mostVariants = 200

// Prove evaluates every expression with every variant and returns the first error. It
// needs no kernels.
func (d *Declaration) Prove() error {
	if err := d.countable(); err != nil {
		return err
	}
	all := d.Scheme.Variants()
	if _, err := d.Compiled.True(valuesOf(d.Scheme.Defaults())); err != nil {
		return err
	}
	if len(all) == 0 {
		return d.Wrong("compiled", "leaves no variant")
	}
	if err := d.Scheme.Defaults().Compiled(); err != nil {
		return d.Wrong("compiled", "leaves out the defaults: %v", err)
	}
	for _, c := range all {
		if err := d.proveVariant(c); err != nil {
			return err
		}
	}
	return d.proveHeld()
}

// countable bounds the number of variants before they are listed.
func (d *Declaration) countable() error {
	n := 1
	for _, p := range d.Scheme.Params {
		if p.Role == schemes.Variant {
			n *= len(p.All())
		}
		if n > mostVariants {
			return d.Wrong("param."+p.Name+".role", "is variant, and makes more than %d of them", mostVariants)
		}
	}
	return nil
}

func (d *Declaration) proveVariant(c schemes.Config) error {
	if d.MaxLoad != nil {
		if _, err := d.loadFactor("max_load", d.MaxLoad, c); err != nil {
			return err
		}
	}
	conditions := []*Expr{d.Can.Moves}
	for _, w := range d.Without {
		conditions = append(conditions, w.When)
	}
	for _, e := range conditions {
		if _, err := e.True(valuesOf(c)); err != nil {
			return err
		}
	}
	for _, pair := range d.Scheme.Caps.Pairs {
		if err := d.provePair(c, pair); err != nil {
			return err
		}
	}
	return nil
}

// provePair adds the configuration in which an error occurs.
func (d *Declaration) provePair(c schemes.Config, pair schemes.Pair) error {
	err := c.Sound(pair)
	if at := new(mistake); errors.As(err, &at) {
		return &mistake{at.where, fmt.Sprintf("%s, in %s %s", at.what, c, pair)}
	}
	if err != nil {
		return d.Wrong("size.capacity", "and what follows from it: %v", err)
	}
	return nil
}

// proveHeld checks the scheme's expectations: fills and figures.
func (d *Declaration) proveHeld() error {
	for _, f := range d.Scheme.Fills {
		if c, err := d.Scheme.Configure(f.Settings); err != nil {
			return d.Wrong("fill.settings", "has %s: %v", c, err)
		}
	}
	for _, f := range d.Scheme.Expected {
		_, err := d.Scheme.Configure(f.Settings)
		switch {
		case err != nil:
		case !slices.Contains(d.Can.Ops, f.Op):
			err = fmt.Errorf("op is %s, which can.ops does not have", f.Op)
		case !slices.Contains(d.Scheme.Caps.Pairs, schemes.Pair4):
			err = fmt.Errorf("figures are measured with pairs %s, which can.pairs does not have", schemes.Pair4)
		}
		if err != nil {
			return &mistake{d.path(Figures), err.Error()}
		}
	}
	return nil
}

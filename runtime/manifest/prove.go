package manifest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// mostVariants limits the time to compile a scheme.
const mostVariants = 200

// Prove evaluates every expression with every variant and returns the first error. It needs no kernels.
func (m *Manifest) Prove() error {
	if err := m.countable(); err != nil {
		return err
	}
	all := m.Scheme.Variants()
	if _, err := m.Compiled.True(valuesOf(m.Scheme.Defaults())); err != nil {
		return err
	}
	if len(all) == 0 {
		return m.Wrong("compiled", "leaves no variant")
	}
	if err := m.Scheme.Defaults().Compiled(); err != nil {
		return m.Wrong("compiled", "leaves out the defaults: %v", err)
	}
	for _, c := range all {
		if err := m.proveVariant(c); err != nil {
			return err
		}
	}
	return m.proveHeld()
}

// countable bounds the number of variants before they are listed.
func (m *Manifest) countable() error {
	n := 1
	for _, p := range m.Scheme.Params {
		if p.Role == schemes.Variant {
			n *= len(p.All())
		}
		if n > mostVariants {
			return m.Wrong("param."+p.Name+".role", "is variant, and makes more than %d of them", mostVariants)
		}
	}
	return nil
}

func (m *Manifest) proveVariant(c schemes.Config) error {
	if m.MaxLoad != nil {
		if _, err := m.loadFactor("max_load", m.MaxLoad, c); err != nil {
			return err
		}
	}
	conditions := lists.Map(m.Without, func(w *without) *Expr { return w.When })
	for _, e := range append(conditions, m.Can.Moves, m.Can.WideAtomics) {
		if _, err := e.True(valuesOf(c)); err != nil {
			return err
		}
	}
	for _, pair := range c.Caps.Pairs {
		if err := m.provePair(c, pair); err != nil {
			return err
		}
	}
	return nil
}

// provePair adds the configuration in which an error occurs.
func (m *Manifest) provePair(c schemes.Config, pair schemes.Pair) error {
	err := c.Sound(pair)
	if at := new(mistake); errors.As(err, &at) {
		return &mistake{at.where, fmt.Sprintf("%s, in %s %s", at.what, c, pair)}
	}
	if err != nil {
		return m.Wrong("size.capacity", "and what follows from it: %v", err)
	}
	return nil
}

// proveHeld checks the scheme's expectations: fills and figures.
func (m *Manifest) proveHeld() error {
	for _, f := range m.Scheme.Fills {
		if c, err := m.Scheme.Configure(f.Settings); err != nil {
			return m.Wrong("fill.settings", "has %s: %v", c, err)
		}
	}
	for _, f := range m.Scheme.Expected {
		_, err := m.Scheme.Configure(f.Settings)
		switch {
		case err != nil:
		case !slices.Contains(m.Can.Ops, f.Op):
			err = fmt.Errorf("op is %s, which can.ops does not have", f.Op)
		case !slices.Contains(m.Scheme.Caps.Pairs, schemes.Pair4):
			err = fmt.Errorf("figures are measured with pairs %s, which can.pairs does not have", schemes.Pair4)
		}
		if err != nil {
			return &mistake{m.path(Figures), err.Error()}
		}
	}
	return nil
}

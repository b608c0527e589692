package manifest

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// mostVariants limits the time to compile a scheme.
const mostVariants = 200

// Prove checks the variants and what the scheme is held to, and returns the first error. It needs no kernels.
func (m *Manifest) Prove() error {
	if err := m.countable(); err != nil {
		return err
	}
	if m.Go && kernels.InGo[m.Name] == nil {
		return m.Wrong("go", "is true, and no Go of its folder is compiled in")
	}
	all := m.Scheme.Variants()
	if len(all) == 0 {
		return m.Wrong("excluded", "leaves no variant")
	}
	if err := m.Scheme.Defaults().Compiled(); err != nil {
		return m.Wrong("excluded", "has the defaults: %v", err)
	}
	return m.proveHeld()
}

// proveSizes checks the layouts of all variants and pairs. It needs the host side.
func (m *Manifest) proveSizes() error {
	for _, c := range m.Scheme.Variants() {
		for _, pair := range c.Caps.Pairs {
			if err := c.Sound(pair); err != nil {
				return &mistake{m.path(Host), err.Error()}
			}
		}
	}
	return nil
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

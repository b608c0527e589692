package plugin

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/schemes/plugin/expr"
)

// without is an operation that a scheme lacks with some of its parameters, as it was
// written.
type without struct {
	op, when string
}

// checkWithout looks whether the operations are there to be taken away.
func (m *manifest) checkWithout() error {
	always := slices.DeleteFunc(slices.Clone(m.ops), func(op string) bool { return slices.Contains(schemes.TableOps, op) })
	known := slices.Clone(m.ops)
	if len(m.concurrent) > 0 {
		known = append(known, schemes.MixOp)
	}
	for _, w := range m.without {
		key := "without." + w.op + ".when"
		if !slices.Contains(known, w.op) {
			return m.wrong(key, fmt.Errorf("is of an %w", nearest.Unknown("operation", w.op, known)))
		}
		always = slices.DeleteFunc(always, func(op string) bool { return op == w.op })
		if len(always) == 0 {
			return m.wrong(key, fmt.Errorf("leaves no operation that every table has"))
		}
	}
	return nil
}

// lacks gives the scheme its function of operations that are not there.
func (d *declaration) lacks() error {
	if len(d.manifest.without) == 0 {
		return nil
	}
	for _, w := range d.manifest.without {
		e, err := d.ofParams("without."+w.op+".when", w.when)
		if err != nil {
			return err
		}
		d.absent = append(d.absent, absent{w.op, e})
	}
	d.scheme.Without = func(c schemes.Config) (ops []string) {
		for _, a := range d.absent {
			if yes, _ := a.when.True(named(c)); yes { // soundWithout has said what is wrong
				ops = append(ops, a.op)
			}
		}
		return ops
	}
	return nil
}

// absent is an operation that is not there with some parameters.
type absent struct {
	op   string
	when *expr.Expr
}

// soundWithout tries the conditions with a variant.
func (d *declaration) soundWithout(c schemes.Config) error {
	for _, a := range d.absent {
		if _, err := a.when.True(named(c)); err != nil {
			return d.wrong("without."+a.op+".when", err)
		}
	}
	return nil
}

// never are the operations that no table of a variant has, whatever its other parameters
// are: they have no kernels.
func (d *declaration) never(variant schemes.Config) (ops []string) {
	known := expr.Names{}
	for _, p := range variant.Params {
		if p.Role == schemes.Variant {
			known[p.Name] = named(variant)[p.Name]
		}
	}
	for _, a := range d.absent {
		if yes, err := a.when.True(known); err == nil && yes { // an error: it depends on another parameter
			ops = append(ops, a.op)
		}
	}
	return ops
}

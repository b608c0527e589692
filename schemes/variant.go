package schemes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
)

// Variant is the name of the compiled kernels of this configuration: the scheme's,
// and for each Variant parameter its letter with the number, or its word.
func (c Config) Variant() string {
	name := c.Name
	for i, p := range c.Params {
		if p.Role == Variant {
			name += "_" + p.Letter + p.Text(c.values[i])
		}
	}
	return name
}

// Compiled says whether the kernels of this configuration exist. Not every
// combination of Variant parameters is useful; those that are not are not compiled.
func (c Config) Compiled() error {
	if c.compiled() {
		return nil
	}
	var names []string
	for _, v := range c.Variants() {
		names = append(names, v.variantText())
	}
	return fmt.Errorf("scheme %s: %s is not compiled: there are %s", c.Name, c.variantText(), strings.Join(names, "; "))
}

// Variants returns the scheme's compiled configurations, with defaults in all
// other parameters.
func (s *Scheme) Variants() []Config {
	list := []Config{s.Defaults()}
	for i, p := range s.Params {
		if p.Role != Variant {
			continue
		}
		var wider []Config
		for _, c := range list {
			for _, v := range p.all() {
				wider = append(wider, c.set(i, v))
			}
		}
		list = wider
	}
	return slices.DeleteFunc(list, func(c Config) bool { return !c.compiled() })
}

// compiled says whether the kernels are there for any pair.
func (c Config) compiled() bool {
	return slices.ContainsFunc(c.Caps.Pairs, func(p Pair) bool { return c.CompiledFor(p) == nil })
}

// CompiledFor says whether a table of such pairs can be made.
func (c Config) CompiledFor(pair Pair) error {
	if !slices.Contains(c.Caps.Pairs, pair) {
		why := c.Caps.PairsWhy
		if why != "" {
			why = ": " + why
		}
		return &Lack{
			What: fmt.Sprintf("no pairs of %d+%d bytes%s", pair.Key, pair.Value, why),
			Text: fmt.Sprintf("scheme %s has no pairs %v: it has %v%s", c.Name, pair, c.Caps.Pairs, why),
		}
	}
	if _, ok := kernels.FindHost(c.Kernel(pair, c.Launched(pair)[0], false)); !ok {
		return &Lack{
			What: fmt.Sprintf("%s is not compiled for pairs of %d+%d bytes", c.variantText(), pair.Key, pair.Value),
			Text: fmt.Sprintf("scheme %s: %s is not compiled for pairs %v", c.Name, c.variantText(), pair),
		}
	}
	return nil
}

// Launched are the operations that have a kernel of their own: those which the
// host side carries out may have none.
func (c Config) Launched(pair Pair) []string {
	ops := slices.DeleteFunc(slices.Clone(c.Caps.Ops), func(op string) bool {
		_, there := kernels.FindHost(c.Kernel(pair, op, false))
		return c.Host[op] != nil && !there
	})
	if len(c.Caps.Concurrent) > 0 {
		ops = append(ops, MixOp)
	}
	return append(ops, c.Kernels...)
}

// all lists the values of a parameter.
func (p Param) all() []int64 {
	if p.Values != nil {
		return p.Values
	}
	first, last := p.Min, p.Max
	if p.Words != nil {
		first, last = 0, int64(len(p.Words))-1
	}
	var values []int64
	for v := first; v <= last; v++ {
		values = append(values, v)
	}
	return values
}

// variantText is the Variant parameters as a user writes them.
func (c Config) variantText() string {
	var set []string
	for i, p := range c.Params {
		if p.Role == Variant {
			set = append(set, p.Name+"="+p.Text(c.values[i]))
		}
	}
	return strings.Join(set, ",")
}

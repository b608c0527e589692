package schemes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Variant returns the name of this configuration's compiled kernels: the scheme's name,
// and for each Variant parameter its letter and number, or its word.
func (c Config) Variant() string {
	name := c.Name
	for i, p := range c.Params {
		if p.Role == Variant {
			name += "_" + p.Letter + p.Text(c.values[i])
		}
	}
	return name
}

// Compiled returns an error if the variant of this configuration is not compiled. Useless
// combinations of Variant parameters are left out.
func (c Config) Compiled() error {
	if c.compiled() {
		return nil
	}
	there := strings.Join(lists.Map(c.Variants(), Config.variantText), "; ")
	return fmt.Errorf("scheme %s: %s is not compiled: there are %s", c.Name, c.variantText(), there)
}

func (c Config) variantText() string {
	return c.settings(func(p Param, _ int64) bool { return p.Role == Variant })
}

func (c Config) compiled() bool { return c.Builds == nil || c.Builds(c) }

// Variants returns the scheme's compiled configurations, with defaults for all other
// parameters.
func (s *Scheme) Variants() []Config {
	list := []Config{s.Defaults()}
	for i, p := range s.Params {
		if p.Role != Variant {
			continue
		}
		var wider []Config
		for _, c := range list {
			for _, v := range p.All() {
				wider = append(wider, c.set(i, v))
			}
		}
		list = wider
	}
	return slices.DeleteFunc(list, func(c Config) bool { return !c.compiled() })
}

// CompiledFor returns an error if the scheme has no tables with such pairs.
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
	return nil
}

// Launched returns the operations that are kernels. Operations on whole tables are
// carried out by the host side, which may launch its own kernels.
func (c Config) Launched() []string {
	ops := Except(c.Caps.Ops, TableOps)
	if len(c.Caps.Concurrent) > 0 {
		ops = append(ops, MixOp)
	}
	return append(ops, c.Kernels...)
}

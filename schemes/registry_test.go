package schemes

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
)

// declared are the kernels that the registry can ask for.
func declared() map[string]bool {
	names := map[string]bool{}
	for _, s := range All() {
		for _, c := range s.Variants() {
			for _, pair := range s.Caps.Pairs {
				if c.CompiledFor(pair) != nil {
					continue
				}
				for _, op := range c.Launched(pair) {
					names[c.Kernel(pair, op, false)] = true
					names[c.Kernel(pair, op, true)] = true
				}
			}
		}
	}
	return names
}

// ofScheme says whether a kernel is named like those of schemes (kernels/kernel.h).
func ofScheme(name string) bool {
	return schemeKernel.MatchString(name) && !strings.HasPrefix(name, "hz_selftest_")
}

var schemeKernel = regexp.MustCompile(`^hz_.+_k[0-9]+v[0-9]+_[a-z_]+$`)

func TestDeclarationsAndKernelsMatchBothWays(t *testing.T) {
	wanted := declared()
	for name := range wanted {
		if !ofScheme(name) {
			t.Errorf("%s is not named like the kernel of a scheme", name)
		}
		if _, ok := kernels.FindHost(name); !ok {
			t.Errorf("%s is declared, and not in the host build", name)
		}
	}
	for _, name := range kernels.HostNames() {
		if ofScheme(name) && !wanted[name] {
			t.Errorf("%s is compiled, and no declaration reaches it", name)
		}
	}
}

func TestDeclarationsAndPTXMatchBothWays(t *testing.T) {
	compiled := kernels.PTXNames()
	if len(compiled) == 0 {
		t.Skip("no PTX was compiled: tools/ptx.sh")
	}
	wanted := declared()
	for name := range wanted {
		if _, ok := kernels.FindPTX(name); !ok {
			t.Errorf("%s is declared, and not in the PTX", name)
		}
	}
	for _, name := range compiled {
		if ofScheme(name) && !wanted[name] {
			t.Errorf("%s is in the PTX, and no declaration reaches it", name)
		}
	}
}

// The kernels read Table.Arg in an order of their own, which they declare.
func TestArgumentsAreInTheKernelsOrder(t *testing.T) {
	for _, s := range All() {
		var want []string
		for _, p := range s.Params {
			if p.Role == Arg {
				want = append(want, p.Name)
			}
		}
		have, ok := kernels.Args(s.Name)
		if !ok || !slices.Equal(have, want) {
			t.Errorf("scheme %s: kernels read the arguments %v, %v are declared", s.Name, have, want)
		}
	}
}

func TestBlocksCarryTheParameters(t *testing.T) {
	c, err := Parse("bcht:bucket=8,hashes=4,hash=universal,max_chain=77")
	if err != nil {
		t.Fatal(err)
	}
	layout := Layout{Capacity: 800, Buckets: 100}
	b := c.Block(layout, 5, nil)
	if b.Capacity != 800 || b.Buckets != 100 || b.Hashes != 4 || b.Family != kernels.Universal || b.Arg[0] != 77 {
		t.Errorf("%+v", b)
	}
	automatic, err := c.With("max_chain", "0")
	if err != nil {
		t.Fatal(err)
	}
	if have, want := automatic.Block(layout, 5, nil).Arg[0], uint64(maxChain.Auto(layout)); have != want || want == 0 {
		t.Errorf("an automatic max_chain is %d, want %d", have, want)
	}
	if c.Block(layout, 5, nil) != b || c.Block(layout, 6, nil).Hash == b.Hash || c.Block(layout, 6, nil).Seed == b.Seed {
		t.Error("hash functions do not come from the seed alone")
	}
}

// The constants are such that no hash function is degenerate.
func TestHashConstants(t *testing.T) {
	for seed := range uint64(2000) {
		for _, family := range []int64{kernels.Fast, kernels.Universal} {
			for i, h := range hashConstants(seed, family) {
				fast := h.A%2 == 1
				universal := h.A >= 1 && h.A < prime && h.B < prime && h.C >= 1 && h.C < prime
				if family == kernels.Fast && !fast || family == kernels.Universal && !universal {
					t.Fatalf("seed %d, family %d, function %d: %+v", seed, family, i, h)
				}
			}
		}
	}
}

func TestRegisterRefusesContradictions(t *testing.T) {
	for want, s := range map[string]*Scheme{
		"scheme bcht is registered twice":     {Name: "bcht"},
		"declares the operation inzert":       {Name: "x", Caps: Capabilities{Ops: []string{"inzert"}}},
		"declares the operation mix: not one": {Name: "x", Caps: Capabilities{Ops: []string{"find", "mix"}}},
		"operation flush and has no host":     {Name: "x", Caps: Capabilities{Ops: []string{"find", "flush"}}},
		"erase as concurrent, which it does":  {Name: "x", Caps: Capabilities{Ops: []string{"find"}, Concurrent: []string{"find", "erase"}}},
		"find as concurrent, and nothing":     {Name: "x", Caps: Capabilities{Ops: []string{"find"}, Concurrent: []string{"find"}}},
		"count as concurrent, which goes":     {Name: "x", Caps: Capabilities{Ops: []string{"find", "count"}, Concurrent: []string{"find", "count"}}},
		"a host side for resize, which it":    {Name: "x", Caps: canFind, Host: map[string]HostOp{"resize": insertOrRebuild}},
		"a host side for mix, which it":       {Name: "x", Caps: canFind, Host: map[string]HostOp{"mix": insertOrRebuild}},
		`default of parameter p is "5"`:       {Name: "x", Params: []Param{{Name: "p", Min: 1, Max: 4, Default: 5}}},
		"published figure: scheme x: unknown": {Name: "x", Caps: canFind, Published: []Figure{{Settings: "q=1", Op: "find", Counter: "probes", Load: 1, Within: 1}}},
		"no such operation or counter":        {Name: "x", Caps: canFind, Published: []Figure{{Op: "find", Counter: "smiles", Load: 1, Within: 1}}},
		"no load factor or tolerance":         {Name: "x", Caps: canFind, Published: []Figure{{Op: "find", Counter: "probes", Load: 0.5}}},
		"fill: scheme x: unknown parameter":   {Name: "x", Fills: []Fill{{Settings: "q=1"}}},
		`the gauge "g": it takes a name`:      {Name: "x", Gauges: []Gauge{{Name: "g", Help: "h"}}},
		"declares the gauge g twice":          {Name: "x", Gauges: []Gauge{noGauge, noGauge}},
	} {
		func() {
			defer func() {
				p := recover()
				text := ""
				switch p := p.(type) {
				case string:
					text = p
				case error:
					text = p.Error()
				}
				if !strings.Contains(text, want) {
					t.Errorf("registering %+v: %q, want %q", s.Name, text, want)
				}
			}()
			Register(s)
			delete(registry, "x") // in case it was taken
		}()
	}
	if _, err := Find("x"); err == nil {
		t.Error("a scheme that was refused is registered")
	}
}

var noGauge = Gauge{Name: "g", Help: "h", Read: func(Table) ([]Bar, error) { return nil, nil }}

var canFind = Capabilities{Ops: []string{"find"}}

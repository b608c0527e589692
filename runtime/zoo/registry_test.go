package zoo_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// declared returns the kernels that the manifests ask for.
func declared(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, s := range schemes.All() {
		for _, name := range manifest.Of(s).KernelNames() {
			names[name] = true
		}
	}
	return names
}

// ofScheme reports whether a kernel's name is that of a scheme's kernel (kernels/kernel.h).
func ofScheme(name string) bool {
	return schemeKernel.MatchString(name) && !strings.HasPrefix(name, "hz_selftest_")
}

var schemeKernel = regexp.MustCompile(`^hz_.+_k[0-9]+v[0-9]+_[a-z_]+$`)

// What is compiled is declared, and what is declared is compiled or can be.
func TestDeclarationsAndKernelsMatchBothWays(t *testing.T) {
	wanted := declared(t)
	for name := range wanted {
		must.Hold(t, ofScheme(name), "%s is not named like the kernel of a scheme", name)
		i, ok := manifest.InstanceOf(name)
		must.Hold(t, ok && strings.HasPrefix(name, "hz_"+strings.TrimSuffix(i.Key(), "_counted")+"_"), "%s is declared, and compiled with %s", name, i.Key())
	}
	for _, name := range append(kernels.PTXNames(), compiledIn...) {
		must.Hold(t, !ofScheme(name) || wanted[name], "%s is compiled, and no declaration reaches it", name)
	}
}

// The kernels of defaults for the usual pairs are compiled in.
func TestUsualKernelsAreCompiledIn(t *testing.T) {
	for _, s := range schemes.All() {
		for _, pair := range []schemes.Pair{schemes.Pair4, schemes.Pair8} {
			c := s.Defaults()
			for _, op := range c.Launched() {
				_, ok := kernels.FindHost(c.Kernel(pair, op, false))
				must.Hold(t, ok || !slices.Contains(c.Caps.Pairs, pair), "%s is not compiled in", c.Kernel(pair, op, false))
			}
		}
	}
}

// The kernels declare the order in which they read Table.Arg.
func TestArgumentsAreInTheKernelsOrder(t *testing.T) {
	for _, s := range schemes.All() {
		var want []string
		for _, p := range s.Params {
			if p.Role == schemes.Arg {
				want = append(want, p.Name)
			}
		}
		have, ok := kernels.Args(s.Name)
		must.Hold(t, ok && slices.Equal(have, want), "scheme %s: kernels read the arguments %v, %v are declared", s.Name, have, want)
	}
}

func TestBlocksCarryTheParameters(t *testing.T) {
	c := must.Get(schemes.Parse("bcht:bucket=8,hashes=4,hash=universal,max_chain=77"))(t)
	layout := schemes.Layout{Capacity: 800, Buckets: 100}
	b := c.Block(layout, 5, nil)
	must.Hold(t, b.Capacity == 800 && b.Buckets == 100 && b.Hashes == 4 && b.Family == kernels.Universal && b.Arg[0] == 77, "%+v", b)
	automatic := must.Get(c.With("max_chain", "0"))(t)
	must.Match(t, automatic.Block(layout, 5, nil).Arg[0], 64*10, "an automatic max_chain") // 800 has 10 bits
	must.Hold(t, c.Block(layout, 5, nil) == b && c.Block(layout, 6, nil).Hash != b.Hash && c.Block(layout, 6, nil).Seed != b.Seed,
		"hash functions do not come from the seed alone")
}

// compiledIn are the kernels that the program has before a test compiles others.
var compiledIn = kernels.HostNames()

// Both builds are compiled from the same source, so they contain the same kernels.
func TestPTXAndHostHaveTheSameKernels(t *testing.T) {
	gpu := kernels.PTXNames()
	if len(gpu) == 0 {
		t.Skip("no PTX was compiled: tools/ptx.sh")
	}
	slices.Sort(gpu)
	slices.Sort(compiledIn)
	for _, name := range gpu {
		_, ok := slices.BinarySearch(compiledIn, name)
		must.Hold(t, ok, "%s is in the PTX but not in the host build: run tools/ptx.sh", name)
	}
	for _, name := range compiledIn {
		_, ok := slices.BinarySearch(gpu, name)
		must.Hold(t, ok, "%s is in the host build but not in the PTX: run tools/ptx.sh", name)
	}
}

// The gauges that manifests can name are those of kernels/host_gauges.h.
func TestSharedGaugesAreRead(t *testing.T) {
	must.Match(t, host.Shared().Gauges, manifest.SharedGauges(), "host_gauges.h reads others than shared.toml has")
}

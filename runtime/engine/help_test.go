package engine

import (
	"flag"
	"os"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
	"github.com/hashzoo/hashzoo/schemes"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if checks := flag.Lookup("rapid.checks"); testing.Short() && checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set("25"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// shorter chooses how much is tested: in the large tier, or in the small one.
func shorter(large, small int) int {
	if testing.Short() {
		return small
	}
	return large
}

// few are the first and the last of a list in the small tier, and all of it in the large one.
func few[T any](list []T) []T {
	if testing.Short() && len(list) > 2 {
		return []T{list[0], list[len(list)-1]}
	}
	return list
}

func openCPU(t testing.TB, threads int) device.Device {
	t.Helper()
	dev := must.Get(cpu.Backend().Open(0, device.Options{Threads: threads}))(t)
	t.Cleanup(func() { dev.Close() })
	return dev
}

func config(t testing.TB, text string) schemes.Config {
	t.Helper()
	return must.Get(schemes.Parse(text))(t)
}

// verified makes a table of 4+4 pairs that checks everything.
func verified(t testing.TB, dev device.Device, text string, capacity, seed uint64) *Table {
	t.Helper()
	return table(t, dev, Spec{
		Config: config(t, text), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: capacity}, Seed: seed, Verify: true,
	})
}

func table(t testing.TB, dev device.Device, spec Spec) *Table {
	t.Helper()
	made := must.Get(New(dev, spec))(t)
	t.Cleanup(func() { made.Close() })
	return made
}

func load(t testing.TB, dev device.Device, pair schemes.Pair, b Batch) *Input {
	t.Helper()
	in := must.Get(Load(dev, pair, b))(t)
	t.Cleanup(func() { in.Release() })
	return in
}

// run carries out a batch that must succeed.
func run(t testing.TB, on *Table, b Batch) Sample {
	t.Helper()
	in := load(t, on.dev, on.spec.Shape.Pair, b)
	return must.Get(on.Run(in))(t)
}

// counts runs a batch that has a count of operations with a result, or ends the test.
func counts(t testing.TB, on *Table, b Batch, name string, want uint64) Sample {
	t.Helper()
	s := run(t, on, b)
	must.Need(t, s.Counts.Get(name) == want, "%v, %s: %d %s, not %d; all are %v, notes %q", on.Config(), b.Op, s.Counts.Get(name), name, want, s.Counts.Named(), s.Notes)
	return s
}

// contents are the table's, checked.
func contents(t testing.TB, of *Table) Contents {
	t.Helper()
	return must.Get(of.Contents())(t)
}

// from are n numbers, the first of them given.
func from(first uint64, n int) List {
	list := make(List, n)
	for i := range list {
		list[i] = first + uint64(i)
	}
	return list
}

func insert(keys List) Batch { return Batch{Op: "insert", Keys: keys, Values: from(1000, len(keys))} }
func find(keys List) Batch   { return Batch{Op: "find", Keys: keys} }

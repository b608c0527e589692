package plugin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// twinManifest declares BCHT anew, but for its rebuilds.
const twinManifest = `
name     = "twin"
title    = "BCHT as a plugin"
about    = "The same kernels, by another compiler."
paper    = "as BCHT"
class    = "Bcht"
max_load = 0.99
compiled = "placement == 'first' || bucket >= 16"
gauges   = ["bucket fill", "slots"]

[can]
ops   = ["insert", "find", "update", "erase", "count", "export"]
pairs = ["k4v4", "k8v8"]

[param.bucket]
role    = "variant"
type    = "integer"
letter  = "b"
values  = [8, 16]
default = 16

[param.hashes]
role    = "hash_count"
type    = "integer"
range   = [2, 4]
default = 3

[param.hash]
role = "hash_family"

[param.max_chain]
role    = "argument"
type    = "integer"
range   = [0, 1_048_576]
default = 0
auto    = "64 * (floor(log2(capacity)) + 1)"

[param.placement]
role    = "variant"
type    = "choice"
choices = ["first", "least_loaded"]
enum    = "Placement"
default = "first"

[size]
buckets  = "ceil(slots / bucket)"
capacity = "buckets * bucket"

[region.slots]
bytes = "capacity * pair"
fill  = 255
table = true

[fill.usual]
settings = "bucket=16"
load     = 0.98
least    = 99

[figure.insert]
settings = ["bucket=8", "bucket=16"]
load     = 0.9
op       = "insert"
counter  = "probes"
per_op   = "bucket == 8 ? 1.22536 : 1.11312"
within   = 0.02

[figure.there]
settings = ["bucket=8", "bucket=16"]
load     = 0.9
op       = "find"
present  = 100
counter  = "probes"
per_op   = "bucket == 8 ? 1.21808 : 1.10817"
within   = 0.02

[figure.half]
settings = ["bucket=8", "bucket=16"]
load     = 0.9
op       = "find"
present  = 50
counter  = "probes"
per_op   = "bucket == 8 ? 1.63406 : 1.46882"
within   = 0.02

[figure.absent]
settings = ["bucket=8", "bucket=16"]
load     = 0.9
op       = "find"
present  = 0
counter  = "probes"
per_op   = "bucket == 8 ? 2.07353 : 1.8102"
within   = 0.02
`

// twin builds and loads it, with the header of the zoo under another name.
func twin(t testing.TB) *schemes.Scheme {
	t.Helper()
	folder := t.TempDir()
	header, err := os.ReadFile("../../kernels/bcht.h")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"twin.h": string(header), manifestFile: twinManifest} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var said strings.Builder
	if _, err := Build(t.Context(), folder, "", &said); err != nil || said.Len() > 0 {
		t.Fatalf("%v\n%s", err, said.String())
	}
	scheme, err := Load(filepath.Join(folder, builtFolder))
	if err != nil {
		t.Fatal(err)
	}
	return scheme
}

func openCPU(t testing.TB, threads int) device.Device {
	t.Helper()
	dev, err := devices.Open("cpu", device.Options{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

func table(t testing.TB, dev device.Device, scheme string, spec engine.Spec) *engine.Table {
	t.Helper()
	var err error
	if spec.Config, err = schemes.Parse(scheme); err != nil {
		t.Fatal(err)
	}
	made, err := engine.New(dev, spec)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// trace is all that can be seen of what a table does: digests, and what is counted.
func trace(t *testing.T, dev device.Device, scheme string, pair schemes.Pair) (seen []any) {
	t.Helper()
	const n = 50_000
	spec := engine.Spec{Shape: schemes.Shape{Pair: pair, N: n, Load: 0.9}, Seed: 7, Counted: true, Verify: true}
	on := table(t, dev, scheme, spec)
	defer on.Close()
	keys, values := stream.Keys(pair.Key, 1), stream.Random(2)
	for _, b := range []engine.Batch{
		{Op: "insert", Keys: keys.Take(n), Values: values.Take(n)},
		{Op: "find", Keys: keys.Slice(n/2, n)},
		{Op: "update", Keys: keys.Slice(n/3, n), Values: values.Slice(n, n)},
		{Op: "erase", Keys: keys.Slice(n/4, n/4)},
		{Op: "insert", Keys: keys.Slice(2*n, n/8), Values: values.Take(n / 8)},
		{Op: "find", Keys: keys.Take(n)},
	} {
		in, err := engine.Load(dev, pair, b)
		if err != nil {
			t.Fatal(err)
		}
		s, err := on.Run(in)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, s.Input, s.Result, s.Counts.Named())
		if err := in.Release(); err != nil {
			t.Fatal(err)
		}
	}
	contents, err := on.Contents()
	if err != nil {
		t.Fatal(err)
	}
	shown, err := on.Gauges()
	if err != nil {
		t.Fatal(err)
	}
	return append(seen, contents.Digest, on.Capacity(), on.Bytes(), shown)
}

// What a scheme is held to can be said of a plugin as it is of a scheme of the zoo.
func TestAPluginIsHeldToWhatASchemeOfTheZooIs(t *testing.T) {
	m, err := parseManifest("twin.toml", twinManifest)
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.declare()
	if err != nil {
		t.Fatal(err)
	}
	zoo, err := schemes.Find("bcht")
	if err != nil {
		t.Fatal(err)
	}
	var want []schemes.Figure
	for _, f := range zoo.Published {
		if f.Load == 0.9 && (f.Settings == "bucket=8" || f.Settings == "bucket=16") {
			want = append(want, f)
		}
	}
	have := slices.SortedFunc(slices.Values(d.scheme.Published), func(a, b schemes.Figure) int {
		return slices.IndexFunc(want, func(f schemes.Figure) bool { return f == a }) - slices.IndexFunc(want, func(f schemes.Figure) bool { return f == b })
	})
	if diff := cmp.Diff(want, have) + cmp.Diff(zoo.Fills, d.scheme.Fills); diff != "" || len(want) != 8 {
		t.Errorf("%d figures of the zoo\n%s", len(want), diff)
	}
}

// A scheme of the zoo, compiled as a plugin, does the same, bit for bit.
func TestASchemeOfTheZooAsAPlugin(t *testing.T) {
	scheme := twin(t)
	if scheme.Plugin == nil || len(scheme.Variants()) != 3 {
		t.Fatalf("%+v, %d variants", scheme.Plugin, len(scheme.Variants()))
	}
	dev := openCPU(t, 1)
	defer dev.Close()
	for _, settings := range []string{"bucket=8", "bucket=16,hash=universal", "placement=least_loaded,hashes=2"} {
		for _, pair := range scheme.Caps.Pairs {
			want, have := trace(t, dev, "bcht:"+settings, pair), trace(t, dev, "twin:"+settings, pair)
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("%s %s: the plugin differs\n%s", settings, pair, diff)
			}
		}
	}
}

// BenchmarkASchemeOfTheZooAsAPlugin compares rates, in turns, on one thread: -bench Zoo.
// Of each it reports the median over runs, and how many percent the plugin is faster.
func BenchmarkASchemeOfTheZooAsAPlugin(b *testing.B) {
	twin(b)
	dev := openCPU(b, 1)
	const n = 2_000_000
	pair := schemes.Pair4
	keys := stream.Keys(pair.Key, 1)
	spec := engine.Spec{Shape: schemes.Shape{Pair: pair, N: n, Load: 0.8}, Seed: 7}
	tables := []*engine.Table{table(b, dev, "bcht", spec), table(b, dev, "twin", spec)}
	for _, batch := range []engine.Batch{
		{Op: "insert", Keys: keys.Take(n), Values: stream.Random(2).Take(n)}, {Op: "find", Keys: keys.Slice(n/2, n)},
	} {
		in, err := engine.Load(dev, pair, batch)
		if err != nil {
			b.Fatal(err)
		}
		times := make([][]time.Duration, len(tables))
		for range max(b.N, 15) {
			for i, t := range tables {
				if batch.Op == "insert" {
					if err := t.Clear(); err != nil {
						b.Fatal(err)
					}
				}
				s, err := t.Run(in)
				if err != nil {
					b.Fatal(err)
				}
				times[i] = append(times[i], s.Service)
			}
		}
		medians := make([]float64, len(tables))
		for i := range times {
			slices.Sort(times[i])
			medians[i] = times[i][len(times[i])/2].Seconds()
			b.ReportMetric(n/medians[i]/1e6, []string{"zoo_", "plugin_"}[i]+batch.Op+"_Mop/s")
		}
		b.ReportMetric(100*(medians[0]/medians[1]-1), "faster_"+batch.Op+"_%")
	}
}

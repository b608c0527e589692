package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// hosted builds a scheme that ships under another name, with another host side and one variant, and loads it.
func hosted(t *testing.T, text, alias, source string) schemes.Config {
	t.Helper()
	name, settings, _ := strings.Cut(text, ":")
	folder := twinOf(t, name, `["k4v4", "k8v8"]`, `["k4v4"]`)
	if err := os.Remove(filepath.Join(folder, manifest.Figures)); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	must.OK(t, os.WriteFile(filepath.Join(folder, manifest.Host), []byte(source), 0o644))
	var said strings.Builder
	if _, err := Build(t.Context(), folder, Options{Only: settings, Say: &said}); err != nil || said.Len() > 0 {
		t.Fatalf("%v\n%s", err, said.String())
	}
	return must.Get(Load(filepath.Join(folder, builtFolder), alias))(t).Defaults()
}

// hostTest is a table of a plugin, whose every batch is verified.
type hostTest struct {
	*testing.T
	*engine.Table
	dev device.Device
}

func tested(t *testing.T, c schemes.Config) hostTest {
	dev := openCPU(t, 2)
	spec := engine.Spec{Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 64}, Seed: 1, Verify: true}
	return hostTest{t, table(t, dev, c.String(), spec), dev}
}

// carry carries out an operation on n keys.
func (h hostTest) carry(b engine.Batch, from, n int) (engine.Sample, error) {
	h.Helper()
	if b.Capacity == 0 && b.Op != "flush" {
		b.Keys, b.Values = stream.Keys(4, 1).Slice(uint64(from), uint64(n)), stream.Random(2).Take(uint64(n))
	}
	in, err := engine.Load(h.dev, schemes.Pair4, b)
	if err != nil {
		h.Fatal(err)
	}
	defer in.Release()
	return h.Table.Run(in)
}

// A host side that loses pairs is told so, with the line that launched last.
func TestHostSideThatLosesPairs(t *testing.T) {
	h := tested(t, hosted(t, "linear:bucket=8", "losing", `#include "host_side.h"
namespace hz::host {
struct LinearHost {
  template <class P>
  static double max_load(const P&) {
    return 0.9;
  }
  template <class P>
  static Layout layout(const P& p, const Shape& s) {
    return in_buckets(s, u64(p.bucket));
  }
  template <class T>
  static Result run(T& t, op_flush, const Batch&) {
    Batch all = everything(t);
    empty(t);
    all.n /= 2;
    t.launch(op_insert{}, all);
    return {};
  }
  template <class T>
  static Result run(T& t, op_resize, const Batch&) {
    t.scratch(u64(1) << 60);
    return {};
  }
};
}
`))
	must.Get(h.carry(engine.Batch{Op: "insert"}, 0, 30))(t)
	for b, want := range map[*engine.Batch]string{
		{Op: "resize", Capacity: 9}: "bytes: only ",
		{Op: "flush"}:               "host.h:17: after flush the table has 15 pairs, and it should have 30: pairs that are taken out are inserted again or left over",
	} {
		must.Say(t, must.Err(h.carry(*b, 0, 0)), want, b.Op)
	}
}

// The examples of docs/plugins.md are host sides. The first line says of which scheme: they do on its tables what they are
// for, and the oracle agrees.
func TestExamplesOfTheHostPage(t *testing.T) {
	text := read(t, page)
	examples := regexp.MustCompile("(?s)```cpp\n// ([^\n]*)\n(.*?)```").FindAllStringSubmatch(text, -1)
	all := strings.Count(text, "```cpp\n")
	must.Need(t, len(examples) == all && all != 0, "%d of %d examples say which scheme they are of", len(examples), all)
	for i, e := range examples {
		c := hosted(t, e[1], fmt.Sprintf("example%d", i), e[2])
		h := tested(t, c)
		grows := strings.Contains(e[2], "2 * t.block().Capacity")
		for _, n := range []int{30, 400} {
			s, err := h.carry(engine.Batch{Op: "insert"}, n, n)
			failed := s.Counts.Get("failed")
			must.Hold(t, err == nil && (n <= 64 || grows == (failed == 0)), "%s: %d of %d inserts fail, notes %q, %v", e[1], failed, n, s.Notes, err)
		}
		for _, b := range []engine.Batch{{Op: "flush"}, {Op: "resize", Capacity: 3000}, {Op: "resize", Capacity: 1}} {
			if c.Host[b.Op] == nil || !strings.Contains(e[2], "op_"+b.Op) {
				continue
			}
			must.Say(t, must.Err(h.carry(b, 0, 0)), "", e[1], b.Op)
		}
		must.Say(t, must.Err(h.Contents()), "", e[1])
	}
}

func TestMistakesInGauges(t *testing.T) {
	const look = `look   = "look_away"`
	labels := `labels = ["0", "1", "2", "3", "4", "5-8", "9-16", "17+"]`
	are(t, []mistaken{
		{`gauges = ["bucket fill", "slots"]`, `gauges = ["bucket fil"]`, `17: gauges has unknown gauge "bucket fil": did you mean bucket fill?`},
		{`gauges = ["bucket fill", "slots"]`, `gauges = ["slots", "slots"]`, `17: gauges has slots twice`},
		{`gauges = ["bucket fill", "slots"]`, `gauges = "slots"`, `17: gauges is "slots": it takes a list of gauges`},
		{look, `look = "away!"`, `gauge.away.look is "away!": it takes small letters, digits and _`},
		{look, `items = "capacity"`, `gauge.away.look is missing, and host.h adds the bars of such a gauge: leave out items, labels and first`},
		{look, `look = "find"`, `gauge.away.look is find, as another kernel is called: choose another name`},
		{look, look + "\nitems = \"capcity\"", `gauge.away.items is "capcity": it takes capacity, buckets`},
		{look, look + "\nfirst = 33", `gauge.away.first is 33, of 8 bars: there are 40 bins`},
		{look, look + "\nfirst = -1", `gauge.away.first is -1, of 8 bars: there are 40 bins`},
		{labels, `labels = "0"`, `gauge.away.labels is "0": it takes a list of texts`},
		{labels, `labels = ["0", ""]`, `gauge.away.labels is ["0",""]: it takes a list of texts`},
		{labels, `lables = ["0"]`, `unknown key "gauge.NAME.lables": did you mean gauge.NAME.labels?`},
		{`[gauge.away]`, `[gauge.slots]`, `gauge.slots.look is of a gauge that gauges has too: choose another name`},
		{`[gauge.away]`, `[gauge."Away"]`, `gauge.Away.look is of a gauge that is called "Away"`},
		{`help   = "pairs by their distance from the start of their walks, in buckets"`, ``, `gauge.away.help is missing: it takes a text`},
	})
}

// The counts of a class's looks are read, for every variant and pair, and match the slots.
func TestGaugesOfAPlugin(t *testing.T) {
	sizes, only, settings := `[4, 8]`, "", map[string]uint64{"bucket=4": 1024, "max_probes=50": 50, "hash=universal,max_probes=1000000": 1000000}
	if testing.Short() { // each size is compiled several times, and cli/testdata/plugin.txtar compiles another one for GPUs
		sizes, only = `[8]`, "bucket=8"
		delete(settings, "bucket=4")
	}
	folder := skeletonIn(t, `[4, 8, 16, 32]`, sizes, `default = 16`, `default = 8`, `[fill.usual]`, `[gauge."longest walk"]
help  = "how far the pair is that is furthest from where its walk began"
look  = "look_away"
first = 8

[fill.usual]`)
	var said strings.Builder
	_, err := Build(t.Context(), folder, Options{Only: only, Say: &said})
	must.Need(t, err == nil, "%v\n%s", err, said.String())
	scheme := must.Get(Load(folder+"/"+builtFolder, ""))(t)
	for text, probes := range settings {
		for _, pair := range scheme.Caps.Pairs {
			seesWalks(t, "probe:"+text, pair, probes)
		}
	}
}

// seesWalks fills a table and finds all keys: the number of finds with n probes equals
// the number of pairs at that distance. Operations may probe at most `probes` buckets.
func seesWalks(t *testing.T, scheme string, pair schemes.Pair, probes uint64) {
	t.Helper()
	const n = 20_000
	dev := openCPU(t, 2)
	defer dev.Close()
	on := table(t, dev, scheme, engine.Spec{Shape: schemes.Shape{Pair: pair, N: n, Load: 0.9}, Seed: 3, Counted: true})
	defer on.Close()
	if got := readings(t, on); got["away"][0].Value != 0 || got["longest walk"][0].Value != 0 {
		t.Errorf("%s %s: an empty table shows %v", scheme, pair, got)
	}
	keys := stream.Keys(pair.Key, 1).Take(n)
	var finds engine.Sample
	for _, b := range []engine.Batch{{Op: "insert", Keys: keys, Values: keys}, {Op: "find", Keys: keys}} {
		in, err := engine.Load(dev, pair, b)
		must.OK(t, err)
		finds = must.Get(on.Run(in))(t)
		must.OK(t, in.Release())
	}
	got := readings(t, on)
	away, longest := got["away"], got["longest walk"][0]
	var want []schemes.Bar
	for i, label := range append([]string{"0"}, schemes.LengthLabels...) {
		want = append(want, schemes.Bar{Label: label, Value: away[i].Value})
	}
	for i, counter := range kernels.Lengths[:4] {
		want[i].Value = float64(finds.Counts.Get(counter))
	}
	must.Match(t, away, want, scheme, pair)
	sum, last := 0.0, 0
	for i, bar := range away {
		if sum += bar.Value; bar.Value > 0 {
			last = i
		}
	}
	most := float64(min(probes, on.Layout().Buckets) - 1)
	from := []float64{0, 1, 2, 3, 4, 5, 9, 17, most + 1}
	must.Hold(t, sum == float64(on.Size()) && longest.Value >= from[last] && longest.Value < from[last+1],
		"%s %s: %d pairs, of which %v are away, the longest %v, at most %g", scheme, pair, on.Size(), away, longest, most)
}

// readings returns what all gauges of a table show.
func readings(t *testing.T, on *engine.Table) map[string][]schemes.Bar {
	t.Helper()
	list := must.Get(on.Gauges())(t)
	var names []string
	got := map[string][]schemes.Bar{}
	for _, r := range list {
		names = append(names, r.Name)
		got[r.Name] = r.Bars
	}
	want := []string{"bucket fill", "slots", "away", "longest walk"}
	must.Need(t, slices.Equal(names, want), "gauges are %v, not %v", names, want)
	return got
}

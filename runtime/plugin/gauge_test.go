package plugin

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

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
	sizes, settings := `[4, 8]`, map[string]uint64{"bucket=4": 1024, "max_probes=50": 50, "hash=universal,max_probes=1000000": 1000000}
	if testing.Short() { // each size is compiled for CPUs and GPUs, several times
		sizes = `[8]`
		delete(settings, "bucket=4")
	}
	folder := skeletonIn(t, `[4, 8, 16, 32]`, sizes, `default = 16`, `default = 8`, `[fill.usual]`, `[gauge."longest walk"]
help  = "how far the pair is that is furthest from where its walk began"
look  = "look_away"
first = 8

[fill.usual]`)
	var said strings.Builder
	_, err := Build(t.Context(), folder, Options{Say: &said})
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
		if finds, err = on.Run(in); err != nil {
			t.Fatal(err)
		}
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
	if sum != float64(on.Size()) || longest.Value < from[last] || longest.Value >= from[last+1] {
		t.Errorf("%s %s: %d pairs, of which %v are away, the longest %v, at most %g", scheme, pair, on.Size(), away, longest, most)
	}
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

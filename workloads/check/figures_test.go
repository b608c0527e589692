package check

import (
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Between the load factors of figures, others are between them.
func TestFiguresFollowTheExpectedCurve(t *testing.T) {
	bcht := must.Get(schemes.Parse("bcht:bucket=16"))(t)
	low := map[string]float64{"insert": 1.11312, "find 100": 1.10817, "find 0": 1.8102} // at 0.9
	for _, config := range varied(bcht, schemes.HashFamily) {
		for _, load := range []float64{0.95, 0.97, 0.98} {
			list, err := compareFigures(openCPU(t, 2), config, []schemes.Figure{
				{Load: load, Op: "insert", Counter: "probes"},
				{Load: load, Op: "find", Present: 100, Counter: "probes"},
				{Load: load, Op: "find", Present: 0, Counter: "probes"},
			}, 1, 1<<18, 1)
			must.OK(t, err)
			high := map[string]float64{"insert": 1.43, "find 100": 1.39, "find 0": 2.8} // at 0.99
			for i, name := range []string{"insert", "find 100", "find 0"} {
				have := list[i].Measured
				if have <= low[name] || have >= high[name] {
					t.Errorf("%s at %g: %s probes %.4f, want it between %.4f and %.4f", config, load, name, have, low[name], high[name])
				}
				low[name] = have
			}
		}
		low = map[string]float64{"insert": 1.11312, "find 100": 1.10817, "find 0": 1.8102}
	}
}

func TestFiguresThatDoNotHold(t *testing.T) {
	altered := *scheme(t, "bcht")
	altered.Expected = []schemes.Figure{
		{Settings: "bucket=16", Load: 0.8, Op: "insert", Counter: "probes", PerOp: 1.04407, Within: 0.02},
		{Settings: "bucket=16", Load: 0.8, Op: "find", Present: 0, Counter: "probes", PerOp: 1.33447 * 1.03, Within: 0.02},
	}
	r := check(t, Plan{Targets: []Target{{Scheme: &altered}}, Device: openCPU(t, 2), Quick: true, Seed: 1, Part: "figures"})
	if len(r) != 2 || r[0].Status != Passed || r[1].Status != Failed {
		t.Fatalf("%s", r.Summary())
	}
	why := r[1].Why
	must.Hold(t, strings.Contains(why, "expected 1.3745") && strings.Contains(why, "more than 2.0 %"), "it fails because %s", why)
}

func TestLoadFactorsThatAreNotReached(t *testing.T) {
	altered := *scheme(t, "1cht")
	altered.Fills = []schemes.Fill{{Settings: "hashes=2", Load: 0.5, Least: 99}}
	r := check(t, Plan{Targets: []Target{{Scheme: &altered}}, Device: openCPU(t, 2), Quick: true, Seed: 1, Part: "fills"})
	must.Hold(t, len(r) == 1 && r[0].Status == Failed && strings.Contains(r[0].Why, "of 100 tables filled to 0.5, instead of 99 or more"), "%+v", r)
	altered.MaxLoad = func(schemes.Config) float64 { return 0.99 }
	config := altered.Defaults()
	plan := Plan{Targets: []Target{{&altered, &config}}, Device: openCPU(t, 2), Quick: true, Seed: 1, Rung: 10, Pair: "k4v4"}
	if r := check(t, plan); len(r) != 1 || !strings.Contains(r[0].Why, "five tables did not fill to 0.99") {
		t.Errorf("%+v", r)
	}
}

// A full check holds every declared load factor against what tables do.
func TestFullChecksLookAtEveryLoadFactor(t *testing.T) {
	plan := Plan{Targets: []Target{{Scheme: scheme(t, "bcht")}}, Device: openCPU(t, 1), Seed: 1}
	steps := plan.fillSteps(plan.Targets[0])
	for _, variant := range scheme(t, "bcht").Variants() {
		for _, c := range varied(variant, schemes.HashCount) {
			found := false
			for _, s := range steps {
				found = found || strings.Contains(s.what, "tables of "+c.String()+" to ")
			}
			must.Hold(t, found, "nobody looks at the load factor of %s", c)
		}
	}
}

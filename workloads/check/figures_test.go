package check

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aclements/go-moremath/stats"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

func TestFiguresThatDoNotHold(t *testing.T) {
	altered := *scheme(t, "bcht")
	altered.Expected = []schemes.Figure{
		{Settings: "looks=1", Load: 0.8, Op: "insert", Counter: "probes", PerOp: 1.1076, Within: 0.02},
		{Settings: "looks=1", Load: 0.8, Op: "find", Present: 0, Counter: "probes", PerOp: 1.57938 * 1.05, Within: 0.02},
	}
	r := check(t, Plan{Targets: []Target{{Scheme: &altered}}, Device: openCPU(t, 2), Quick: true, Seed: 1, Part: "figures"})
	must.Need(t, len(r) == 2 && r[0].Status == Passed && r[1].Status == Failed, "%s", r.Summary())
	why := r[1].Why
	must.Hold(t, strings.Contains(why, "expected 1.6583: -4."), "it fails because %s", why)
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

// A mean of eight values is off by more than chance allows in one of 10,000 times; five times the standard error of these
// values is less in 16.
func TestChance(t *testing.T) {
	const tries = 4000
	draw, exceeded := rand.New(rand.NewPCG(1, 2)), 0
	for range tries {
		values := lists.Map(make([]int, 8), func(int) float64 { return draw.NormFloat64() })
		if math.Abs(stats.Mean(values)) > chance(values) {
			exceeded++
		}
	}
	must.Hold(t, exceeded <= 2, "%d of %d means are off by more", exceeded, tries)
	must.Match(t, chance([]float64{1}), 0.)
}

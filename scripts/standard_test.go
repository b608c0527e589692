package scripts_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// benched measures schemes as hashzoo bench does, always with two runs.
func benched(t *testing.T, threads int, seed uint64, names []string, set ...string) []results.Row {
	t.Helper()
	r := must.Get(bench(t, threads, seed, names, set...))(t)
	return r.rows
}

func bench(t *testing.T, threads int, seed uint64, names []string, set ...string) (*recorder, error) {
	t.Helper()
	s := must.Get(scripts.Find("standard"))(t)
	plan := planned(t, s, small{set: append([]string{"n=5000"}, set...), axis: []string{"load=0.5,0.8"}})
	plan.Seed, plan.Rehearse, plan.Counted, plan.Verify = seed, true, true, true
	plan.Policy = engine.Policy{Warmup: 1, Least: 2, Most: 2, Noise: 0.01, MaxTime: time.Hour}
	for _, name := range names {
		config := must.Get(schemes.Parse(name))(t)
		plan.Schemes = append(plan.Schemes, config)
	}
	return onCPU(t, plan, threads)
}

func TestStandardMeasuresEveryOperation(t *testing.T) {
	rows := benched(t, 2, 7, []string{"1cht", "bcht:bucket=8"})
	must.Need(t, len(rows) == 2*2*4, "%d rows instead of 16", len(rows))
	for _, r := range rows {
		where := fmt.Sprintf("%s, %s at %g", r.Scheme, r.Phase, r.Point["load"])
		must.Hold(t, r.N == 5000 && r.Completed == r.N && len(r.Runs) == 2 && r.Rate > 0 && r.Noise == nil && !r.Settled && r.Compare == "", "%s: %+v", where, r)
		found := map[string]uint64{"build": r.N, "find 100 %": r.N, "find 0 %": 0}
		want, exact := found[r.Phase]
		must.Hold(t, !exact || r.Counts["ok"] == want, "%s: %d ok instead of %d", where, r.Counts["ok"], want)
		must.Hold(t, r.Counts["ok"]+r.Counts["missing"] == r.N && r.Size == r.N, "%s: counts %v, size %d", where, r.Counts, r.Size)
		must.Hold(t, r.PerOp["probes"] >= 1 && r.PerOp["probes"] <= 5, "%s: %g probes per operation", where, r.PerOp["probes"])
		off := r.Load - r.Point["load"].(float64)
		must.Hold(t, off <= 0.001 && off >= -0.001, "%s: filled to %g", where, r.Load)
	}
}

// The digests depend on the seed alone.
func TestStandardDependsOnTheSeed(t *testing.T) {
	digests := func(threads int, seed uint64) (list []string) {
		for _, r := range benched(t, threads, seed, []string{"bcht:bucket=8"}) {
			list = append(list, r.Input, r.Result)
		}
		return list
	}
	one := digests(1, 7)
	three := digests(3, 7)
	must.Hold(t, slices.Equal(one, three), "1 thread %v\n3 threads %v", one, three)
	for i, other := range digests(1, 8) {
		// All keys are found or none is: the results do not show which keys they were.
		must.Hold(t, one[i] != other || i%2 != 0, "digest %d is %s with either seed", i, one[i])
	}
}

// Every erase starts with a full table and leaves an empty one, and a mixed batch leaves about
// as many pairs as the load factor asks for. Schemes that cannot do these have no such rows.
func TestStandardErasesAndMixes(t *testing.T) {
	both := func(s *schemes.Scheme) bool {
		return slices.Contains(s.Caps.Concurrent, "find") && slices.Contains(s.Caps.Concurrent, "insert")
	}
	mixed := 0
	for _, r := range benched(t, 2, 7, schemes.Names(), "erase=true", "mix=true", "present=1") {
		switch c := must.Get(schemes.Parse(r.Scheme))(t); {
		case r.Op == "erase" && (r.Counts["ok"] != r.N || r.Size != 0):
			t.Errorf("%s: erased %d of %d, left %d", r.Scheme, r.Counts["ok"], r.N, r.Size)
		case r.Op == engine.Mix && (r.Size < 4500 || r.Size > 5500 || len(r.Phases) > 0):
			t.Errorf("%s: mixed batches leave %d pairs, in phases %v", r.Scheme, r.Size, r.Phases)
		case r.Op == engine.Mix && !both(c.Scheme):
			t.Errorf("%s cannot find and insert at once, and was measured", r.Scheme)
		}
		if r.Op == engine.Mix {
			mixed++
		}
	}
	must.Hold(t, mixed != 0, "no scheme was measured with mixed batches")
}

// Failed inserts are no work done, and results that depend on which pairs failed have no digest.
func TestStandardOfATableThatIsTooSmall(t *testing.T) {
	for _, r := range benched(t, 2, 7, []string{"bcht:bucket=1,hashes=2"}, "present=1") {
		failed := r.Counts["failed"] + r.Counts["missing"]
		must.Hold(t, r.Point["load"] != 0.8 || failed != 0 && r.Result == "", "%s: %d failed or missing, result digest %q", r.Op, failed, r.Result)
		must.Hold(t, r.Op != "insert" || r.Completed+r.Counts["failed"] <= r.N && r.Size+r.Counts["failed"] == r.N,
			"%d completed, %d failed, %d in the table, of %d", r.Completed, r.Counts["failed"], r.Size, r.N)
	}
}

// A scheme that finds other keys than it should does not pass, even without an oracle.
func TestStandardCountsWhatIsFound(t *testing.T) {
	s := must.Get(scripts.Find("standard"))(t)
	for change, fails := range map[string]bool{"": false, "outside": true} {
		wrong := s
		if change != "" {
			wrong.Source = strings.Replace(s.Source, "first = asked", "first = "+change, 1)
		}
		plan := planned(t, wrong, small{set: []string{"n=5000"}, axis: []string{"load=0.5"}})
		plan.Schemes, plan.Rehearse = named(t, []string{"bcht"}), true
		_, err := onCPU(t, plan, 2)
		must.Hold(t, errors.Is(err, run.ErrThreshold) == fails, "queries of %s: %v", change, err)
	}
}

func TestStandardRefuses(t *testing.T) {
	for want, set := range map[string][]string{
		"n is 5000000000: ":         {"n=5e9"},
		"scheme 1cht: capacity is ": {"n=8589934592", "pair=k8v8"},
		"p is 1.5":                  {"present=1,1.5"},
	} {
		must.Say(t, must.Err(bench(t, 1, 7, []string{"1cht"}, set...)), want, set)
	}
}

// How many inserts fail may differ from build to build; the finds are of the last one.
func TestStandardKnowsTheTableItLooksAt(t *testing.T) {
	for seed := range uint64(8) {
		_, err := bench(t, 2, seed, []string{"megakv:bucket=8,max_chain=2"}, "n=100000", "present=1")
		must.Hold(t, err == nil, "%v", err)
	}
}

//go:build trial

package choose

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// make choose-trial: is the choice the best of an exhaustive sweep, and at which part of its device time?

var (
	workloads = flag.Int("workloads", 30, "how many workloads")
	from      = flag.Int("from", 1, "the seed of the first one")
	verbose   = flag.Bool("candidates", false, "list the candidates of each search")
	only      = flag.Bool("search", false, "without the sweep")
	most      = flag.Duration("most", 25*time.Minute, "how long the trial may take")
	on        = flag.String("device", "cpu", "where the tables are")
	keys      = flag.Int("times", 1, "how many times the keys; at 1, a workload has 50,000 or 100,000, too few to keep a GPU busy")
)

// within is the part of the best rate that a choice must reach.
const nearEnough = 0.97

// mostFinal bounds the runs of the choice beside the best of the sweep; there are more than five only if these do not show
// whether the choice is near enough.
const mostFinal = 40

func TestTrial(t *testing.T) {
	dev := must.Get(devices.Open(*on, device.Options{Threads: 1}))(t)
	defer dev.Close()
	began := time.Now()
	right, done, parts := 0, 0, []float64{}
	for seed := *from; seed < *from+*workloads && time.Since(began) < *most; seed++ {
		r := try(t, dev, uint64(seed))
		done++
		parts = append(parts, r.part)
		if r.best < 1/nearEnough {
			right++
		}
		fmt.Println(r.text)
	}
	slices.Sort(parts)
	fmt.Printf("%d of %d choices are within 3 percent of the best; a search took %.3f of the sweep's device time in the median, %.3f at the most\n",
		right, done, parts[len(parts)/2], parts[len(parts)-1])
}

// options of a workload, by its seed.
func options(seed uint64) map[string]any {
	r := rand.New(rand.NewPCG(seed, 19))
	of := func(list ...any) any { return list[r.IntN(len(list))] }
	o := map[string]any{"n": of(5e4, 1e5).(float64) * float64(*keys), "load": of(0.5, 0.6, 0.7, 0.8, 0.85, 0.9), "pair": of("k4v4", "k4v4", "k8v8"),
		"hits": of(0.0, 0.2, 0.5, 0.8, 1.0), "theta": of(0.0, 0.5, 0.99), "looked": of(0.2, 1.0, 2.0)}
	switch r.IntN(4) {
	case 0:
		o["updated"] = of(0.2, 1.0)
	case 1:
		o["replaced"] = of(0.05, 0.2)
	case 2:
		o["built"] = true
	}
	return o
}

type result struct {
	best, part float64
	text       string
}

// try searches, then sweeps, then compares the winner with the best of the sweep.
func try(t *testing.T, dev device.Device, seed uint64) result {
	s := trial(t, dev, seed)
	must.OK(t, s.find(t.Context()))
	winner, searched := s.best, s.service
	if *verbose {
		for _, c := range s.order {
			if c.rate > 0 {
				fmt.Printf("    %-60s rate %.3f, %d whole rounds %s\n", c.name, c.rate/winner.rate, len(c.whole), c.why)
			}
		}
	}

	if *only {
		return result{text: winner.name}
	}
	all := trial(t, dev, seed)
	all.decided = true
	base := must.Get(all.enter(winner.config))(t)
	base.rate, all.best = 1, base
	list := everything(t, all, schemes.All())
	for members := range slices.Chunk(list, mostMembers-1) {
		r := &round{members: append([]*candidate{base}, members...), whole: true}
		must.OK(t, all.race(t.Context(), r))
		all.learn(r)
	}
	swept := all.service * time.Duration(len(list)) / time.Duration(len(list)+all.runs) // without the base, which took part in every run
	list = slices.DeleteFunc(list, func(c *candidate) bool { return c.why != "" || c.rate == 0 })
	slices.SortFunc(list, byRate)
	top := append([]*candidate{base}, list[:min(len(list), 6)]...)
	var best *candidate
	var e analysis.Estimate
	for k := 0; k < 5 || k < mostFinal && e.Low < 1/nearEnough && e.High > 1/nearEnough; k++ {
		r := &round{members: top, whole: true}
		must.OK(t, all.race(t.Context(), r))
		for i, c := range top {
			c.whole[all.runs] = r.times[i]
		}
		best = slices.MaxFunc(top, func(a, b *candidate) int { return cmp.Compare(all.versus(a, base).Ratio, all.versus(b, base).Ratio) })
		e = all.versus(best, base)
	}
	r := result{best: e.Ratio, part: searched.Seconds() / swept.Seconds()}
	r.text = fmt.Sprintf("%2d: %s; best of %d: %s (%.3f of its rate, %.2f to %.2f); %.3f of the time (%.2f s, %d runs) %v",
		seed, winner.name, len(list)+1, best.name, e.Ratio, e.Low, e.High, r.part, searched.Seconds(), s.runs, options(seed))
	return r
}

// trial is a search for a workload.
func trial(t *testing.T, dev device.Device, seed uint64) *search {
	t.Helper()
	source := must.Get(os.ReadFile("testdata/trial.lua"))(t)
	limits := lua.Limits{Steps: 1e9, Time: time.Minute, Memory: 1 << 28, Vectors: 1 << 28, From: 1e7, Batches: 1e5}
	script := must.Get(lua.Inspect("trial.lua", string(source), os.DirFS("testdata"), limits))(t)
	plan := run.Plan{Script: script.Start, Points: []run.Point{nil}, Seed: seed, Options: options(seed), Rules: run.Rules{Timeout: time.Minute, LeaveOut: true,
		Policy: engine.Policy{Least: 6, Most: 30, Noise: 0.02, Warmup: 1, MaxTime: 10 * time.Second}, Control: &run.Control{}}}
	plan.Schemes = lists.Map(schemes.All(), (*schemes.Scheme).Defaults)
	s := Chooser{Wish: Wish{Budget: 10 * time.Minute}}.search(dev, plan, func(run.Event) error { return nil })
	must.OK(t, s.read())
	return s
}

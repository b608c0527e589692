package choose

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// bestAtFour makes bcht with buckets of 4 the fastest, and every other scheme slower than that.
func bestAtFour(kernel string, _ uint64) float64 {
	sizes := map[string]float64{"_b1_": 20, "_b2_": 14, "_b4_": 10, "_b8_": 12, "_b16_": 15, "_b32_": 25}
	if ns := buckets(kernel, "bcht", sizes); ns > 0 {
		return ns
	}
	return 40
}

// The search goes from the usual bucket size to the fastest, in steps, and eliminates what is slower.
func TestSearchFindsTheFastestNeighbor(t *testing.T) {
	h := must.Get(searched(t, open(t, bestAtFour), Chooser{Command: func(scheme string) string { return "run " + scheme }}, "bcht:bucket=16", "linear", "csr", "slab"))(t)
	c := h.choice
	must.Need(t, c.Winner != nil && strings.HasPrefix(c.Winner.Scheme, "bcht:bucket=4") && c.Command == "run "+c.Winner.Scheme, "%+v", c.Winner)
	must.Hold(t, c.Winner.Load >= 0.79 && c.Winner.Load <= 0.81 && c.Winner.Ratio == 1 && c.Winner.BytesPerPair >= 9.9 && c.Winner.BytesPerPair <= 10.1, "%+v", c.Winner)
	must.Hold(t, len(c.Others) == 3 && c.Others[0].Ratio <= 0.26 && c.Others[0].Ratio >= 0.24, "%+v", c.Others)
	for _, same := range c.Within { // other parameters do not change the made-up time
		must.Hold(t, strings.HasPrefix(same.Scheme, "bcht:bucket=4") && same.Ratio == 1, "%+v", same)
	}
	slow := slices.ContainsFunc(h.rows, func(r results.Row) bool { return r.Scheme == "linear" && r.Batches == 10 })
	eliminated := 0
	for _, out := range h.out {
		if out.Eliminated && out.Scheme == "linear" && out.Reason == "0.38 of the rate of bcht:bucket=16" {
			eliminated++
		}
	}
	must.Hold(t, !slow && eliminated != 0, "linear ran to the end: %v, eliminated %d times: %+v", slow, eliminated, h.out)
}

// valleys makes two candidates the fastest that no path of ever faster ones leads to: of bcht behind buckets of 4, of iht
// behind a change that only another one repairs.
func valleys(kernel string, _ uint64) float64 {
	bcht := buckets(kernel, "bcht", map[string]float64{"_b1_": 25, "_b2_": 9, "_b4_": 22, "_b8_": 14, "_b16_": 18, "_b32_": 30})
	iht := buckets(kernel, "iht", map[string]float64{"_unused_board": 24, "_unused_buckets": 8, "_marked_board": 15})
	return cmp.Or(bcht, iht, 13)
}

// The search crosses valleys, and takes a small part of the time in which everything runs once.
func TestSearchCrossesValleys(t *testing.T) {
	names := []string{"bcht", "iht", "linear", "chained"}
	for slow, best := range map[string]string{"nothing": "iht:erased=unused,room=buckets", "hz_iht_": "bcht:bucket=2"} {
		dev := open(t, func(kernel string, count uint64) float64 {
			if strings.HasPrefix(kernel, slow) {
				return 20
			}
			return valleys(kernel, count)
		})
		s := begun(t, dev, names...)
		must.OK(t, s.find(t.Context()))
		all := begun(t, dev, names...)
		n := swept(t, all)
		if fastest := all.near(0)[0]; all.known[s.best.name].rate < fastest.rate || fastest.config.Variant() != all.known[best].config.Variant() {
			t.Errorf("%s slow: chose %s, the fastest is %s", slow, s.best.name, fastest.name)
		}
		part := s.service.Seconds() / all.service.Seconds()
		must.Hold(t, part <= mostSpent, "%s slow: the search took %.3f of the time of all %d candidates", slow, part, n)
	}
}

// mostSpent is the part of the time of a sweep that a search may take.
const mostSpent = 0.27

// Of the tables that are small enough, the one with the lowest load factor is where the search begins, and nothing
// larger is chosen.
func TestBytesPerPair(t *testing.T) {
	c := must.Get(searched(t, open(t, bestAtFour), Chooser{Wish: Wish{BytesPerPair: 9}}, "bcht", "chained", "1cht"))(t).choice
	must.Need(t, c.Winner != nil && c.Winner.BytesPerPair <= 9 && strings.Contains(c.Winner.Scheme, "load=0.9"), "%+v", c.Winner)
	found := false
	for _, r := range c.Cannot {
		found = found || slices.ContainsFunc(r.Schemes, func(s string) bool { return strings.HasPrefix(s, "chained") }) && r.Why == "takes more than 9 bytes per pair"
	}
	must.Hold(t, found, "%+v", c.Cannot)
}

// A pair alone may be too large, whatever does not fill so high.
func TestWhyNothingIsSmallEnough(t *testing.T) {
	for names, want := range map[string]string{
		"1cht,linear": "no scheme can do it: the smallest, 1cht:load=0.95, takes 8.4 bytes per pair, and 7 are wanted; a pair alone has 8",
		"chained":     "no scheme can do it: the smallest, chained:load=0.98, takes ",
	} {
		must.Begin(t, must.Err(searched(t, open(t, bestAtFour), Chooser{Wish: Wish{BytesPerPair: 7}}, strings.Split(names, ",")...)), want, names)
	}
}

// Emptier tables than were asked for are faster. They are on the front of rate against memory, and no answer.
func TestOtherLoadsAreNoAnswer(t *testing.T) {
	var dev *paced
	dev = open(t, func(kernel string, _ uint64) float64 {
		ns := 1e5 / float64(dev.slots)
		if strings.HasPrefix(kernel, "hz_bcht_") {
			ns *= 1.2
		}
		return ns
	})
	knob := Knob{Name: "n", Value: 2000, Takes: func(x float64) bool { return x < 1e5 }}
	h := must.Get(searched(t, dev, Chooser{Knobs: []Knob{knob}}, "linear", "bcht"))(t)
	for _, c := range slices.Concat(h.choice.Within, h.choice.Others) {
		must.Hold(t, c.Ratio <= 1 && !strings.Contains(c.Scheme, "load="), "%s has %.2f of the rate of the best", c.Scheme, c.Ratio)
	}
	for _, d := range h.choice.Depends {
		must.Hold(t, !strings.HasPrefix(d.When, "n=") || !strings.Contains(d.Scheme, "load="), "with %s, %s is said to be faster, in another table", d.When, d.Scheme)
	}
	last := h.choice.Front[len(h.choice.Front)-1]
	must.Hold(t, last.Ratio > 1 && last.Load <= 0.6, "the front ends with %+v", last)
	var page strings.Builder
	must.OK(t, Page(&page, h.choice))
	must.Has(t, page.String(), "above 1.00 in emptier tables than were asked for:\n")
}

// Among several load factors the fastest wins, even beyond slower ones.
func TestLoadBeyondSlowerOnes(t *testing.T) {
	var dev *paced
	dev = open(t, func(string, uint64) float64 {
		switch load := 2000 / float64(dev.slots); {
		case load > 0.85:
			return 5
		case load > 0.55:
			return 20
		}
		return 10
	})
	h := must.Get(searched(t, dev, Chooser{Wish: Wish{Loads: []float64{0.5, 0.6, 0.7, 0.8, 0.9}}}, "linear"))(t)
	w := h.choice.Winner
	must.Hold(t, w != nil && strings.HasSuffix(w.Scheme, "load=0.9"), "%+v", w)
}

// Weights choose other schemes than the whole time does.
func TestMaximize(t *testing.T) {
	dev := open(t, func(kernel string, _ uint64) float64 {
		if strings.HasPrefix(kernel, "hz_linear_") == strings.HasSuffix(kernel, "_insert") {
			return 10
		}
		return 20
	})
	for op, best := range map[string]string{"insert": "linear", "find": "bcht"} {
		h := must.Get(searched(t, dev, Chooser{Wish: Wish{Maximize: map[string]float64{op: 1}}}, "linear", "bcht"))(t)
		w := h.choice.Winner
		must.Hold(t, w != nil && strings.HasPrefix(w.Scheme, best), "%s: %+v", op, w)
	}
	must.Equal(t, must.Err(searched(t, dev, Chooser{Wish: Wish{Maximize: map[string]float64{"find": 1, "erase": 1}}}, "linear")), "--maximize: the workload does no erase; it does find, insert")
}

// A policy with fewer hits is the best while it is fast enough and misses cost nothing.
func TestHits(t *testing.T) {
	var dev *paced
	dev = open(t, func(string, uint64) float64 { return map[bool]float64{true: 5, false: 20}[dev.first == random] })
	for miss, fast := range map[time.Duration]bool{0: true, time.Microsecond: false} {
		plan := lookupsOn(t, "assoc")
		plan.Script = requests
		c := must.Get(searchedIn(t, dev, Chooser{Wish: Wish{Hits: true, Miss: miss}}, plan))(t).choice
		w := c.Winner
		must.Hold(t, w != nil && (w.Scheme == "assoc:policy=random") == fast && (w.Hits < 55) == fast && w.Hits < 60.1, "%v: %+v", miss, w)
		var page strings.Builder
		must.OK(t, Page(&page, c))
		must.Hold(t, strings.HasPrefix(page.String(), "wanted: the most hits per second") && strings.Contains(page.String(), " Mhit/s "), "%s", page.String())
	}
}

const random = 3 // the policy's number

// A changed workload that another scheme is faster on is named; changes that change nothing, too.
func TestWhatTheChoiceDependsOn(t *testing.T) {
	dev := open(t, func(kernel string, count uint64) float64 {
		if strings.HasPrefix(kernel, "hz_linear_") == (count < 1000) {
			return 10
		}
		return 12
	})
	knob := Knob{Name: "n", Value: 2000, Takes: func(x float64) bool { return x < 1e5 }}
	h := must.Get(searched(t, dev, Chooser{Knobs: []Knob{knob}}, "linear", "1cht"))(t)
	c := h.choice
	must.Need(t, c.Winner != nil && strings.HasPrefix(c.Winner.Scheme, "1cht"), "%+v", c.Winner)
	must.Hold(t, len(c.Depends) == 1 && c.Depends[0].When == "n=500" && strings.HasPrefix(c.Depends[0].Scheme, "linear") && c.Depends[0].Ratio == 1.2, "%+v", c.Depends)
	must.Hold(t, slices.Contains(c.Alike, "n=4000") && slices.Contains(c.Alike, "load=0.7"), "%q", c.Alike)
	for i := 1; i < len(c.Front); i++ {
		must.Hold(t, c.Front[i].BytesPerPair > c.Front[i-1].BytesPerPair && c.Front[i].Ratio > c.Front[i-1].Ratio, "%+v", c.Front)
	}
}

// Batches that take too long are no answer, and a percentile takes a hundred batches.
func TestP99(t *testing.T) {
	h := must.Get(searched(t, open(t, bestAtFour), Chooser{Wish: Wish{P99: 25 * time.Microsecond}}, "bcht:bucket=4", "linear"))(t)
	w := h.choice.Winner
	must.Hold(t, w != nil && w.P99 == 20e-6, "%+v", w)
	if why := "more than 1 % of its batches take longer than 25µs"; !slices.ContainsFunc(h.choice.Cannot, func(r results.Reason) bool { return r.Why == why && slices.Contains(r.Schemes, "linear") }) {
		t.Errorf("%+v", h.choice.Cannot)
	}
}

// A budget that is too short says what was not tried.
func TestBudget(t *testing.T) {
	must.Equal(t, must.Err(searched(t, open(t, bestAtFour), Chooser{Wish: Wish{Budget: time.Nanosecond}}, "bcht")), "no scheme can do it: the budget ended before the first run; hint: --budget 10m")
}

// The parameters that are searched, and the values of each.
func TestNeighbors(t *testing.T) {
	s := &schemes.Scheme{Name: "x", Params: []schemes.Param{
		{Name: "bucket", Values: []int64{1, 4, 8, 16}, Default: 8},
		{Name: "hashes", Role: schemes.HashCount, Min: 2, Max: 4, Default: 2},
		{Name: "room", Words: []string{"board", "buckets", "none"}},
		{Name: "threshold", Role: schemes.Arg, Min: 20, Max: 100, Default: 90},
		{Name: "chain", Role: schemes.HostOnly, Min: 1, Max: 256, Default: 1},
		{Name: "reserve", Role: schemes.Arg, Max: 1 << 20},      // too many values
		{Name: "limit", Role: schemes.Arg, Max: 64, Auto: true}, // derived by the table
		{Name: "hash", Role: schemes.HashFamily, Words: []string{"fast", "universal"}},
	}}
	texts := func(list []schemes.Config) (texts []string) {
		for _, c := range list {
			texts = append(texts, c.String())
		}
		return texts
	}
	want := []string{"x:bucket=1", "x:bucket=4", "x:bucket=16", "x:hashes=3", "x:hashes=4", "x:room=buckets", "x:room=none",
		"x:threshold=20", "x:threshold=40", "x:threshold=60", "x:threshold=80", "x:threshold=100", "x:chain=2", "x:chain=4", "x:chain=8", "x:chain=16", "x:chain=32", "x:chain=64", "x:chain=128", "x:chain=256"}
	must.Match(t, texts(neighbors(s.Defaults(), nil)), want)
	at := must.Get(s.Set("bucket=16,chain=256,load=0.8"))(t)
	got := texts(neighbors(at, []float64{0.6, 0.8, 0.9}))
	if !slices.Contains(got, "x:chain=256,load=0.8") || !slices.Contains(got, "x:bucket=4,chain=256,load=0.8") ||
		!slices.Contains(got, "x:bucket=16,chain=256,load=0.6") || !slices.Contains(got, "x:bucket=16,chain=256,load=0.9") {
		t.Errorf("%q", got)
	}
	s.Params = append(s.Params, schemes.Param{Name: "full", Role: schemes.HostOnly, Words: []string{"report", "rebuild"}})
	if got := texts(neighbors(s.Defaults(), nil)); slices.ContainsFunc(got, func(c string) bool { return strings.Contains(c, "full") || strings.Contains(c, "chain") }) {
		t.Errorf("what happens to a full table is the user's to choose: %q", got)
	}
}

// From every variant of a scheme, steps change each parameter that tells variants apart, also where one step leads to
// a variant that is not compiled.
func TestStepsChangeEveryParameter(t *testing.T) {
	for _, s := range schemes.All() {
		for _, c := range s.Variants() {
			for _, p := range c.Params {
				changes := func(n schemes.Config) bool { return n.Get(p.Name) != c.Get(p.Name) }
				must.Hold(t, p.Role != schemes.Variant || slices.ContainsFunc(neighbors(c, nil), changes), "%s: no step changes %s", c, p.Name)
			}
		}
	}
}

// paced is a CPU whose clock is made up: pace gives the nanoseconds that a kernel takes for an item.
type paced struct {
	device.Device
	pace  func(kernel string, count uint64) float64
	spent time.Duration
	slots uint64 // of the table of the last call
	first uint64 // argument of its scheme
}

func (p *paced) Call(kernel string, table, batch []byte, count uint64) error {
	p.slots = binary.NativeEndian.Uint64(table[unsafe.Offsetof(kernels.Table{}.Capacity):])
	p.first = binary.NativeEndian.Uint64(table[unsafe.Offsetof(kernels.Table{}.Arg):])
	p.spent += time.Duration(p.pace(kernel, count) * float64(count))
	return p.Device.Call(kernel, table, batch, count)
}

func (p *paced) Time(f func() error) (time.Duration, error) {
	p.spent = 0
	_, err := p.Device.Time(f)
	return p.spent, err
}

func open(t *testing.T, pace func(kernel string, count uint64) float64) *paced {
	t.Helper()
	dev := must.Get(cpu.Backend().Open(0, device.Options{Threads: 1}))(t)
	t.Cleanup(func() { dev.Close() })
	return &paced{Device: dev, pace: pace}
}

// lookups is a script: a table is filled, then its keys are looked up.
func lookups(setup run.Setup, t run.Table) (*run.Instance, error) {
	n := uint64(2000)
	if x, ok := setup.Options["n"].(float64); ok {
		n = uint64(x)
	}
	keys := stream.Keys(4, 1)
	return &run.Instance{Config: setup.Config, Shape: schemes.Shape{N: n, Load: 0.8, Pair: schemes.Pair4},
		Stages: []run.Stage{{Name: "run", Batches: 10}},
		Prepare: func() error {
			_, err := t.Do(engine.Batch{Op: "insert", Keys: keys.Take(n), Values: keys.Take(n)})
			return err
		},
		Event: func(uint64, string) (bool, error) {
			_, err := t.Do(engine.Batch{Op: "find", Keys: keys.Take(n)})
			return true, err
		},
	}, nil
}

// requests is a script: of the keys that a cache is asked for, three in five are always the same.
func requests(setup run.Setup, t run.Table) (*run.Instance, error) {
	keys := stream.Keys(4, 1)
	return &run.Instance{Config: setup.Config, Shape: schemes.Shape{Capacity: 1024, Pair: schemes.Pair4},
		Stages: []run.Stage{{Name: "run", Batches: 40}}, Prepare: func() error { return nil },
		Event: func(i uint64, _ string) (bool, error) {
			asked := keys.Take(600).Concat(keys.Slice(1000*i, 400))
			_, err := t.Do(engine.Batch{Op: "get", Keys: asked})
			_, failure := t.Do(engine.Batch{Op: "put", Keys: asked, Values: asked})
			return true, errors.Join(err, failure)
		},
	}, nil
}

// heard is what a search told.
type heard struct {
	choice results.Choice
	out    []results.LeftOut
	rows   []results.Row
}

// lookupsOn is a plan of the script on some schemes.
func lookupsOn(t *testing.T, names ...string) run.Plan {
	t.Helper()
	plan := run.Plan{Script: lookups, Points: []run.Point{nil}, Seed: 7, Rules: run.Rules{Timeout: time.Minute, Policy: engine.Policy{Least: 6, Most: 30, Noise: 0.02}}}
	for _, name := range names {
		config := must.Get(schemes.Parse(name))(t)
		plan.Schemes = append(plan.Schemes, config)
	}
	return plan
}

// searched searches from some schemes on.
func searched(t *testing.T, dev device.Device, c Chooser, names ...string) (*heard, error) {
	t.Helper()
	return searchedIn(t, dev, c, lookupsOn(t, names...))
}

func searchedIn(t *testing.T, dev device.Device, c Chooser, plan run.Plan) (*heard, error) {
	t.Helper()
	if c.Budget == 0 {
		c.Budget = time.Minute
	}
	h := &heard{}
	err := c.Run(t.Context(), dev, plan, func(e run.Event) error {
		switch e := e.(type) {
		case run.Chosen:
			h.choice = e.Choice
		case run.PointEnded:
			h.out, h.rows = append(h.out, e.LeftOut...), append(h.rows, e.Rows...)
		}
		return nil
	})
	return h, err
}

// buckets makes the finds of a scheme the faster the nearer its buckets are to a size.
func buckets(kernel, scheme string, size map[string]float64) float64 {
	if !strings.HasPrefix(kernel, "hz_"+scheme+"_") {
		return 0
	}
	for name, ns := range size {
		if strings.Contains(kernel, name) {
			return ns
		}
	}
	return 0
}

// everything is every combination of the values that a search may try, of some schemes.
func everything(t *testing.T, s *search, of []*schemes.Scheme) (list []*candidate) {
	for _, scheme := range of {
		configs := []schemes.Config{scheme.Defaults()}
		for _, p := range scheme.Params {
			var more []schemes.Config
			for _, c := range configs {
				for _, v := range ladder(scheme, p) {
					if v != p.Default {
						other := must.Get(c.With(p.Name, p.Text(v)))(t)
						more = append(more, other)
					}
				}
			}
			configs = append(configs, more...)
		}
		for _, config := range configs {
			if config.Compiled() != nil {
				continue
			}
			c := must.Get(s.enter(config))(t)
			if c.why == "" && c != s.best && config.MaxLoad(config) >= c.shape.Load {
				list = append(list, c)
			}
		}
	}
	return list
}

// begun is a search that begins with some schemes.
func begun(t *testing.T, dev device.Device, names ...string) *search {
	t.Helper()
	plan := lookupsOn(t, names...)
	plan.Control = &run.Control{}
	s := Chooser{Wish: Wish{Budget: time.Minute}}.search(dev, plan, func(run.Event) error { return nil })
	must.OK(t, s.read())
	return s
}

// swept runs everything once that a search among the plan's schemes may try. It returns how many candidates that were.
func swept(t *testing.T, s *search) int {
	t.Helper()
	list := everything(t, s, lists.Map(s.plan.Schemes, func(c schemes.Config) *schemes.Scheme { return c.Scheme }))
	for members := range slices.Chunk(list, mostMembers) {
		if s.best != nil {
			members = append(members, s.best)
		}
		r := &round{members: members, whole: true}
		must.OK(t, s.race(t.Context(), r))
		s.learn(r)
	}
	return len(list)
}

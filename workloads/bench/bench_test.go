package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// watched is a CPU that counts what is allocated and not released.
type watched struct {
	device.Device
	held map[device.Addr]bool
}

func (w watched) Alloc(bytes int64) (device.Addr, error) {
	at, err := w.Device.Alloc(bytes)
	if err == nil {
		w.held[at] = true
	}
	return at, err
}

func (w watched) Release(at device.Addr) error {
	delete(w.held, at)
	return w.Device.Release(at)
}

func open(t *testing.T, threads int) watched {
	t.Helper()
	dev, err := cpu.Backend().Open(0, device.Options{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return watched{dev, map[device.Addr]bool{}}
}

// listener keeps all it is told.
type listener struct {
	rows []results.Row
	said []string
	hear func(what string) // if not nil
}

func (l *listener) Row(r results.Row) error {
	l.rows = append(l.rows, r)
	return nil
}

func (l *listener) Now(what string) {
	l.said = append(l.said, what)
	if l.hear != nil {
		l.hear(what)
	}
}

// small is a plan in which nothing depends on time: always two runs.
func small(t *testing.T, names ...string) Plan {
	t.Helper()
	p := Plan{Loads: []float64{0.5, 0.8}, Present: []float64{1, 0.5, 0}, N: 5000, Pair: schemes.Pair4, Seed: 7,
		Repeat: engine.Policy{Warmup: 1, Least: 2, Most: 2, Noise: 0.01, MaxTime: time.Hour}, Timeout: time.Minute, Verify: true}
	for _, name := range names {
		c, err := schemes.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		p.Schemes = append(p.Schemes, c)
	}
	return p
}

func measure(t *testing.T, dev watched, p Plan) []results.Row {
	t.Helper()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	l := &listener{}
	if err := Run(context.Background(), dev, p, l); err != nil {
		t.Fatal(err)
	}
	if len(dev.held) > 0 {
		t.Errorf("%d pieces of memory were not released", len(dev.held))
	}
	return l.rows
}

func TestEverySchemeEveryOperation(t *testing.T) {
	p := small(t, "1cht", "bcht:bucket=8")
	p.Counted = true
	rows := measure(t, open(t, 2), p)
	if len(rows) != 2*2*4 {
		t.Fatalf("%d rows instead of 16", len(rows))
	}
	for _, r := range rows {
		where := fmt.Sprintf("%s, %s at %g", r.Scheme, stepOf(r), r.Point["load_factor"])
		if r.Completed != p.N || len(r.Runs) != 2 || r.Rate <= 0 || r.Noise != nil || r.Settled || r.Compare != "" {
			t.Errorf("%s: %+v", where, r)
		}
		found := map[string]uint64{"insert": p.N, "find 100 %": p.N, "find 0 %": 0}
		if want, exact := found[stepOf(r)]; exact && r.Counts["ok"] != want {
			t.Errorf("%s: %d ok instead of %d", where, r.Counts["ok"], want)
		}
		if r.Counts["ok"]+r.Counts["missing"] != p.N || r.Size != p.N {
			t.Errorf("%s: counts %v, size %d", where, r.Counts, r.Size)
		}
		if r.PerOp["probes"] < 1 || r.PerOp["probes"] > 5 {
			t.Errorf("%s: %g probes per operation", where, r.PerOp["probes"])
		}
		if off := r.Load - r.Point.Number("load_factor"); off > 0.001 || off < -0.001 {
			t.Errorf("%s: filled to %g", where, r.Load)
		}
	}
}

// All schemes get the same input, and where they hold the same pairs they give the
// same results; different operations have different inputs.
func TestDigests(t *testing.T) {
	inputs, outcomes := map[string]string{}, map[string]string{}
	for _, r := range measure(t, open(t, 2), small(t, "1cht", "bcht:bucket=8", "bcht:bucket=16,hash=universal")) {
		for _, check := range []struct {
			what   string
			seen   map[string]string
			digest string
		}{{"input", inputs, r.Input}, {"result", outcomes, r.Result}} {
			if check.digest == "" || check.seen[stepOf(r)] != "" && check.seen[stepOf(r)] != check.digest {
				t.Errorf("%s of %s, %s: %q, that of another scheme %q", check.what, r.Scheme, stepOf(r), check.digest, check.seen[stepOf(r)])
			}
			check.seen[stepOf(r)] = check.digest
		}
	}
	var all []string
	for _, digest := range inputs {
		all = append(all, digest)
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != 4 {
		t.Errorf("inputs that should differ: %v", inputs)
	}
}

// The digests depend on the seed alone.
func TestThreadsDoNotMatterAndSeedsDo(t *testing.T) {
	digests := func(threads int, seed uint64) (list []string) {
		p := small(t, "bcht:bucket=8")
		p.Seed = seed
		for _, r := range measure(t, open(t, threads), p) {
			list = append(list, r.Input, r.Result)
		}
		return list
	}
	one := digests(1, 7)
	if three := digests(3, 7); !slices.Equal(one, three) {
		t.Errorf("1 thread %v\n3 threads %v", one, three)
	}
	other := digests(1, 8)
	for i := range one {
		// All keys are found or none is: the results do not show which keys they were.
		if one[i] == other[i] && i%2 == 0 {
			t.Errorf("digest %d is %s with either seed", i, one[i])
		}
	}
}

func TestSchemesTakeTurns(t *testing.T) {
	p := small(t, "1cht", "bcht")
	p.Loads, p.Present = []float64{0.5}, []float64{1}
	l := &listener{}
	if err := Run(context.Background(), open(t, 1), p, l); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, what := range l.said {
		if strings.Contains(what, "insert, run") {
			scheme, _, _ := strings.Cut(what, " ")
			order = append(order, scheme)
		}
	}
	if want := []string{"1cht", "bcht", "1cht", "bcht", "1cht", "bcht"}; !slices.Equal(order, want) {
		t.Errorf("inserts ran %v", order)
	}
}

// What was measured before an interrupt is reported, nothing after it is run, and
// all memory is given back.
func TestInterrupt(t *testing.T) {
	for stopAt := range 25 {
		ctx, stop := context.WithCancel(context.Background())
		dev, l, calls := open(t, 1), &listener{}, 0
		l.hear = func(string) {
			if calls++; calls > stopAt {
				stop()
			}
		}
		p := small(t, "1cht", "bcht")
		p.Loads, p.Present = []float64{0.5}, []float64{1}
		err := Run(ctx, dev, p, l)
		if len(dev.held) > 0 {
			t.Errorf("stopped at %d: %d pieces of memory were not released", stopAt, len(dev.held))
		}
		// 2 inputs, 4 first looks, then 3 runs of 2 schemes in 2 operations.
		if complete := calls == 2+4+12 && stopAt >= calls-1; complete != (err == nil) {
			t.Errorf("stopped at %d, after %d calls: %v", stopAt, calls, err)
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("stopped at %d: %v", stopAt, err)
		}
		measured := max(0, min(stopAt+1-6, 12)) // batches that were run and timed
		if stopAt >= 6 && measured > 2 && len(l.rows) == 0 {
			t.Errorf("stopped at %d: %d timed runs, no rows", stopAt, measured)
		}
		stop()
	}
}

// Every erase starts with a full table and leaves an empty one, and a mixed batch leaves
// about as many pairs as the load factor asks for. Schemes that cannot are left out.
func TestEraseAndMix(t *testing.T) {
	p := small(t, schemes.Names()...)
	p.Erase, p.Mix, p.Loads, p.Present = true, true, []float64{0.3}, nil
	for _, r := range measure(t, open(t, 2), p) {
		c, _ := schemes.Parse(r.Scheme)
		switch {
		case r.Op == "erase" && (r.Counts["ok"] != p.N || r.Size != 0):
			t.Errorf("%s: erased %d of %d, left %d", r.Scheme, r.Counts["ok"], p.N, r.Size)
		case r.Op == engine.Mix && (r.Size < p.N*9/10 || r.Size > p.N*11/10 || len(r.Phases) > 0):
			t.Errorf("%s: mixed batches leave %d pairs, in phases %v", r.Scheme, r.Size, r.Phases)
		case r.Op == engine.Mix && !sharing("find", "insert")(c.Scheme):
			t.Errorf("%s cannot find and insert at once, and was measured", r.Scheme)
		}
	}
}

// Failed inserts are no work done, and what depends on which pairs failed is not
// compared.
func TestFailures(t *testing.T) {
	p := small(t, "bcht:bucket=1,hashes=2")
	p.Loads, p.Present = []float64{0.9}, []float64{1}
	for _, r := range measure(t, open(t, 2), p) {
		failed := r.Counts["failed"] + r.Counts["missing"]
		if failed == 0 || r.Result != "" {
			t.Errorf("%s: %d failed or missing, result digest %q", r.Op, failed, r.Result)
		}
		if r.Op == "insert" && (r.Completed+r.Counts["failed"] > p.N || r.Size+r.Counts["failed"] != p.N) {
			t.Errorf("%d completed, %d failed, %d in the table, of %d", r.Completed, r.Counts["failed"], r.Size, p.N)
		}
	}
}

func TestFindsMustFindWhatIsThere(t *testing.T) {
	half := 0.5
	insert := &step{}
	m := &measurement{Plan: Plan{N: 10000}, steps: []*step{insert}}
	c := &contender{Config: small(t, "bcht").Schemes[0], seen: map[*step]engine.Sample{insert: sample("failed", 100)}}
	for found, ok := range map[uint64]bool{5000: true, 5299: true, 5301: false, 4601: true, 4599: false, 0: false} {
		err := m.plausible(c, &step{label: "find 50 %", present: &half}, sample("ok", found))
		if (err == nil) != ok {
			t.Errorf("found %d of 5000: %v", found, err)
		}
	}
}

func sample(counter string, n uint64) engine.Sample {
	s := engine.Sample{Counts: make(schemes.Counts, 64)}
	s.Counts.Set(counter, n)
	return s
}

func TestPlansThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(*Plan){
		"n is 2147483648: there are keys of 4 bytes":     func(p *Plan) { p.N = 1 << 31 },
		"scheme 1cht: capacity is ":                      func(p *Plan) { p.N, p.Pair = 1<<33, schemes.Pair8 },
		"scheme 1cht: load factor is 1.5: it takes more": func(p *Plan) { p.Loads = []float64{0.5, 1.5} },
	} {
		p := small(t, "1cht")
		change(&p)
		if err := p.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v; it should say %q", err, want)
		}
	}
}

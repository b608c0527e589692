package check

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
	"github.com/hashzoo/hashzoo/schemes"
)

func check(t *testing.T, p Plan) Report {
	t.Helper()
	must.OK(t, p.Check())
	var r Report
	must.OK(t, Run(t.Context(), p, func(e Event) { r.Add(e.Finding) }))
	return r
}

func allSchemes() []Target {
	var list []Target
	for _, s := range schemes.All() {
		list = append(list, Target{Scheme: s})
	}
	return list
}

func scheme(t *testing.T, name string) *schemes.Scheme {
	t.Helper()
	return must.Get(schemes.Find(name))(t)
}

// The conformance test of every scheme of the zoo.
func TestEverySchemePasses(t *testing.T) {
	if testing.Short() {
		for _, s := range schemes.All() {
			t.Run(s.Name, func(t *testing.T) { passesSoon(t, s) })
		}
		plan := Plan{Targets: allSchemes()[:1], Device: openCPU(t, 2), Quick: true, Seed: 1, scale: &least}
		for _, part := range []string{"verbs", "vectors", "backends"} {
			plan.Part = part
			noneFails(t, check(t, plan))
		}
		return
	}
	r := check(t, Plan{Targets: allSchemes(), Device: openCPU(t, 2), Quick: true, Seed: 1})
	noneFails(t, r)
	for _, part := range Parts {
		must.Hold(t, part == "papers" || len(r.of(part)) != 0, "nothing was found in part %s", part) // package papers brings those
	}
	for _, s := range schemes.All() {
		of := r.of("ladder").where(func(f Finding) bool { return f.Scheme == s.Name })
		climbed := len(lists.Groups(of, func(f Finding) string { return f.What }))
		must.Hold(t, climbed == len(ladder), "scheme %s climbed %d of %d rungs", s.Name, climbed, len(ladder))
	}
}

func noneFails(t *testing.T, r Report) {
	t.Helper()
	for _, f := range r {
		must.Hold(t, f.Status == Passed || f.Status == NotOffered, "%s: %s: %s\n%s", f.subject(), f.Status, f.Why, f.Repeat)
	}
}

// least is the scale of the tests' small tier. Its devices have small pieces, so that the workers meet in tables that
// are a quarter of those of a quick check.
var least = scale{small: 1 << 8, large: 1 << 12, seeds: 2, fills: 10}

// timed is the same without instrumented kernels, which tests would compile.
var timed = scale{small: 1 << 8, large: 1 << 12, seeds: 2, fills: 10, timed: true}

// passesSoon has a scheme pass what differs most: its defaults with the first of its pairs, and another variant with other
// values of all other parameters with the last of them, or its defaults if that variant has no such pairs.
// Schemes come one after the other: workers of several, on a few cores, wait for each other.
func passesSoon(t *testing.T, s *schemes.Scheme) {
	plan := Plan{Device: openCPU(t, 2), Quick: true, Seed: 1, scale: &least}
	settings := map[string][]string{}
	for _, f := range s.Expected {
		settings["figures"] = append(settings["figures"], f.Settings)
	}
	for _, f := range s.Fills {
		settings["fills"] = append(settings["fills"], f.Settings)
	}
	for part, list := range settings {
		c := usual(t, s, list)
		plan.Part, plan.Targets = part, []Target{{s, &c}}
		noneFails(t, check(t, plan))
	}
	plan.Device = openPieces(t, "cpu")
	for _, c := range climbersSoon(t, s) {
		plan.Part, plan.Targets, plan.Pair = "ladder", []Target{{s, &c.config}}, c.pair.String()
		r := check(t, plan)
		noneFails(t, r)
		must.Hold(t, len(r) == len(ladder), "%s climbed %d of %d rungs", c, len(r), len(ladder))
		plan.scale = &timed
	}
}

// usual is the first of some settings that have the kernels of the defaults, or else the first.
func usual(t *testing.T, s *schemes.Scheme, settings []string) schemes.Config {
	t.Helper()
	list := lists.Map(settings, func(text string) schemes.Config {
		return must.Get(s.Configure(text))(t)
	})
	i := slices.IndexFunc(list, func(c schemes.Config) bool { return c.Variant() == s.Defaults().Variant() })
	return list[max(0, i)]
}

func climbersSoon(t *testing.T, s *schemes.Scheme) []climber {
	t.Helper()
	other := s.Defaults()
	for _, v := range s.Variants() {
		if v.String() != other.String() {
			other = v
			break
		}
	}
	for _, p := range s.Params {
		if list := others(other, p); len(list) > 0 {
			other = list[0]
		}
	}
	pairs := s.Caps.Pairs
	list, widest := []climber{{s.Defaults(), pairs[0]}}, pairs[len(pairs)-1]
	of := slices.DeleteFunc(slices.Clone(pairs), func(p schemes.Pair) bool { return other.CompiledFor(p) != nil })
	if list = append(list, climber{other, of[len(of)-1]}); of[len(of)-1] != widest {
		list = append(list, climber{s.Defaults(), widest})
	}
	return list
}

// Every compiled variant, pair width, hash family and choice is on the ladder.
func TestEveryConfigurationClimbs(t *testing.T) {
	for _, s := range schemes.All() {
		list := climbers(s, false)
		for _, variant := range s.Variants() {
			for _, c := range varied(variant, schemes.HashFamily) {
				for _, pair := range s.Caps.Pairs {
					if !slices.ContainsFunc(list, func(w climber) bool { return w.config.String() == c.For(pair).String() && w.pair == pair }) {
						t.Errorf("%s %s is not on the ladder", c, pair)
					}
				}
			}
		}
		for _, p := range s.Params {
			for _, choice := range choices(p) {
				if !slices.ContainsFunc(list, func(w climber) bool { return w.config.Settings()[p.Name] == choice }) {
					t.Errorf("%s: %s=%s is not on the ladder", s.Name, p.Name, choice)
				}
			}
		}
		seen := map[string]bool{}
		for _, w := range list {
			must.Hold(t, !seen[w.String()], "%s is on the ladder twice", w)
			seen[w.String()] = true
			err := w.config.Compiled()
			must.Hold(t, err == nil, "%v", err)
		}
	}
}

// Operations that a scheme lacks count neither as failed nor as passed.
func TestOperationsThatASchemeLacks(t *testing.T) {
	less := *scheme(t, "bcht")
	less.Caps.Ops = []string{"insert", "find", "count", "export"}
	config := less.Defaults()
	r := check(t, Plan{Targets: []Target{{&less, &config}}, Device: openCPU(t, 2), Quick: true, Seed: 1, Part: "ladder", Pair: "k4v4", scale: &least})
	for _, f := range r {
		want, c := Passed, &climb{climber: climber{config: config}}
		if slices.ContainsFunc(ladder[f.Rung-1].needs, func(need string) bool { return !c.can(need) }) {
			want = NotOffered
		}
		must.Match(t, f.Status, want, f.subject(), f.Why)
	}
	must.Hold(t, r.Count(NotOffered) >= 5, "%d rungs are not offered", r.Count(NotOffered))
}

// gpu is a CPU that says it is a GPU of a kind that some kernels do not run on.
type gpu struct {
	device.Device
	without string
}

func (g gpu) Info() device.Info { return device.Info{Name: "cuda:0", Model: "none"} }
func (g gpu) Prepare(names ...string) error {
	for _, name := range names {
		if strings.Contains(name, g.without) {
			return errors.New("device cuda:0: this GPU is too old for " + name)
		}
	}
	return g.Device.Prepare(names...)
}

func TestKernelsThatTheDeviceCannotRun(t *testing.T) {
	config := scheme(t, "bcht").Defaults()
	plan := Plan{Targets: []Target{{config.Scheme, &config}}, Device: gpu{openCPU(t, 2), "k8v8"}, Quick: true, Seed: 1}
	parts := []string{"verbs", "ladder", "backends"}
	if testing.Short() {
		parts, plan.scale = parts[1:], &timed
	}
	for _, part := range parts {
		plan.Part = part
		r := check(t, plan)
		must.Hold(t, r.Count(Failed) == 0 && r.Count(Unavailable) != 0 && r.Count(Passed) != 0, "%s: %s", part, r.Summary())
		for _, f := range r {
			must.Hold(t, f.Status != Unavailable || strings.Contains(f.Why, "too old"), "%s is unavailable, and nobody says why: %q", f.subject(), f.Why)
		}
	}
	// A CPU has no excuse.
	plan.Device, plan.hear = openCPU(t, 1), func(Event) {}
	f := plan.try(Finding{}, []string{"hz_no_such_kernel"}, func() error { return nil })
	must.Match(t, f.Status, Failed, "a kernel that is not there")
}

// forgetful is a device on which one operation in a thousand inserts is lost.
type forgetful struct{ device.Device }

func (d forgetful) Call(kernel string, table, batch []byte, count uint64) error {
	if count < 1000 || !strings.HasSuffix(kernel, "_insert") {
		return d.Device.Call(kernel, table, batch, count)
	}
	if err := d.Device.Call(kernel, table, batch, count-1); err != nil {
		return err
	}
	var b kernels.Batch
	copy(kernels.Bytes(&b), batch)
	ok := make([]byte, 8) // says that it did everything
	ok[0], ok[1], ok[2] = byte(count), byte(count>>8), byte(count>>16)
	return d.Write(device.Addr(b.Counters), ok)
}

func TestFailuresAreFoundAndCanBeRepeated(t *testing.T) {
	config := must.Get(schemes.Parse("bcht:hash=universal"))(t)
	plan := Plan{Targets: []Target{{config.Scheme, &config}}, Device: forgetful{openCPU(t, 2)}, Quick: true, Seed: 7, Part: "ladder", Pair: "k8v8", scale: &timed}
	r := check(t, plan)
	failed := 0
	for _, f := range r {
		if f.Status != Failed {
			continue
		}
		failed++
		must.Hold(t, f.Rung != 4 || f.Repeat == "hashzoo check bcht:hash=universal --device cpu --threads 2 --part ladder --rung 4 --pair k8v8 --seed 7 --quick",
			"repeat with: %s", f.Repeat)
	}
	must.Hold(t, failed >= 5, "%d rungs failed on a device that loses pairs: %s", failed, r.Summary())
	plan.Rung = 4
	again := check(t, plan)
	must.Hold(t, len(again) == 1 && again[0].Status == Failed, "rung 4 alone: %s", again.Summary())
}

// The default configuration is repeated as such, not with all others.
func TestRepeatingTheDefaultConfiguration(t *testing.T) {
	f := Plan{Device: openCPU(t, 1), Seed: 3}.complete(Finding{Part: "figures", Config: "bcht", Status: Failed})
	want := "hashzoo check bcht: --device cpu --threads 1 --part figures --seed 3"
	must.Hold(t, f.Repeat == want, "repeat with %s, want %s", f.Repeat, want)
}

// stuck is a device on which one kernel does not end.
type stuck struct {
	device.Device
	kernel string
}

func (d stuck) Call(kernel string, table, batch []byte, count uint64) error {
	if kernel == d.kernel {
		select {}
	}
	return d.Device.Call(kernel, table, batch, count)
}

// soon is the grace of checks that hang, and of none that might only be slow.
const soon = 100 * time.Millisecond

// A kernel that hangs ends the check, and the operation is named.
func TestKernelThatHangs(t *testing.T) {
	t.Parallel()
	dev := stuck{openCPU(t, 1), "hz_bcht_b8_first_k4v4_find"}
	config := scheme(t, "bcht").Defaults()
	var r Report
	err := Run(t.Context(), Plan{Targets: []Target{{config.Scheme, &config}}, Device: dev, Quick: true, Rung: 4, Seed: 1, Pair: "k4v4", grace: soon, scale: &timed}, func(e Event) { r.Add(e.Finding) })
	if err == nil || len(r) != 1 || r[0].Status != Failed || r[0].Rung != 4 || r[0].Why != err.Error() ||
		!strings.HasPrefix(r[0].Why, "find hangs: kernel "+dev.kernel+" still ran") {
		t.Errorf("%v, %+v", err, r)
	}
}

// launches is a device that notes the kernels it runs.
type launches struct {
	device.Device
	kernels *[]string
}

func (d launches) Launch(kernel string, table, batch device.Addr, count uint64) error {
	*d.kernels = append(*d.kernels, kernel)
	return d.Device.Launch(kernel, table, batch, count)
}

// A check of the verbs is compared with itself: others are much shorter.
func TestVerbsAreComparedWithThemselves(t *testing.T) {
	var ran []string
	p := Plan{Device: launches{openCPU(t, 2), &ran}, Part: "verbs", Quick: true, now: &moment{}, hear: func(Event) {}}
	must.Hold(t, p.passes("slots claimed by many, tiles of 4") && slices.Equal(ran, []string{"hz_selftest_w4_claiming"}), "ran %v", ran)
}

// A check that ends before the schemes that ship have done the same does not hang.
func TestOutrun(t *testing.T) {
	p := Plan{Device: openCPU(t, 2), Quick: true}
	played := Finding{Part: "vectors"} // other tests compile their kernels, too
	for _, c := range []struct {
		trying Finding
		asked  int // how often, before it is over
		want   bool
	}{
		{played, 1 << 30, true},
		{played, many - 1, false},
		{played, 0, false},
		{Finding{Part: "no such part"}, 1 << 30, false}, // nobody passes it, so nobody knows
	} {
		asked := 0
		got := p.outrun("", c.trying, func() bool { asked++; return asked > c.asked })
		must.Hold(t, got == c.want, "%+v: %v after %d questions", c, got, asked)
	}
}

// An end of the context ends the check after the step that is running.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	findings := 0
	err := Run(ctx, Plan{Device: openCPU(t, 1), Seed: 1, Part: "verbs"}, func(e Event) {
		if e.Finding != nil {
			findings++
			cancel()
		}
	})
	must.Hold(t, errors.Is(err, context.Canceled) && findings == 1, "%d findings, %v", findings, err)
}

// called is a device with another name.
type called struct {
	device.Device
	name string
}

func (d called) Info() device.Info {
	info := d.Device.Info()
	info.Name = d.name
	return info
}

// A check that goes on launching kernels hangs on a CPU. On a GPU, which others may use, it does not.
func TestChecksThatGoOnLaunching(t *testing.T) {
	t.Parallel()
	lasts := bounded.Limit
	for _, name := range []string{"cpu", "cuda:0"} {
		ended := make(chan struct{})
		p := Plan{Device: called{openCPU(t, 1), name}, Quick: true, now: &moment{}, grace: soon}
		p.now.trying.Store(&Finding{Part: "verbs"})
		began := time.Now()
		_, err := p.within(step{what: "long", do: func() []Finding {
			for time.Since(began) < lasts {
				select {
				case <-ended:
					return nil
				case <-time.After(time.Millisecond):
					p.now.launches("kernel")
				}
			}
			return nil
		}})
		close(ended)
		must.Match(t, errors.As(err, new(*hang)), name == "cpu", name, err)
		lasts = 2 * time.Since(began) // longer than it took to find that the first one hangs
	}
}

// Steps say how far a check is, by what steps of their parts cost: verbs are over at once, and ladders take the time.
func TestHowFarACheckIs(t *testing.T) {
	steps, before := Plan{Device: openCPU(t, 1), Quick: true, Targets: allSchemes()[:1]}.steps()
	must.Need(t, len(before) == len(steps) && before[0] == 0 && slices.IsSorted(before) && before[len(before)-1] < 1, "%d steps: %v", len(steps), before)
	ladder := slices.IndexFunc(steps, func(s step) bool { return strings.HasPrefix(s.what, "ladder") })
	must.Hold(t, before[ladder] <= 0.2, "the ladder begins after %.2f of the check", before[ladder])
}

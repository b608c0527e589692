// Package choose searches for the best scheme, with its parameters, for a workload on a device.
//
// Schemes that cannot do the work or are too large are skipped by their declarations. The others run the workload side
// by side, in rounds of a few candidates each. A candidate leaves a round as soon as it is certainly slower than another
// one, and the next round has the candidates that differ from the best ones in one parameter. Whole rounds decide between
// those that are close. The last rounds are of other load factors and of changed workloads. docs/choosing.md explains the
// search to users.
package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Wish is a user's request, besides the workload.
type Wish struct {
	BytesPerPair float64            // at the most; 0: any number
	P99          time.Duration      // the most that 99 percent of the batches may take; 0: any time
	Failed       uint64             // operations of a run that may find no room
	Loads        []float64          // the load factors to choose between; nil: the script's
	Maximize     map[string]float64 // weights of operations; nil: the service time of the whole workload counts
	Hits         bool               // by the number of lookups that find their key
	Miss         time.Duration      // what a lookup that misses takes besides, with Hits
	Budget       time.Duration
}

// Knob is a number of the workload: a change of it is tried at the end.
type Knob struct {
	Name  string
	Value float64
	Takes func(float64) bool
}

// Chooser searches for the best scheme. It may be used several times.
type Chooser struct {
	Wish
	Knobs   []Knob
	Command func(scheme string) string // that runs the workload on a scheme
}

// Run is a session.Runner: the plan's schemes are where the search begins. The last event is run.Chosen.
func (c Chooser) Run(ctx context.Context, dev device.Device, plan run.Plan, l run.Listener) error {
	plan.Control = cmp.Or(plan.Control, &run.Control{})
	plan.Rehearse, plan.Counted, plan.Digests, plan.Verify = false, false, false, false
	s := c.search(dev, plan, l)
	if err := s.read(); err != nil {
		return run.Mistake(err)
	}
	err := s.find(ctx)
	for _, surroundings := range []func(context.Context) error{s.overLoads, s.overKnobs} {
		if err == nil && s.best != nil {
			err = surroundings(ctx)
		}
	}
	if err != nil && s.best == nil {
		return err
	}
	return errors.Join(err, l(run.Chosen{Choice: s.answer()}))
}

func (c Chooser) search(dev device.Device, plan run.Plan, l run.Listener) *search {
	now := time.Now()
	return &search{Chooser: c, dev: dev, plan: plan, listener: l, began: now, deadline: now.Add(c.Budget), known: map[string]*candidate{}, seen: map[string]bool{}}
}

// search is one search.
type search struct {
	Chooser
	dev      device.Device
	plan     run.Plan
	listener run.Listener
	began    time.Time
	deadline time.Time
	point    run.Point // of the workload
	loads    []float64 // between which it chooses; nil: those of the script
	free     int64     // bytes of the device; negative: unknown

	known    map[string]*candidate
	order    []*candidate // as they came
	best     *candidate
	decided  bool            // the best candidate stays
	seen     map[string]bool // operations of the workload
	runs     int
	service  time.Duration
	decisive time.Duration // service time of the whole runs

	cannot, untried reasons
	depends         []results.Depends
	alike           []string
}

// read finds the one point of the workload, and the load factors to choose between.
func (s *search) read() error {
	s.point = s.plan.Points[0]
	s.loads = s.Loads
	values := map[string][]string{}
	var axis []float64
	for _, p := range s.plan.Points {
		for _, c := range p {
			values[c.Name] = lists.Add(values[c.Name], run.Text(c.Value))
			if x, ok := c.Value.(float64); ok && c.Name == schemes.LoadParam {
				axis = lists.Add(axis, x)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if n := len(values[name]); n > 1 && name != schemes.LoadParam {
			return fmt.Errorf("the axis %s has %d values: choose takes one workload; hint: --axis %s=%s", name, n, name, values[name][0])
		}
	}
	if s.loads == nil && len(axis) > 1 {
		s.loads = slices.Sorted(slices.Values(axis))
	}
	free, err := s.dev.Free()
	if s.free = free; err != nil {
		s.free = -1
	}
	return nil
}

// late reports whether a part of the budget is spent.
func (s *search) late(part float64) bool {
	return time.Since(s.began) > time.Duration(part*float64(s.Budget))
}

// reasons are candidates by why they are not the answer, in order.
type reasons []results.Reason

func (r *reasons) add(scheme, why string) {
	one := lists.At((*[]results.Reason)(r), func(one results.Reason) bool { return one.Why == why }, results.Reason{Why: why})
	one.Schemes = lists.Add(one.Schemes, scheme)
}

func (s *search) refuse(c *candidate, why string) {
	c.why = why
	s.cannot.add(c.name, why)
}

func (s *search) goalText() string {
	parts := []string{"the least service time of the workload"}
	if s.Maximize != nil {
		weight := func(op string) string { return fmt.Sprintf("%s=%g", op, s.Maximize[op]) }
		list := lists.Map(slices.Sorted(maps.Keys(s.Maximize)), weight)
		parts[0] = "the highest rate of " + strings.Join(list, ", ")
		if len(list) == 1 {
			parts[0] = "the highest rate of " + strings.Split(list[0], "=")[0]
		}
	}
	if s.Hits {
		parts[0] = "the most hits per second"
	}
	if s.Miss > 0 {
		parts = append(parts, fmt.Sprintf("%v more for each miss", s.Miss))
	}
	if s.BytesPerPair > 0 {
		parts = append(parts, fmt.Sprintf("at most %g bytes per pair", s.BytesPerPair))
	}
	if s.P99 > 0 {
		parts = append(parts, fmt.Sprintf("99 %% of batches within %v", s.P99))
	}
	parts = append(parts, fmt.Sprintf("at most %d operations without room", s.Failed))
	return strings.Join(parts, ", ")
}

// Request turns a request for a run into one for a search.
func (w Wish) Request(r session.Request) (session.Request, error) {
	if w.Miss > 0 && !w.Hits {
		return r, errors.New("--miss is for --maximize hits")
	}
	for op := range w.Maximize {
		if err := nearest.Check("operation", op, append(kernels.OpsOf(kernels.OnKeys, kernels.OnSlots, kernels.Mixed), "hits")); err != nil {
			return r, fmt.Errorf("--maximize: %w", err)
		}
	}
	c := Chooser{Wish: w}
	if record.Is(r.Script) {
		c.Command = func(scheme string) string { return commandLine("replay", r, "--schemes", scheme) }
	} else {
		script, err := session.Script(r.Script, r.Limits, r.Set...)
		if err != nil {
			return r, err
		}
		given, err := script.ParseOptions(r.Set)
		if err != nil {
			return r, err
		}
		for _, o := range script.Options {
			value, ok := given[o.Name]
			if x, isNumber := lists.Either(ok, value, o.Default).(float64); isNumber && o.Name != schemes.LoadParam {
				c.Knobs = append(c.Knobs, Knob{o.Name, x, func(x float64) bool { _, err := o.Parse(run.Text(x)); return err == nil }})
			}
		}
		c.Command = func(scheme string) string {
			return commandLine("run", r, append([]string{"--schemes", scheme}, oneLoad(script.Axes, r.Axis)...)...)
		}
	}
	if len(r.Schemes) == 0 {
		r.Schemes = []string{"all"}
	}
	r.LeaveOut, r.Figures, r.Run = true, true, c.Run
	return r, nil
}

// oneLoad takes a single value of the axis load, which the scheme's own load factor replaces.
func oneLoad(axes []run.Axis, given []string) []string {
	i := slices.IndexFunc(axes, func(a run.Axis) bool { return a.Name == schemes.LoadParam })
	if i < 0 || slices.ContainsFunc(given, func(g string) bool { return strings.HasPrefix(g, schemes.LoadParam+"=") }) {
		return nil
	}
	return []string{"--axis", schemes.LoadParam + "=" + run.Text(axes[i].Values[0])}
}

// commandLine is a command that runs what a request asks for.
func commandLine(command string, r session.Request, more ...string) string {
	if r.Pair != (schemes.Pair{}) {
		more = append([]string{"--pair", r.Pair.String()}, more...)
	}
	return strings.Join(lists.Map(r.Choice.Words(command, more...), analysis.Shell), " ")
}

// Package choose searches for the best scheme, with its parameters, for a workload on a device.
//
// Schemes that cannot do the work or are too large are skipped by their declarations. The others run the workload side
// by side, in rounds of a few candidates each. A candidate leaves a round as soon as it is certainly slower than another
// one, and the next round has the candidates that differ from the best ones in one parameter. Whole rounds decide between
// those that are close. The last rounds are of other load factors and of changed workloads. docs/choosing.md explains the
// search to users.
package choose

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Wish is a user's request, besides the workload.
type Wish struct {
	BytesPerPair float64            // at the most; 0: any number
	P99          time.Duration      // the most that 99 percent of the batches may take; 0: any time
	Failed       uint64             // operations of a run that may find no room
	Loads        []float64          // the load factors to choose between; nil: the script's
	Maximize     map[string]float64 // weights of operations; nil: the service time of the whole workload counts
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
	if plan.Control == nil {
		plan.Control = &run.Control{}
	}
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
	if s.BytesPerPair > 0 {
		parts = append(parts, fmt.Sprintf("at most %g bytes per pair", s.BytesPerPair))
	}
	if s.P99 > 0 {
		parts = append(parts, fmt.Sprintf("99 %% of batches within %v", s.P99))
	}
	parts = append(parts, fmt.Sprintf("at most %d operations without room", s.Failed))
	return strings.Join(parts, ", ")
}

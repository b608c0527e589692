package choose

import (
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
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

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

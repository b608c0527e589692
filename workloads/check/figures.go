package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// Comparison is a measured figure beside the expected one.
type Comparison struct {
	Load     float64 `json:"load"`
	Op       string  `json:"op"`
	Present  float64 `json:"present,omitempty"` // percent
	Counter  string  `json:"counter"`
	Measured float64 `json:"measured"`
	Expected float64 `json:"expected"`
	Within   float64 `json:"within"`
}

func (c Comparison) holds() error {
	off := c.Measured/c.Expected - 1
	if math.Abs(off) <= c.Within {
		return nil
	}
	return fmt.Errorf("%s of %s at load factor %g: measured %.5g, expected %.5g: %+.1f %%, more than %.1f %%",
		c.Counter, c.Op, c.Load, c.Measured, c.Expected, 100*off, 100*c.Within)
}

func (c Comparison) what() string {
	return lists.Either(c.Op == "find", fmt.Sprintf("%s of find, %g %% there", c.Counter, c.Present), c.Counter+" of "+c.Op)
}

func (p Plan) figureSteps(t Target) (steps []step) {
	type table struct {
		settings string
		load     float64
	}
	for _, figures := range lists.Groups(t.Scheme.Expected, func(f schemes.Figure) table { return table{f.Settings, f.Load} }) {
		for _, c := range p.familiesOf(t, figures[0].Settings) {
			what := fmt.Sprintf("figures of %s at load factor %g", c, figures[0].Load)
			var kernels []string
			if !inShards(p.Device) {
				kernels = engine.Spec{Config: c, Shape: schemes.Shape{Pair: schemes.Pair4}, Counted: true}.Kernels()
			}
			steps = append(steps, step{what, c.String(), kernels, func() []Finding { return p.figures(c, figures) }})
		}
	}
	return steps
}

// familiesOf are the target's configurations with these settings; unless quick, one for each hash family.
func (p Plan) familiesOf(t Target, settings string) []schemes.Config {
	config := lists.Must(t.Scheme.Configure(settings)) // the manifest was checked
	if p.Quick {
		return t.among(config)
	}
	return t.among(varied(config, schemes.HashFamily)...)
}

func (t Target) among(list ...schemes.Config) []schemes.Config {
	return slices.DeleteFunc(list, func(c schemes.Config) bool { return t.Config != nil && t.Config.String() != c.String() })
}

func (p Plan) figures(c schemes.Config, figures []schemes.Figure) (findings []Finding) {
	f := Finding{Part: "figures", Scheme: c.Name, Config: c.String(), What: fmt.Sprintf("load factor %g", figures[0].Load)}
	if inShards(p.Device) {
		return []Finding{f.ofOneDevice()}
	}
	var list []Comparison
	f = p.try(f, nil, func() (err error) {
		tables, n := p.figureKeys()
		list, err = compareFigures(p.Device, c, figures, tables, n, p.Seed)
		return err
	})
	if f.Status == Failed {
		return []Finding{f}
	}
	for _, compared := range list {
		f.Figure, f.What = &compared, compared.what()
		findings = append(findings, f.outcome(compared.holds()))
	}
	return findings
}

// figureKeys is a number of tables, and of keys in each. A GPU takes as many keys as the papers: in a small table, its tens
// of thousands of concurrent inserts want the same slots, look again, and count more probes.
func (p Plan) figureKeys() (tables int, n uint64) {
	switch {
	case p.Device.Info().Driver != "":
		return 1, 20_000_000
	case p.Quick:
		return 8, 4 * p.scaled().large
	}
	return 1, 1_000_000
}

// compareFigures compares the means of several tables. How far that of a smaller table is from a figure of the papers is
// bounded with the figure. The mean of a few tables is off by chance, too, independently of that: the probes of linear
// probing at a load factor of 0.9 by 3 percent with 65,536 keys.
func compareFigures(dev device.Device, config schemes.Config, figures []schemes.Figure, tables int, n, seed uint64) (list []Comparison, _ error) {
	measured := make([][]float64, len(figures))
	for i := range tables {
		if err := measureFigures(dev, config, figures, n, stream.Derive(seed, fmt.Sprintf("figures %d", i)), measured); err != nil {
			return nil, err
		}
	}
	for i, f := range figures {
		within := math.Hypot(f.Within, chance(measured[i])/f.PerOp)
		list = append(list, Comparison{Load: f.Load, Op: f.Op, Present: f.Present, Counter: f.Counter, Measured: stats.Mean(measured[i]), Expected: f.PerOp, Within: within})
	}
	return list, nil
}

// chance is how far the mean of values is from that of their distribution, except in one of 10,000 times: its standard
// error is itself of these few values, so it is Student's t. Of one value that is not known, and of a large table it is small.
func chance(values []float64) float64 {
	const exceeded = 1e-4
	freedom := float64(len(values) - 1)
	if freedom == 0 {
		return 0
	}
	return stats.InvCDF(stats.TDist{V: freedom})(1-exceeded/2) * stats.StdDev(values) / math.Sqrt(float64(len(values)))
}

// measureFigures fills a table with instrumented kernels, looks keys up, and adds the counts to those of other tables.
func measureFigures(dev device.Device, config schemes.Config, figures []schemes.Figure, n, seed uint64, measured [][]float64) error {
	keys := stream.Keys(4, stream.Derive(seed, "keys"))
	spec := engine.Spec{Config: config, Shape: schemes.Shape{Pair: schemes.Pair4, N: n, Load: figures[0].Load}, Seed: seed, Counted: true, Timeout: forever}
	_, err := run.Once(dev, spec, func(t run.Table) error {
		insert, err := insertSlices(t, keys.Take(n))
		for i, f := range figures {
			sample := insert
			if err == nil && f.Op != insert.Op {
				// The keys that are there are those inserted last, as in the papers. They cost less than those that were
				// evicted to make room for them.
				inside := uint64(math.Round(float64(n) * f.Present / 100))
				sample, err = t.Do(engine.Batch{Op: f.Op, Keys: keys.Slice(n-inside, n)})
			}
			measured[i] = append(measured[i], sample.PerOp(f.Counter))
		}
		return err
	})
	return err
}

// insertSlices fills a table in slices, so that the order depends little on the threads.
func insertSlices(t run.Table, keys stream.Stream) (all engine.Sample, err error) {
	const slices = 16
	for i := range uint64(slices) {
		from, to := keys.Len()*i/slices, keys.Len()*(i+1)/slices
		part := keys.Slice(from, to-from)
		s, err := t.Do(engine.Batch{Op: "insert", Keys: part, Values: part})
		if err != nil {
			return all, err
		}
		all.Add(s)
	}
	return all, nil
}

func inShards(dev device.Device) bool { return len(device.PartsOf(dev)) > 1 }

// ofOneDevice excuses what depends on the load factor of the whole table.
func (f Finding) ofOneDevice() Finding {
	f.Status, f.Why = Unavailable, "figures and load factors are those of one device: shards have spare slots"
	return f
}

// fillPairs is the capacity of the tables that are filled.
const fillPairs = 1 << 16

// nearlyAll is how many of 100 must fill to the highest load factor that a scheme declares.
const nearlyAll = 95

// Filled says how many tables filled to a load factor.
type Filled struct {
	Load  float64 `json:"load"`
	Full  int     `json:"full"`
	Of    int     `json:"of"`
	Least int     `json:"least"`
}

// fillSteps are a step for every declared load factor; a quick check leaves out those of every variant.
func (p Plan) fillSteps(t Target) (steps []step) {
	for _, f := range t.Scheme.Fills {
		for _, c := range p.familiesOf(t, f.Settings) {
			steps = append(steps, p.fill(c, f.Load, f.Least))
		}
	}
	if p.Quick {
		return steps
	}
	for _, variant := range t.Scheme.Variants() {
		for _, c := range t.among(varied(variant, schemes.HashCount)...) {
			steps = append(steps, p.fill(c, c.MaxLoad(c), nearlyAll))
		}
	}
	return steps
}

// fill returns the step that fills tables to a load factor. `least` percent of them must take all pairs.
func (p Plan) fill(c schemes.Config, load float64, least int) step {
	tables := p.scaled().fills
	filled := &Filled{Load: load, Of: tables, Least: least * tables / 100}
	f := Finding{Part: "fills", Scheme: c.Name, Config: c.String(), What: fmt.Sprintf("fills to %g", load), Fill: filled}
	what := fmt.Sprintf("filling %d tables of %s to %g", tables, c, load)
	if inShards(p.Device) {
		return step{what, c.String(), nil, func() []Finding { return []Finding{f.ofOneDevice()} }}
	}
	return p.one(what, f, engine.Spec{Config: c, Shape: schemes.Shape{Pair: c.Caps.Pairs[0]}}.Kernels(), func() error {
		for i := range tables {
			failed, err := fill(p.Device, c, load, stream.Derive(p.Seed, fmt.Sprintf("table %d", i)))
			if err != nil {
				return fmt.Errorf("seed %d of %d: %w", i+1, tables, err)
			}
			if failed == 0 {
				filled.Full++
			}
		}
		if filled.Full < filled.Least {
			return fmt.Errorf("%d of %d tables filled to %g, instead of %d or more", filled.Full, filled.Of, load, filled.Least)
		}
		return nil
	})
}

// fill builds one table, checks its counts, and returns how many pairs found no room.
func fill(dev device.Device, config schemes.Config, load float64, seed uint64) (failed uint64, err error) {
	pair := config.Caps.Pairs[0]
	var n, left uint64
	spec := engine.Spec{Config: config, Shape: schemes.Shape{Pair: pair, Capacity: fillPairs}, Seed: seed, Timeout: forever}
	inside, err := run.Once(dev, spec, func(t run.Table) error {
		n = uint64(load * float64(t.Capacity()))
		keys := stream.Keys(pair.Key, seed).Take(n)
		s, err := t.Do(engine.Batch{Op: "insert", Keys: keys, Values: keys})
		failed, left = s.Counts.Get("failed"), s.Counts.Get("pairs")
		return err
	})
	if err == nil && (left != failed || inside.N+failed != n) {
		err = fmt.Errorf("%d pairs inserted, %d in the table, %d failed, %d handed back", n, inside.N, failed, left)
	}
	return failed, err
}

// Work is a step that another package adds to a check.
type Work struct {
	What string
	Do   func(device.Device) []Finding
}

// Claim is a statement of a paper and the value that is found here.
type Claim struct {
	Paper     string `json:"paper"`
	Figure    string `json:"figure"`
	Script    string `json:"script"`
	Published string `json:"published"`
	Ours      string `json:"ours,omitempty"`
}

// paperSteps run on one thread of a CPU, where counts are the same on every run. A batch that hangs has a time limit.
func (p Plan) paperSteps() (steps []step) {
	for _, w := range p.Papers {
		steps = append(steps, step{w.What, "", nil, func() (findings []Finding) {
			p.now.trying.Store(nil)
			if !isCPU(p.Device) {
				return w.Do(p.Device)
			}
			err := p.onOneThread(func(one device.Device) error {
				findings = w.Do(one)
				return nil
			})
			if err != nil {
				findings = append(findings, Finding{Part: "papers", What: w.What}.outcome(err))
			}
			return findings
		}})
	}
	return steps
}

func (r Report) claims() []results.Table {
	compared := r.where(func(f Finding) bool { return f.Claim != nil })
	figure := func(f Finding) string { return f.Claim.Paper + ", " + f.Claim.Figure }
	return lists.Map(lists.Groups(compared, figure), func(of Report) results.Table {
		return results.TableOf(figure(of[0])+" | paper | ours | verdict", of, func(f Finding) []string {
			return []string{f.What, f.Claim.Published, f.Claim.Ours, f.Verdict()}
		})
	})
}

// Verdict says whether a claim holds, or why not.
func (f Finding) Verdict() string {
	switch f.Status {
	case Passed:
		return "holds"
	case Differs:
		return "differs: " + f.Why
	case Failed:
		return "fails"
	}
	return f.Why
}

package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// rung is one thing that a table must do. Where a lower one fails, the results of the higher ones mean little.
type rung struct {
	name  string
	needs []string // operations and abilities; a scheme that lacks one is excused
	climb func(*climb)
}

// climb is one configuration on one device. Its methods end the rung at the first mistake, like Fatal of testing.T.
type climb struct {
	climber
	dev  device.Device
	now  *moment
	seed uint64
	scale
	plain []engine.Sample // the trace of a usual table, once a rung needs it
	held  []func() error
}

// fallen is the panic that ends a rung early.
type fallen struct{ error }

func (c *climb) must(err error) {
	if err != nil {
		panic(fallen{err})
	}
}

func (c *climb) fail(format string, args ...any) { c.must(fmt.Errorf(format, args...)) }

func fell(panicked any) error {
	f, ok := panicked.(fallen)
	if panicked != nil && !ok {
		panic(panicked)
	}
	return f.error
}

// adding adds the circumstances to the error of a rung that ends early: defer it.
func (c *climb) adding(when string) {
	if err := fell(recover()); err != nil {
		c.fail("%s: %w", when, err)
	}
}

func (c *climb) try(climb func(*climb)) (err error) {
	defer func() {
		err = fell(recover())
		for _, release := range slices.Backward(c.held) { // tables before their devices
			err = cmp.Or(err, release())
		}
		c.held = nil
	}()
	climb(c)
	return nil
}

func (c *climb) has(op string) bool { return c.config.Caps.Has(op) }

// What rungs need besides operations, as in "no unique keys".
const (
	uniqueKeys = "unique keys"
	sharing    = "operations that share a launch"
	hostMemory = "tables in host memory"
	hostSide   = "host side that takes memory"
	gauges     = "gauges"
	bulk       = "bulk" // the parameter
	notAlways  = "other value of bulk than always"
	combining  = "operations that combine values"
	counting   = "counts of accesses, as a library's table tells none"
)

func (c *climb) can(need string) bool {
	return c.has(need) || map[string]bool{
		uniqueKeys: !c.config.Caps.Duplicates,
		sharing:    len(c.config.Caps.Concurrent) > 0,
		hostMemory: c.config.Caps.HostMemory,
		hostSide:   len(c.config.Host) > 0,
		gauges:     len(c.config.Gauges) > 0,
		notAlways:  !slices.Contains([]string{"", "always"}, c.config.Settings()[bulk]), // always: all rungs are climbed so
		counting:   !c.config.Reference && !c.timed,
		combining:  slices.ContainsFunc(c.keyed(), func(op string) bool { return kernels.Op(op).Combines() }),
	}[need]
}

func (c *climb) shares(op string) bool { return slices.Contains(c.config.Caps.Concurrent, op) }

func (c *climb) sharing(is func(kernels.Operation) bool) []string {
	return kernels.OpsThat(func(op kernels.Operation) bool { return c.shares(op.Name) && is(op) })
}

func (c *climb) keyed() []string {
	return kernels.OpsThat(func(op kernels.Operation) bool { return op.Kind == kernels.OnKeys && c.has(op.Name) })
}

// keys are all possible keys in random order. Different slices of it have no key in common.
func (c *climb) keys() stream.Stream { return stream.Keys(c.pair.Key, stream.Derive(c.seed, "keys")) }

func (c *climb) values(name string, n uint64) stream.Stream {
	return stream.Random(stream.Derive(c.seed, "values "+name)).Take(n)
}

// which draws numbers below n, as many as a large table has slots.
func (c *climb) which(n uint64) stream.Stream {
	return stream.Uniform(n, stream.Derive(c.seed, "which")).Take(c.large)
}

// cpu opens a CPU until the end of the rung.
func (c *climb) cpu(name string, options device.Options) device.Device {
	dev, err := devices.Open(name, options)
	c.must(err)
	c.held = append(c.held, dev.Close)
	return noted{dev, cmp.Or(c.now, &moment{})}
}

// trial is a table on a rung.
type trial struct {
	*engine.Table
	c       *climb
	dev     device.Device
	asked   uint64 // slots; it may have more
	batches int    // that had values
}

func (c *climb) table(slots uint64, change ...func(*engine.Spec)) *trial {
	return c.tableOn(c.dev, slots, change...)
}

func (c *climb) tableOn(dev device.Device, slots uint64, change ...func(*engine.Spec)) *trial {
	spec := engine.Spec{
		Config: c.config, Shape: schemes.Shape{Pair: c.pair, Capacity: slots}, Seed: stream.Derive(c.seed, "table"),
		Verify: true, Timeout: forever,
	}
	for _, f := range change {
		f(&spec)
	}
	table, err := engine.New(dev, spec)
	c.must(err)
	c.held = append(c.held, table.Close)
	return &trial{Table: table, c: c, dev: dev, asked: spec.Shape.Capacity}
}

func (c *climb) filled(slots uint64) (t *trial, n uint64) {
	t = c.table(slots)
	n = t.half()
	t.do("insert", c.keys().Take(n))
	return t, n
}

func (t *trial) half() uint64 { return max(1, uint64(t.MaxLoad()*float64(t.Capacity())/2)) }

// want is the expected value of a counter of a batch.
type want struct {
	counter string
	n       uint64
}

// batch is an operation on keys, with new values if it takes any.
func (t *trial) batch(op string, keys engine.Stream) engine.Batch {
	b := engine.Batch{Op: op, Keys: keys}
	if kernels.Op(op).Value {
		t.batches++
		b.Values = t.c.values(fmt.Sprint(t.batches), keys.Len())
	}
	return b
}

func (t *trial) do(op string, keys engine.Stream, wants ...want) engine.Sample {
	return t.run(t.batch(op, keys), wants...)
}

func (t *trial) maybe(op string, keys engine.Stream) {
	if t.c.has(op) {
		t.do(op, keys)
	}
}

func (t *trial) run(b engine.Batch, wants ...want) engine.Sample {
	s, err := t.Run(t.load(b))
	t.c.must(err)
	for _, w := range wants {
		if have := s.Counts.Get(w.counter); have != w.n {
			t.c.fail("%d of %d operations of %s are %s, instead of %d", have, s.N, s.Op, w.counter, w.n)
		}
	}
	return s
}

func (t *trial) load(b engine.Batch) *engine.Input {
	in, err := engine.Load(t.dev, t.c.pair, b)
	t.c.must(err)
	t.c.held = append(t.c.held, in.Release)
	return in
}

// contents compares the table with the oracle, and returns what is in it.
func (t *trial) contents() engine.Contents {
	contents, err := t.Contents()
	t.c.must(err)
	return contents
}

func (t *trial) holds(want uint64) {
	if have := t.contents().N; have != want || t.Size() != want {
		t.c.fail("the table holds %d pairs, and says %d, instead of %d", have, t.Size(), want)
	}
}

func (p Plan) wanted(list []climber) []climber {
	return slices.DeleteFunc(list, func(who climber) bool { return p.Pair != "" && p.Pair != who.pair.String() })
}

func (p Plan) ladderSteps(t Target) []step {
	list := climbers(t.Scheme, p.Quick)
	if t.Config != nil {
		list = withPairs(*t.Config, t.Config.Caps.Pairs)
	}
	return lists.Map(p.wanted(list), func(who climber) step {
		return step{"ladder of " + who.String(), who.config.String(), kernelsOf(who, !p.scaled().timed), func() []Finding { return p.climb(who) }}
	})
}

// climbing is a configuration before its climb.
func (p Plan) climbing(who climber, dev device.Device) *climb {
	return &climb{climber: who, dev: dev, now: p.now, seed: p.Seed, scale: p.scaled()}
}

func (p Plan) climb(who climber) (findings []Finding) {
	c, f := p.climbing(who, p.Device), who.finding("ladder", "kernels")
	if f := p.try(f, kernelsOf(who, !c.timed), func() error { return nil }); f.Status != Passed {
		return []Finding{f}
	}
	if err := who.config.Takes(who.pair); err != nil {
		f.Status, f.Why = NotOffered, err.Error()
		return []Finding{f}
	}
	for i, r := range ladder {
		if p.Rung != 0 && p.Rung != i+1 {
			continue
		}
		f.Rung, f.What = i+1, r.name
		p.hear(Event{Trying: &f})
		findings = append(findings, f.climbed(c, r))
	}
	return findings
}

func (f Finding) climbed(c *climb, r rung) Finding {
	for _, need := range r.needs {
		if !c.can(need) {
			f.Status, f.Why = NotOffered, "no "+need
			return f
		}
	}
	return f.outcome(c.try(r.climb))
}

// kernelsOf are all kernels of a configuration, with instrumented ones or without.
func kernelsOf(who climber, counted bool) (names []string) {
	spec := engine.Spec{Config: who.config, Shape: schemes.Shape{Pair: who.pair}}
	names = spec.Kernels()
	if spec.Counted = true; counted {
		names = append(names, spec.Kernels()...)
	}
	return names
}

// climber is a configuration that climbs the ladder, with pairs of one width.
type climber struct {
	config schemes.Config
	pair   schemes.Pair
}

func (w climber) String() string { return w.config.String() + " " + w.pair.String() }

func (w climber) finding(part, what string) Finding {
	return Finding{Part: part, Scheme: w.config.Name, Config: w.config.String(), Pair: w.pair.String(), What: what}
}

// climbers are the configurations to check: every compiled variant with every pair width and hash family, and every
// other choice, one at a time. A quick check varies families and choices of the default variant only.
func climbers(s *schemes.Scheme, quick bool) (list []climber) {
	for _, variant := range s.Variants() {
		list = append(list, withPairs(variant, variant.Caps.Pairs)...)
		if quick && variant.String() != s.Defaults().String() {
			continue
		}
		for _, p := range s.Params {
			pairs := lists.Either(p.Role == schemes.HashFamily && !quick, variant.Caps.Pairs, variant.Caps.Pairs[:1])
			for _, c := range others(variant, p) {
				list = append(list, withPairs(c, pairs)...)
			}
		}
	}
	return list
}

func withPairs(c schemes.Config, pairs []schemes.Pair) []climber {
	return lists.Map(pairs, func(pair schemes.Pair) climber { return climber{c, pair} })
}

func others(c schemes.Config, p schemes.Param) []schemes.Config {
	further := lists.Filter(choices(p), func(text string) bool { return text != p.Text(p.Default) })
	return lists.Map(further, func(text string) schemes.Config { return lists.Must(c.With(p.Name, text)) })
}

// choices are the values of a parameter that stand for different behavior. Variants are listed by the scheme; no
// single value of a plain range, such as a limit, is special.
func choices(p schemes.Param) []string {
	if p.Role == schemes.Variant || p.Words == nil && p.Values == nil && p.Role != schemes.HashCount {
		return nil
	}
	return lists.Map(p.All(), p.Text)
}

// varied are a configuration, and those with another value of the parameters of one role.
func varied(c schemes.Config, role schemes.Role) []schemes.Config {
	list := []schemes.Config{c}
	for _, p := range c.Params {
		if p.Role == role {
			list = append(list, others(c, p)...)
		}
	}
	return list
}

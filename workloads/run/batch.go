package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
)

// serve runs a batch. Its error ends the member or the run, even if the script catches it.
func (p *point) serve(ctx context.Context, m *member, a *ask) (engine.Sample, error) {
	m.last = nil
	if p.failure != nil || m.left != nil {
		return engine.Sample{}, ErrStopped
	}
	if err := m.Supports(a.batch.Op); err != nil {
		return engine.Sample{}, err
	}
	s, err := p.batch(ctx, m, a)
	return s, p.fault(m, err)
}

func (p *point) batch(ctx context.Context, m *member, a *ask) (engine.Sample, error) {
	b, unmeasured := a.batch, a.fill || p.warmup
	if err := ctx.Err(); err != nil {
		return engine.Sample{}, err
	}
	began := time.Now()
	in, err := p.cache.Load(m.shape.Pair, b)
	p.spent.Input += time.Since(began).Seconds()
	if err != nil {
		return engine.Sample{}, fmt.Errorf("scheme %s: %w", m.config.Name, err)
	}
	if err := m.CheckTombstones(in); err != nil {
		return engine.Sample{}, err
	}
	if !slices.Contains(schemes.TableOps, b.Op) { // only some schemes need those, and they have no input
		m.batches.add(batch{b.Op, in.N, in.Digest})
	}
	p.asked++
	p.hold(ctx)
	var due arrival
	at := m.now.spent
	if m.open != nil && !unmeasured {
		p.await(ctx, m, in.N)
		due = m.open.begin(in.N)
		at = m.open.now
	}
	if err := ctx.Err(); err != nil {
		return engine.Sample{}, err
	}
	s, seen, err := m.run(in)
	if err != nil {
		return s, err
	}
	m.freed = p.clock.Now()
	refused, err := p.refused(m, b, s)
	if err != nil {
		return s, err
	}
	if refused && b.Op == "insert" {
		s.Notes = append(s.Notes, "inserts of keys that are in the table failed; the table lacks nothing")
	}
	m.failed, m.lacks = m.failed || s.Counts.Get("failed") > 0, m.lacks || s.Counts.Get("failed") > 0 && !refused
	if m.script.Answers && b.Keys != nil {
		m.last = &given{in, s}
	}
	var response time.Duration
	if unmeasured {
		p.spent.Unmeasured += s.Service.Seconds()
	} else {
		p.spent.Measured += s.Service.Seconds()
		response = p.account(m, b, s, seen, due)
	}
	for _, note := range s.Notes {
		p.hear(Noted{m.index, note})
	}
	p.hear(Measured{Scheme: m.index, Phase: m.phase, Round: p.number, Sample: s, Refused: refused, Warmup: unmeasured, At: at, Done: p.part(p.warmup),
		Response: response, Capacity: m.Capacity(), Bytes: m.Bytes(), Batch: b, Input: in})
	return s, p.lookNow(m)
}

// refused reports whether the table lacks no pair although operations failed: inserts that found their keys in the table,
// or puts that a cache did not admit. Where inserts move other pairs, any of these may have found no room.
func (p *point) refused(m *member, b engine.Batch, s engine.Sample) (bool, error) {
	if kernels.Op(b.Op).Evicts() {
		return s.Counts.Get("failed") > 0, nil
	}
	own := m.config.Scheme.Caps.Stable || m.config.Scheme.Reference
	if m.lacks || b.Op != "insert" || s.Counts.Get("failed") == 0 || !own {
		return false, nil
	}
	in, err := p.cache.Load(m.shape.Pair, engine.Batch{Op: "find", Keys: b.Keys})
	if err != nil {
		return false, err
	}
	found, err := m.Run(in)
	return found.Counts.Get("missing") == 0, err
}

func (p *point) account(m *member, b engine.Batch, s, seen engine.Sample, due arrival) (response time.Duration) {
	t := m.record(b, s, seen)
	m.now.ops += s.N
	m.now.spent += s.Service
	if m.open != nil {
		response = m.open.end(due, s.Service)
		t.response.add(response.Seconds())
		if due.lag > 0 {
			t.late++
			t.lag = max(t.lag, due.lag)
		}
		m.now.spent = max(m.open.now, m.open.due())
	}
	return response
}

// batch is what members are compared by: what they asked for.
type batch struct {
	op     string
	n      uint64
	digest string
}

func (b batch) String() string { return fmt.Sprintf("%s %d (input %.8s)", b.op, b.n, b.digest) }

// maxNamed bounds the batches of a call that are kept one by one, to name the first that differs.
const maxNamed = 1000

// batches are those of one call, in bounded memory.
type batches struct {
	first []batch
	count int
	rest  Chain // of those after the first
}

func (l *batches) add(b batch) {
	if l.count++; l.count <= maxNamed {
		l.first = append(l.first, b)
		return
	}
	l.rest.Add(fmt.Sprint(b.op, b.n, b.digest))
}

func (l *batches) equal(other *batches) bool {
	return l.count == other.count && slices.Equal(l.first, other.first) && l.rest.String() == other.rest.String()
}

func (l *batches) String() string {
	const few = 8
	if l.count <= few {
		return fmt.Sprint(l.first)
	}
	return fmt.Sprintf("%v and %d more", l.first[:few], l.count-few)
}

// compare finds the first batch in which the members of a round differ. If stopped, some are not through.
func (p *point) compare(what string, members []*member, stopped bool) {
	took := slices.DeleteFunc(slices.Clone(members), func(m *member) bool { return m.left != nil || m.skips })
	for _, m := range took {
		p.cannotCompare(difference(what, took[0], m, stopped)) // the first one does not differ from itself
	}
	for _, m := range members {
		m.batches = batches{}
	}
}

// cannotCompare records the first reason; later phases inherit it, since the tables differ.
func (p *point) cannotCompare(why string) {
	if phase := p.stage.Name; why != "" && p.differs[phase] == "" {
		p.differs[phase], p.differed = why, cmp.Or(p.differed, why)
		p.hear(Differed{phase, why})
	}
}

func difference(what string, a, b *member, stopped bool) string {
	for k := range min(len(a.batches.first), len(b.batches.first)) {
		if x, y := a.batches.first[k], b.batches.first[k]; x != y {
			return fmt.Sprintf("batch %d of %s was %v on %s, %v on %s", k+1, what, x, a.Scheme(), y, b.Scheme())
		}
	}
	switch same := a.batches.count == b.batches.count; {
	case !same && !stopped:
		return fmt.Sprintf("%s made %d batches on %s, %d on %s", what, a.batches.count, a.Scheme(), b.batches.count, b.Scheme())
	case same && !a.batches.equal(&b.batches):
		return fmt.Sprintf("a batch of %s after the first %d differs on %s and %s", what, maxNamed, a.Scheme(), b.Scheme())
	}
	return ""
}

// ErrStopped is the error of a script's batch when the run ends before it.
var ErrStopped = errors.New("the run was stopped")

// ask is a batch that a script waits for, then what became of it.
type ask struct {
	batch  engine.Batch
	fill   bool // it is not measured
	sample engine.Sample
	err    error
}

// caller runs calls of a script as coroutines, so a script never computes while a batch is measured.
type caller struct {
	yield func(*ask) bool // nil outside of a call
	next  func() (*ask, bool)
	stop  func()
	asked *ask // the batch that it waits for
	err   error
	spent time.Duration // in the script itself
}

func (c *caller) do(a *ask) (engine.Sample, error) {
	if c.yield == nil {
		return engine.Sample{}, errors.New("a batch outside of prepare and event: there is no turn for it")
	}
	if !c.yield(a) {
		return engine.Sample{}, ErrStopped
	}
	return a.sample, a.err
}

func (c *caller) call(body func() error) {
	c.asked = nil
	c.next, c.stop = iter.Pull(func(yield func(*ask) bool) {
		c.yield = yield
		defer func() { c.yield = nil }()
		c.err = body()
	})
}

// resume continues the call up to its next batch; nil if it has ended.
func (c *caller) resume() *ask {
	began := time.Now()
	a, _ := c.next()
	c.spent += time.Since(began)
	return a
}

// inTurns makes a call on each of the members and serves their batches strictly in turn: the first one of each, then
// the second one of each. After a batch its script goes on at once, so that it can ask what the batch gave before other
// tables get the same input. It ends when all calls have, or at the first error.
func inTurns(members []*member, body func(*member) error, serve func(*member, *ask)) error {
	for _, m := range members {
		m.call(func() error { return body(m) })
		defer m.stop()
	}
	for live := members; len(live) > 0; {
		var still []*member
		for _, m := range live {
			if m.asked == nil { // it is its first batch
				m.asked = m.resume()
			}
			if m.asked != nil {
				serve(m, m.asked)
				m.asked = m.resume()
			}
			if m.asked != nil {
				still = append(still, m)
			} else if m.err != nil {
				return m.err
			}
		}
		live = still
	}
	return nil
}

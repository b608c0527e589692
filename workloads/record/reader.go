package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// reader makes a recording of its lines, one by one.
type reader struct {
	rec     *Recording
	hash    *xxh3.Hasher // of all lines so far
	bytes   uint64       // of all lines so far
	number  int          // of the line, from 1 on
	ended   bool
	lenient bool // the file is of a newer minor version
}

func newReader() *reader { return &reader{rec: &Recording{}, hash: xxh3.New()} }

// line takes the next line, with its end.
func (r *reader) line(text []byte) error {
	r.number++
	if r.bytes += uint64(len(text)); r.bytes > maxText {
		return fmt.Errorf("line %d: more than %d bytes of text", r.number, maxText)
	}
	if err := r.take(text); err != nil {
		return fmt.Errorf("line %d: %w", r.number, err)
	}
	r.hash.Write(text)
	return nil
}

func (r *reader) take(text []byte) error {
	if r.ended {
		return errors.New("something follows the end")
	}
	if r.number == 1 {
		if err := r.version(text); err != nil {
			return err
		}
	}
	l, err := decode(text, r.lenient)
	if err != nil {
		return err
	}
	return r.hold(l)
}

// version reads the version in the first line, which decides how the rest is read.
func (r *reader) version(text []byte) error {
	var first struct{ Recording struct{ Format string } }
	var major, minor uint64
	if err := json.Unmarshal(text, &first); err != nil || first.Recording.Format == "" {
		return fmt.Errorf("it is no recording: the first line is %s, it should begin with %s", shorten(string(text)), mark)
	}
	format := first.Recording.Format
	if _, err := fmt.Sscanf(format, "%d.%d", &major, &minor); err != nil || format != fmt.Sprintf("%d.%d", major, minor) {
		return fmt.Errorf("format is %s: it takes a version such as %d.%d", shorten(format), Major, Minor)
	}
	if major != Major {
		return fmt.Errorf("it has format %s, this program reads %d.0 to %d.%d and later ones of %d", format, Major, Major, Minor, Major)
	}
	r.lenient = minor > Minor
	return nil
}

// hold adds a line to the recording, if it fits.
func (r *reader) hold(l line) error {
	switch {
	case (l.Recording != nil) != (r.number == 1):
		return errors.New("the first line, and no other, is the header")
	case r.rec.Stopped != "" && l.End == nil:
		return errors.New("something follows after the run was stopped")
	case l.Recording != nil:
		return r.header(l.Recording)
	case l.Point != nil:
		return r.point(l.Point)
	case l.Phase != nil:
		return r.phase(l.Phase)
	case l.Batch != nil:
		return r.batch(l.Batch)
	case l.Clear != nil:
		return r.item(Item{Round: l.Clear.Round, Reseed: l.Clear.Reseed})
	case l.Contents != nil:
		return r.contents(l.Contents)
	case l.Stopped != nil:
		return r.stopped(l.Stopped)
	case l.End != nil:
		return r.end(*l.End)
	}
	return nil // a newer version's
}

func (r *reader) header(h *Header) error {
	if h.Kind != Recipe && h.Kind != Materialised {
		return fmt.Errorf("it is a recording of the kind %s, allowed are %s and %s", shorten(string(h.Kind)), Recipe, Materialised)
	}
	r.rec.Header = *h
	return h.check()
}

// Bounds of a table, so that its bytes can be counted.
const (
	maxSlots  = 1 << 48
	leastLoad = 1e-4
)

func (r *reader) point(p *Point) error {
	s := p.Shape
	for _, c := range p.At {
		switch c.Value.(type) {
		case float64, bool, string:
		default:
			return fmt.Errorf("%s is %v: it takes a number, true, false, or a text", c.Name, c.Value)
		}
	}
	for _, plugin := range p.Plugins {
		if plugin.Hash == "" || !p.ranOn(plugin.Name) {
			return fmt.Errorf("a plugin of %s, which is no scheme of the point, or without a hash", shorten(plugin.Name))
		}
	}
	switch {
	case p.Scheme == "" || slices.Contains(p.Also, ""):
		return errors.New("a scheme without a name")
	case s.Pair == schemes.Pair{}:
		return errors.New("a table without a pair")
	case s.Load != 0 && !(s.Load >= leastLoad && s.Load <= 1):
		return fmt.Errorf("load is %v: it takes a number from %g to 1", s.Load, leastLoad)
	}
	r.rec.Points = append(r.rec.Points, p)
	return cmp.Or(atMost("capacity", s.Capacity, maxSlots), atMost("n", s.N, maxSlots), atMost("bytes", s.Bytes, maxSlots))
}

func (r *reader) phase(phase *Phase) error {
	if len(r.rec.Points) == 0 {
		return errors.New("a phase before the first point")
	}
	p := r.rec.Points[len(r.rec.Points)-1]
	if phase.Name == "" || slices.ContainsFunc(p.Phases, func(other *Phase) bool { return other.Name == phase.Name }) {
		return fmt.Errorf("a second phase named %s at one point, or one without a name", shorten(phase.Name))
	}
	p.Phases = append(p.Phases, phase)
	return cmp.Or(atMost("warmup", phase.Warmup, 1<<62), atMost("rate", phase.Rate, 1e15))
}

// current is the phase that is not over, nil if there is none.
func (r *reader) current() *Phase {
	if len(r.rec.Points) == 0 {
		return nil
	}
	phases := r.rec.Points[len(r.rec.Points)-1].Phases
	if len(phases) == 0 || phases[len(phases)-1].Ended != nil {
		return nil
	}
	return phases[len(phases)-1]
}

var errNoPhase = errors.New("it is not in a phase")

// item adds an item to the phase. Rounds never go back.
func (r *reader) item(item Item) error {
	phase := r.current()
	if phase == nil {
		return errNoPhase
	}
	if n := len(phase.Items); n > 0 && phase.Items[n-1].Round > item.Round {
		return fmt.Errorf("round %d after round %d", item.Round, phase.Items[n-1].Round)
	}
	phase.Items = append(phase.Items, item)
	return nil
}

func (r *reader) batch(l *batchLine) (err error) {
	b := &l.Batch
	for _, source := range []struct {
		name string
		to   *Source
		from *stream.Expression
	}{{"keys", &b.Keys, l.Keys}, {"values", &b.Values, l.Values}, {"ops", &b.Ops, l.Ops}} {
		if source.from == nil {
			continue
		}
		if *source.to, err = r.source(source.from, b.N); err != nil {
			return fmt.Errorf("%s: %w", source.name, err)
		}
	}
	l.Keys, l.Values, l.Ops = nil, nil, nil // the batch is part of the line, which would keep them
	if err := cmp.Or(b.check(), r.fits(b), r.item(Item{Round: l.Round, Batch: b})); err != nil {
		return err
	}
	r.rec.batches++
	r.rec.operations += b.N
	return nil
}

// source reads an expression of n numbers, or in a materialised recording the text.
func (r *reader) source(e *stream.Expression, n uint64) (Source, error) {
	if r.rec.Kind == Materialised {
		return Source{text: e.String()}, nil
	}
	s := e.Stream()
	if err := s.Check(); err != nil {
		return Source{}, err
	}
	if s.Len() != n {
		return Source{}, fmt.Errorf("n is %d, and it has %d numbers", n, s.Len())
	}
	return Source{stream: s}, nil
}

// known are the operations of batches.
var known = kernels.OpsOf(kernels.OnKeys, kernels.Mixed, kernels.OnTable)

// check checks a batch by itself.
func (b *Batch) check() error {
	for _, op := range b.Mixed {
		if !slices.Contains(engine.Keyed, op) {
			return fmt.Errorf("mixed: %w", nearest.Unknown("operation", op, engine.Keyed))
		}
	}
	for name := range b.Counts {
		if !slices.Contains(outcomes, name) {
			return nearest.Unknown("outcome", name, outcomes)
		}
	}
	switch {
	case !slices.Contains(known, b.Op):
		return nearest.Unknown("operation", b.Op, known)
	case b.wholeTable() && (b.N > 0 || !b.Keys.none()):
		return fmt.Errorf("%s has keys, and is of the whole table", b.Op)
	case !b.wholeTable() && b.Keys.none():
		return fmt.Errorf("a batch of %s without keys", b.Op)
	case b.Op == engine.Mix && b.Ops.none():
		return errors.New("a mixed batch without ops")
	case b.At < 0 || b.Took < 0:
		return fmt.Errorf("at is %d and took is %d: they take nanoseconds from 0 on", b.At, b.Took)
	}
	return cmp.Or(b.Check.check(), atMost("n", b.N, engine.MaxBatch), atMost("capacity", b.Capacity, engine.MaxBatch))
}

// maxOperations bounds all batches together, so that their operations can be counted.
const maxOperations = 1 << 62

// fits checks a batch against those before it.
func (r *reader) fits(b *Batch) error {
	if b.Number != r.rec.batches+1 {
		return fmt.Errorf("batch %d after batch %d", b.Number, r.rec.batches)
	}
	return atMost("the number of operations", r.rec.operations+b.N, maxOperations)
}

func (r *reader) contents(c *Contents) error {
	phase := r.current()
	if phase == nil {
		return errNoPhase
	}
	phase.Ended = c
	return c.Check.check()
}

func (r *reader) stopped(s *stopped) error {
	switch {
	case r.rec.Points == nil:
		return errors.New("stopped before the first point")
	case s.Why == "":
		return errors.New("stopped does not say why")
	}
	r.rec.Stopped = s.Why
	return nil
}

func (r *reader) end(e end) error {
	digest := digestText(r.hash)
	switch {
	case r.rec.Points == nil:
		return errors.New("it has no points")
	case e.Digest != digest:
		return fmt.Errorf("the digest of the file is %s, it says %s: it was damaged or changed", digest, shorten(e.Digest))
	case e.Batches != r.rec.batches || e.Operations != r.rec.operations:
		return errors.New("the numbers of batches and operations are not those of the file")
	}
	r.ended = true
	return nil
}

var errNoBatch = errors.New("it is cut off before the first batch")

// finish says what is missing at the end of the text. What a recording that was cut off
// still has is whole.
func (r *reader) finish() error {
	if r.ended {
		return nil
	}
	if r.rec.batches == 0 {
		return errNoBatch
	}
	r.rec.Cut = fmt.Sprintf("it is cut off after batch %d", r.rec.batches)
	return nil
}

package record

import (
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// maxOperations bounds all batches together, so that they can be counted.
const maxOperations = 1 << 62

func (p *parser) batch(l line) error {
	_, phase, err := p.current(l)
	if err != nil {
		return err
	}
	b := &Batch{}
	item := Item{Batch: b}
	if item.Round, err = l.number("round", math.MaxUint64); err != nil {
		return err
	}
	if err := b.numbers(l); err != nil {
		return err
	}
	if err := b.texts(l); err != nil {
		return err
	}
	if err := p.fits(b); err != nil {
		return err
	}
	if p.rec.Kind == Recipe {
		if err := p.expressions(b); err != nil {
			return err
		}
	}
	p.rec.batches++
	p.rec.operations += b.N
	return errors.Join(phase.add(item), p.only(l, slices.Concat(batchFields, outcomes)...))
}

var batchFields = []string{"number", "op", "n", "capacity", "round", "warmup", "keys", "values", "ops", "mixed",
	"input", "check", "result", "at", "took"}

func (b *Batch) numbers(l line) (err error) {
	for name, to := range map[string]*uint64{"number": &b.Number, "n": &b.N, "capacity": &b.Capacity} {
		if *to, err = l.number(name, engine.MaxBatch); err != nil {
			return err
		}
	}
	if b.At, err = nanoseconds(l, "at"); err != nil {
		return err
	}
	if b.Took, err = nanoseconds(l, "took"); err != nil {
		return err
	}
	b.Counts = map[string]uint64{}
	for _, name := range outcomes {
		n, err := l.number(name, math.MaxUint64)
		if err != nil {
			return err
		}
		if n > 0 {
			b.Counts[name] = n
		}
	}
	return nil
}

func (b *Batch) texts(l line) (err error) {
	if b.Warmup, err = l.is("warmup"); err != nil {
		return err
	}
	if b.Check, err = checkOf(l); err != nil {
		return err
	}
	b.Op, b.Keys, b.Values, b.Ops = l.get("op"), l.get("keys"), l.get("values"), l.get("ops")
	b.Input, b.Result = l.get("input"), l.get("result")
	if mixed := l.get("mixed"); mixed != "" {
		b.Mixed = strings.Split(mixed, ",")
	}
	for _, op := range b.Mixed {
		if !slices.Contains(engine.Keyed, op) {
			return fmt.Errorf("mixed: %w", nearest.Unknown("operation", op, engine.Keyed))
		}
	}
	if !slices.Contains(known, b.Op) {
		return nearest.Unknown("operation", b.Op, known)
	}
	return nil
}

// fits holds a batch against those before it.
func (p *parser) fits(b *Batch) error {
	switch {
	case b.Number != p.rec.batches+1:
		return fmt.Errorf("batch %d after batch %d", b.Number, p.rec.batches)
	case p.rec.operations+b.N > maxOperations:
		return fmt.Errorf("more than %d operations", uint64(maxOperations))
	case b.wholeTable() && (b.N > 0 || b.Keys != ""):
		return fmt.Errorf("%s has keys, and is of the whole table", b.Op)
	case !b.wholeTable() && b.Keys == "":
		return fmt.Errorf("a batch of %s without keys", b.Op)
	case b.Op == engine.Mix && b.Ops == "":
		return errors.New("a mixed batch without ops")
	}
	return nil
}

// expressions reads the streams, each of which has a number for each operation.
func (p *parser) expressions(b *Batch) error {
	for i, text := range []string{b.Keys, b.Values, b.Ops} {
		if text == "" {
			continue
		}
		s, err := p.stream(text)
		if err != nil {
			return fmt.Errorf("%s: %w", batchFields[6+i], err)
		}
		if s.Len() != b.N {
			return fmt.Errorf("%s: n is %d, and it has %d numbers", batchFields[6+i], b.N, s.Len())
		}
		b.streams[i] = s
	}
	return nil
}

// stream reads an expression, or finds that it was read: batches repeat each other's.
func (p *parser) stream(text string) (stream.Stream, error) {
	if s, ok := p.parsed[text]; ok {
		return s, nil
	}
	s, err := stream.Parse(text)
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return s, err
	}
	const most = 256
	if len(p.parsed) >= most {
		clear(p.parsed)
	}
	p.parsed[text] = s
	return s, nil
}

func keysOf[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

// hashOf is the XXH3-128 of a text.
func hashOf(text string) string {
	sum := xxh3.HashString128(text).Bytes()
	return hex.EncodeToString(sum[:])
}

func digestText(h *xxh3.Hasher) string {
	sum := h.Sum128().Bytes()
	return hex.EncodeToString(sum[:])
}

// Package record records runs and replays them: on the same scheme or others, on another device, without the script.
//
// A recording is NDJSON (docs/recordings.md): a header, and for every table its shape, the batches that it got, in
// order, and their outcomes. In a recipe, a batch has the expressions that generate its numbers. A materialized
// recording is a Parquet file with the numbers as columns and the same lines in its metadata.
//
// model.go has the types of the lines, each with its check; reader makes a Recording of lines; Recorder listens to a
// run and writes one; Replay.Start is a run.Script that repeats one; Checker compares a replay with its recording.
//
// Recordings are not trusted: every size in a file is checked against a bound, or against the
// size of the file, before memory is allocated for it.
package record

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// Major and Minor are the version of the format. A reader refuses other major versions, and
// skips unknown fields of newer minor versions.
const (
	Major = 2
	Minor = 1
)

var format = fmt.Sprintf("%d.%d", Major, Minor)

// Kind says how a recording keeps the numbers of its batches.
type Kind string

// The kinds of recordings.
const (
	Recipe       Kind = "recipe"       // as expressions
	Materialised Kind = "materialised" // as columns
)

// Recording is a recording that was read.
type Recording struct {
	Header
	Points  []*Point
	Stopped string // why the run ended early; empty if it did not
	Cut     string // why the file is not whole; empty if it is

	Batches, Operations uint64 // of all points

	path    string
	columns *columnFile // of a materialized recording
}

// lines yields all lines after the header, in order, each with its point.
func (r *Recording) lines(yield func(*Point, line) bool) {
	for _, p := range r.Points {
		list := []line{{Point: p}}
		for _, phase := range p.Phases {
			list = append(append(list, line{Phase: phase}), phase.Items...)
			if phase.Ended != nil {
				list = append(list, line{Contents: phase.Ended})
			}
		}
		for _, l := range list {
			if !yield(p, l) {
				return
			}
		}
	}
}

// Header describes the origin of a recording.
type Header struct {
	Format     string   `json:"format"` // MAJOR.MINOR
	Kind       Kind     `json:"kind"`
	Version    string   `json:"version,omitempty"` // of the program
	Revision   string   `json:"revision,omitempty"`
	Generators uint64   `json:"generators"` // versions, as in results.Build
	Digests    uint64   `json:"digests"`
	Seed       uint64   `json:"seed"`
	Device     string   `json:"device,omitempty"` // for the reader
	Started    string   `json:"started,omitempty"`
	Script     Script   `json:"script,omitzero"`
	Options    []Option `json:"options,omitempty"`
}

// Script is the origin of the batches, for the reader: a replay needs no script.
type Script struct {
	Name   string `json:"name,omitempty"`
	Hash   string `json:"hash,omitempty"` // XXH3-128 of the source
	Source string `json:"source,omitempty"`
}

// Option is the value of a script's option.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (h *Header) build() {
	b := results.ThisBuild()
	h.Format = format
	h.Version, h.Revision = b.Version, b.Revision
	h.Generators, h.Digests = uint64(b.Generators), uint64(b.Digests)
}

// check reports whether this program can make the recorded numbers.
func (h *Header) check() error {
	switch {
	case h.Kind != Recipe && h.Kind != Materialised:
		return fmt.Errorf("kind is %s, allowed are %s and %s", nearest.Quoted(string(h.Kind)), Recipe, Materialised)
	case h.Seed > number.MaxSeed:
		return number.NotSeed(fmt.Sprint(h.Seed))
	case h.Script.Source != "" && hashOf(h.Script.Source) != h.Script.Hash:
		return fmt.Errorf("the script is not the one that was recorded: its hash is %s instead of %s", hashOf(h.Script.Source), nearest.Quoted(h.Script.Hash))
	case h.Kind == Recipe && h.Generators != kernels.GeneratorVersion:
		return fmt.Errorf("its batches are made by generators of version %d, this program has %d; hint: materialize it with a program that has version %[1]d",
			h.Generators, kernels.GeneratorVersion)
	}
	return nil
}

// comparable reports whether digests mean the same in this program.
func (h *Header) comparable() bool { return h.Digests == kernels.DigestVersion }

// Point is one table, at a point on the script's axes. Other schemes may have run beside it.
type Point struct {
	At      run.Point     `json:"at,omitempty"`
	Scheme  string        `json:"scheme"` // as on the command line
	Shape   schemes.Shape `json:"shape"`
	Also    []string      `json:"also,omitempty"` // the other schemes
	Plugins []PluginOf    `json:"plugins,omitempty"`
	Phases  []*Phase      `json:"-"`
}

// PluginOf is the digest of the plugin that a scheme was loaded from.
type PluginOf struct {
	Name string `json:"scheme"`
	Hash string `json:"hash"`
}

// Bounds of a table, so that its bytes can be counted.
const (
	maxSlots  = 1 << 48
	leastLoad = 1e-4
)

func (p *Point) check() error {
	s := p.Shape
	for _, c := range p.At {
		switch c.Value.(type) {
		case float64, bool, string:
		default:
			return fmt.Errorf("%s is %v: it takes a number, true, false, or a text", c.Name, c.Value)
		}
	}
	for _, plugin := range p.Plugins {
		if plugin.Hash == "" || p.settings(plugin.Name) == nil {
			return fmt.Errorf("plugin %s has no hash, or is not a scheme of the point", nearest.Quoted(plugin.Name))
		}
	}
	switch {
	case slices.Contains(p.schemes(), ""):
		return errors.New("a scheme without a name")
	case s.Pair == schemes.Pair{}:
		return errors.New("a table without a pair")
	case s.Load != 0 && !(s.Load >= leastLoad && s.Load <= 1):
		return fmt.Errorf("load is %v: it takes a number from %g to 1", s.Load, leastLoad)
	}
	return cmp.Or(atMost("capacity", s.Capacity, maxSlots), atMost("n", s.N, maxSlots), atMost("bytes", s.Bytes, maxSlots))
}

func (p *Point) schemes() []string { return append([]string{p.Scheme}, p.Also...) }

func (p *Point) batches() []*Batch {
	items := slices.Concat(lists.Map(p.Phases, func(phase *Phase) []line { return phase.Items })...)
	all := lists.Map(items, func(item line) *Batch { return item.Batch })
	return slices.DeleteFunc(all, func(b *Batch) bool { return b == nil })
}

// Operations counts the batches of each operation. A mixed batch counts for all of its operations.
func (p *Point) Operations() map[string]int {
	all := map[string]int{}
	for _, b := range p.batches() {
		for _, op := range b.all() {
			all[op]++
		}
	}
	return all
}

// Phase is prepare or a stage.
type Phase struct {
	Name   string    `json:"name"`
	Warmup uint64    `json:"warmup,omitempty"` // calls of event that were not measured
	Rate   float64   `json:"rate,omitempty"`
	Items  []line    `json:"-"` // batches and clears
	Ended  *Contents `json:"-"` // the table at the end; nil if the run was stopped before
}

// round is the number of the call of event that made the batch or clear.
func (l line) round() uint64 {
	if l.Batch != nil {
		return l.Batch.Round
	}
	return l.Clear.Round
}

// Clear means that the table was emptied.
type Clear struct {
	Round  uint64 `json:"round,omitempty"`
	Reseed bool   `json:"reseed,omitempty"` // with other hash functions
}

// Batch is a batch and its outcome.
type Batch struct {
	Number   uint64            `json:"number"` // in the recording, from 1 on
	Op       string            `json:"op"`
	N        uint64            `json:"n,omitempty"`
	Capacity uint64            `json:"capacity,omitempty"` // of a resize
	Warmup   bool              `json:"warmup,omitempty"`
	Input    string            `json:"input,omitempty"`  // digest
	Counts   map[string]uint64 `json:"counts,omitempty"` // outcomes, without those that are 0
	Result   string            `json:"result,omitempty"` // digest
	Check    Check             `json:"check,omitempty"`
	At       time.Duration     `json:"at,omitempty"`   // its start, from the start of its phase
	Took     time.Duration     `json:"took,omitempty"` // its device time
	Mixed    []string          `json:"mixed,omitempty"`
	Round    uint64            `json:"round,omitempty"`
	Keys     *Source           `json:"keys,omitempty"`
	Values   *Source           `json:"values,omitempty"`
	Ops      *Source           `json:"ops,omitempty"`

	rows int // of a materialized recording: the index of the row group
}

// known are the operations of batches.
var known = kernels.OpsOf(kernels.OnKeys, kernels.Mixed, kernels.OnTable)

func (b *Batch) check(kind Kind) error {
	for i, source := range []*Source{b.Keys, b.Values, b.Ops} {
		if err := source.check(kind, b.N); err != nil {
			return fmt.Errorf("%s: %w", []string{"keys", "values", "ops"}[i], err)
		}
	}
	for _, op := range b.Mixed {
		if err := nearest.Check("operation", op, engine.Keyed); err != nil {
			return fmt.Errorf("mixed: %w", err)
		}
	}
	for name := range b.Counts {
		if err := nearest.Check("outcome", name, outcomes); err != nil {
			return err
		}
	}
	switch {
	case !slices.Contains(known, b.Op):
		return nearest.Unknown("operation", b.Op, known)
	case b.wholeTable() && (b.N > 0 || b.Keys != nil):
		return fmt.Errorf("%s is of the whole table, but has keys", b.Op)
	case !b.wholeTable() && b.Keys == nil:
		return fmt.Errorf("a batch of %s without keys", b.Op)
	case b.Op == engine.Mix && b.Ops == nil:
		return errors.New("a mixed batch without ops")
	case b.At < 0 || b.Took < 0:
		return fmt.Errorf("at is %d and took is %d: they take nanoseconds from 0 on", b.At, b.Took)
	}
	return cmp.Or(b.Check.check(), atMost("n", b.N, engine.MaxBatch), atMost("capacity", b.Capacity, engine.MaxBatch))
}

// String names a batch in messages: batch 7 (find 1000).
func (b *Batch) String() string { return fmt.Sprintf("batch %d (%s %d)", b.Number, b.Op, b.N) }

func (b *Batch) wholeTable() bool { return slices.Contains(schemes.TableOps, b.Op) }

// all lists the operation of a batch and those that are mixed in it.
func (b *Batch) all() []string { return append([]string{b.Op}, b.Mixed...) }

// Source is the origin of keys, values or operations: an expression, or a column with its label.
type Source struct {
	stream.Expression
	made stream.Stream
}

// column is the kind of expression that stands for a column.
const column = "column"

func columnSource(label string) *Source {
	return &Source{Expression: stream.Expression{Kind: column, Label: label}}
}

// sourceOf returns nil without a stream.
func sourceOf(s engine.Stream) *Source {
	if s == nil {
		return nil
	}
	if made, ok := s.(stream.Stream); ok && len(made.Sources()) == 0 {
		e, _ := made.Expression()
		return &Source{e, made}
	}
	return columnSource(s.String())
}

// check makes the stream of an expression, which must have n numbers.
func (s *Source) check(kind Kind, n uint64) error {
	if s == nil || kind == Materialised {
		return nil
	}
	s.made = s.Stream()
	if err := s.made.Check(); err != nil {
		return err
	}
	if s.made.Len() != n {
		return fmt.Errorf("n is %d, and it has %d numbers", n, s.made.Len())
	}
	s.Expression, _ = s.made.Expression()
	return nil
}

func (s *Source) engine() engine.Stream {
	if s == nil {
		return nil
	}
	return s.made
}

// String describes the source; it is empty without one.
func (s *Source) String() string {
	if s == nil {
		return ""
	}
	return s.Expression.String()
}

// Contents is the number and the digest of a table's pairs.
type Contents struct {
	Pairs  uint64 `json:"pairs"`
	Digest string `json:"digest,omitempty"`
	Check  Check  `json:"check,omitempty"`
}

var outcomes = kernels.Outcomes[1:]

func outcomeCounts(s engine.Sample) map[string]uint64 {
	counts := map[string]uint64{}
	for _, name := range outcomes {
		if n := s.Counts.Get(name); n > 0 {
			counts[name] = n
		}
	}
	return counts
}

func countsText(counts map[string]uint64) string {
	some := lists.Filter(outcomes, func(name string) bool { return counts[name] > 0 })
	parts := lists.Map(some, func(name string) string { return fmt.Sprintf("%s %d", name, counts[name]) })
	return cmp.Or(strings.Join(parts, ", "), "nothing")
}

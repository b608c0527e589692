package record

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// The version of the format. A reader refuses other major versions. It skips what it does
// not know in newer minor ones.
const (
	Major = 2
	Minor = 0
)

var format = fmt.Sprintf("%d.%d", Major, Minor)

// Kind says how a recording keeps the numbers of its batches.
type Kind string

// The kinds of recordings.
const (
	Recipe       Kind = "recipe"       // as expressions
	Materialised Kind = "materialised" // as columns
)

// Header says where a recording comes from.
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

// Script is where the batches come from, for the reader: a replay needs no script.
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

// Recording is a recording that was read.
type Recording struct {
	Header
	Points  []*Point
	Stopped string // why the run ended early; empty if it did not
	Cut     string // why the file is not whole; empty if it is

	batches, operations uint64
	columns             *columnFile // of a materialised recording
}

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

// ranOn says whether a scheme was part of the point.
func (p *Point) ranOn(name string) bool {
	return slices.ContainsFunc(p.schemes(), func(scheme string) bool {
		scheme, _, _ = strings.Cut(scheme, ":")
		return scheme == name
	})
}

// schemes are those of the point, the recorded one first.
func (p *Point) schemes() []string { return append([]string{p.Scheme}, p.Also...) }

// Phase is prepare or a stage.
type Phase struct {
	Name   string    `json:"name"`
	Warmup uint64    `json:"warmup,omitempty"` // calls of event that were not measured
	Rate   float64   `json:"rate,omitempty"`
	Items  []Item    `json:"-"`
	Ended  *Contents `json:"-"` // the table at the end; nil if the run was stopped before
}

// Item is a batch, or that the table was emptied.
type Item struct {
	Round  uint64 // number of the call of event
	Batch  *Batch
	Reseed bool // emptied, with other hash functions
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

	Keys   Source `json:"-"`
	Values Source `json:"-"`
	Ops    Source `json:"-"`

	rows int // of a materialised recording: the index of the record batch
}

// Source says where a batch's keys, values or operations come from: an expression makes
// them, or they are in a column, which a text describes.
type Source struct {
	stream stream.Stream
	text   string
}

func sourceOf(s engine.Stream) Source {
	if s == nil {
		return Source{}
	}
	if expression, ok := s.(stream.Stream); ok {
		return Source{stream: expression}
	}
	return Source{text: s.String()}
}

func (s Source) none() bool { return s == Source{} }

// engine is the stream of an expression, nil if there is none.
func (s Source) engine() engine.Stream {
	if s.stream.Err() != nil {
		return nil
	}
	return s.stream
}

// String describes the source; it is empty if there is none.
func (s Source) String() string {
	if s.text != "" || s.none() {
		return s.text
	}
	return s.stream.String()
}

// Contents is a digest of a table's pairs.
type Contents struct {
	Pairs  uint64 `json:"pairs"`
	Digest string `json:"digest,omitempty"`
	Check  Check  `json:"check,omitempty"`
}

// Batches is the number of batches.
func (r *Recording) Batches() uint64 { return r.batches }

// Operations is the number of operations of all batches.
func (r *Recording) Operations() uint64 { return r.operations }

// Missing says how far the recording goes, if it does not have all of a run.
func (r *Recording) Missing() string {
	if r.Stopped == "" || r.Cut != "" {
		return r.Cut
	}
	where := ""
	if p := r.Points[len(r.Points)-1]; len(p.Phases) > 0 {
		where = fmt.Sprintf(", in phase %s%s", p.Phases[len(p.Phases)-1].Name, at(p.At))
	}
	return fmt.Sprintf("the run ended early, after batch %d%s: %s", r.batches, where, r.Stopped)
}

// build sets the versions of the running program.
func (h *Header) build() {
	b := results.ThisBuild()
	h.Format = format
	h.Version, h.Revision = b.Version, b.Revision
	h.Generators, h.Digests = uint64(b.Generators), uint64(b.Digests)
}

// check says whether this program can make the recorded numbers.
func (h Header) check() error {
	if h.Script.Source != "" && hashOf(h.Script.Source) != h.Script.Hash {
		return fmt.Errorf("the script is not the one that was recorded: its hash is %s instead of %s", hashOf(h.Script.Source), shorten(h.Script.Hash))
	}
	if h.Kind == Recipe && h.Generators != kernels.GeneratorVersion {
		return fmt.Errorf("its batches are made by generators of version %d, this program has %d; hint: materialise it with a program that has those",
			h.Generators, kernels.GeneratorVersion)
	}
	return nil
}

// comparable says whether digests mean the same in this program.
func (h Header) comparable() bool { return h.Digests == kernels.DigestVersion }

// String names a batch in messages: batch 7 (find 1000).
func (b *Batch) String() string { return fmt.Sprintf("batch %d (%s %d)", b.Number, b.Op, b.N) }

// wholeTable says whether a batch has no keys.
func (b *Batch) wholeTable() bool { return slices.Contains(schemes.TableOps, b.Op) }

// outcomes are the counts that recordings keep.
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

// countsText lists counts in the kernels' order.
func countsText(counts map[string]uint64) string {
	var parts []string
	for _, name := range outcomes {
		if n := counts[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, n))
		}
	}
	if parts == nil {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// Operations counts the batches of each operation. A mixed batch counts for all of its
// operations.
func (p *Point) Operations() map[string]int {
	all := map[string]int{}
	for _, b := range p.batches() {
		for _, op := range append([]string{b.Op}, b.Mixed...) {
			all[op]++
		}
	}
	return all
}

// batches are those of all phases.
func (p *Point) batches() (list []*Batch) {
	for _, phase := range p.Phases {
		for _, item := range phase.Items {
			if item.Batch != nil {
				list = append(list, item.Batch)
			}
		}
	}
	return list
}

// each calls f for all items, in order.
func (r *Recording) each(f func(*Point, *Phase, Item)) {
	for _, p := range r.Points {
		for _, phase := range p.Phases {
			for _, item := range phase.Items {
				f(p, phase, item)
			}
		}
	}
}

// lines calls f with the lines after the header, in order, as a recording of some kind has
// them. The batch is that of the line, if it has one.
func (r *Recording) lines(kind Kind, f func(l line, p *Point, b *Batch) error) error {
	for _, p := range r.Points {
		if err := f(line{Point: p}, p, nil); err != nil {
			return err
		}
		for _, phase := range p.Phases {
			if err := f(line{Phase: phase}, p, nil); err != nil {
				return err
			}
			for _, item := range phase.Items {
				if err := f(item.line(kind), p, item.Batch); err != nil {
					return err
				}
			}
			if phase.Ended == nil {
				continue
			}
			if err := f(line{Contents: phase.Ended}, p, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

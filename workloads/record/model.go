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

// The version of the format. A reader takes older minor versions of its major one, and
// newer ones, of which it passes over what it does not know.
const (
	Major = 1
	Minor = 1
)

// Kind is how a recording has the numbers of its batches.
type Kind string

// The kinds of recordings.
const (
	Recipe       Kind = "recipe"       // as expressions
	Materialised Kind = "materialised" // as they are
)

// Header is where a recording comes from.
type Header struct {
	Minor      uint64
	Kind       Kind
	Version    string // of the program
	Revision   string
	Generators uint64 // versions, as in results.Build
	Digests    uint64
	Seed       uint64
	Device     string // for the reader: what it was recorded on
	Started    string
	Script     Script
	Options    []Option
}

// Script is where the batches come from, for the reader: a replay needs no script.
type Script struct {
	Name   string
	Hash   string // XXH3-128 of the source
	Source string
}

// Option is a value that was in force for the script.
type Option struct{ Name, Value string }

// Recording is a recording that was read.
type Recording struct {
	Header
	Points  []*Point
	Stopped string // why the run ended before it was done; empty if it did not
	Cut     string // why the file is not whole; empty if it is

	batches, operations uint64
	columns             *columnFile // of a materialised recording
}

// Point is what was done to one table, at a point on the script's axes. Other schemes may
// have run beside it.
type Point struct {
	At     run.Point
	Scheme string // as on the command line
	Also   []string
	// Plugins are those of the schemes that were loaded.
	Plugins []PluginOf
	Shape   schemes.Shape
	Phases  []*Phase
}

// PluginOf is the digest of the plugin that a scheme was from.
type PluginOf struct{ Name, Hash string }

// ranOn says whether a scheme was on the point.
func (p *Point) ranOn(name string) bool {
	return slices.ContainsFunc(append([]string{p.Scheme}, p.Also...), func(scheme string) bool {
		scheme, _, _ = strings.Cut(scheme, ":")
		return scheme == name
	})
}

// Phase is prepare or a stage.
type Phase struct {
	Name   string
	Warmup uint64 // calls of event that were not measured
	Rate   float64
	Items  []Item
	Ended  *Contents // what the table held then; nil if the run was stopped before
}

// Item is something that was done to the table: a batch, or it was emptied.
type Item struct {
	Round  uint64 // number of the call of event
	Batch  *Batch
	Reseed bool // emptied, with other hash functions
}

// Batch is a batch and what came of it.
type Batch struct {
	Number   uint64 // in the recording, from 1 on
	Op       string
	N        uint64
	Warmup   bool
	At       time.Duration // when it began, after its phase did
	Took     time.Duration // its device time
	Keys     string        // expressions
	Values   string
	Ops      string
	Mixed    []string
	Capacity uint64 // of a resize
	Input    string // digests
	Result   string
	Counts   map[string]uint64 // outcomes, without those that are 0
	Check    Check

	streams [3]stream.Stream // of a recipe: keys, values, ops
	rows    int              // of a materialised recording: the record batch
}

// Contents is what was in a table.
type Contents struct {
	Pairs  uint64
	Digest string
	Check  Check
}

// Batches is how many batches the recording has.
func (r *Recording) Batches() uint64 { return r.batches }

// Missing says how far the recording goes, if it is not all of a run.
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

// Operations is how many operations its batches have together.
func (r *Recording) Operations() uint64 { return r.operations }

// Build is the versions of the running program that recordings depend on.
func (h *Header) build() {
	b := results.ThisBuild()
	h.Version, h.Revision = b.Version, b.Revision
	h.Generators, h.Digests = uint64(b.Generators), uint64(b.Digests)
}

// check says whether this program makes the same numbers as the one that recorded.
func (h Header) check() error {
	if h.Kind == Recipe && h.Generators != kernels.GeneratorVersion {
		return fmt.Errorf("its batches are made by generators of version %d, this program has %d; hint: materialise it with a program that has those",
			h.Generators, kernels.GeneratorVersion)
	}
	return nil
}

// comparable says whether digests mean the same here.
func (h Header) comparable() bool { return h.Digests == kernels.DigestVersion }

// String is a batch in messages: batch 7 (find 1000).
func (b *Batch) String() string { return fmt.Sprintf("batch %d (%s %d)", b.Number, b.Op, b.N) }

// wholeTable says whether a batch has no keys.
func (b *Batch) wholeTable() bool { return slices.Contains(schemes.TableOps, b.Op) }

// takesValues says whether the batch has values.
func (b *Batch) takesValues() bool { return b.Values != "" }

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

// Operations are those of a point's batches, each with how many batches it has. Those of a
// mixed batch are there, too.
func (p *Point) Operations() map[string]int {
	all := map[string]int{}
	for _, b := range p.batches() {
		for _, op := range append([]string{b.Op}, b.Mixed...) {
			all[op]++
		}
	}
	return all
}

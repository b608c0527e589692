package record

import (
	"fmt"
	"os"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// Recorder is a listener that writes what the first scheme of a run is asked, and gives: the
// first that was not left out from the start. Of the others it writes the names: their
// input is the same, and so is what they give, as far as the input determines it.
// The plan of the run must ask for digests.
type Recorder struct {
	path   string
	header Header
	dev    device.Device
	out    *writer
	sure   certainty
	first  int
	failed error
}

// NewRecorder begins a recording in a file. Of a kind that is a recipe it becomes a
// materialised one at the first batch whose numbers no expression makes.
func NewRecorder(path string, header Header, dev device.Device) (*Recorder, error) {
	header.build()
	if header.Script.Source != "" {
		header.Script.Hash = hashOf(header.Script.Source)
	}
	r := &Recorder{path: path, header: header, dev: dev}
	return r, r.open()
}

// open makes the file and writes the header.
func (r *Recorder) open() error {
	file, err := os.Create(r.path)
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	to := sink(newTextSink(file))
	if r.header.Kind == Materialised {
		to = newArrowSink(file)
	}
	r.out = newWriter(to)
	for _, text := range r.header.lines() {
		if err := r.out.add(text, 0, "", nil); err != nil {
			return err
		}
	}
	return nil
}

// Hear writes an event of the first scheme.
func (r *Recorder) Hear(e run.Event) error {
	if r.failed == nil {
		if err := r.hear(e); err != nil {
			r.failed = fmt.Errorf("recording %s: %w", r.path, err)
		}
	}
	return r.failed
}

func (r *Recorder) hear(e run.Event) error {
	switch e := e.(type) {
	case run.PointBegan:
		r.sure = certainty{}
		r.first = slices.IndexFunc(e.Schemes, func(name string) bool { return name != "" })
		return r.begin(e)
	case run.PhaseBegan:
		return r.line(phaseLine(e.Stage), e.Name)
	case run.Cleared:
		if e.Scheme == r.first {
			r.sure = certainty{}
			return r.line(clearLine(e.Round, e.Reseed), "")
		}
	case run.Measured:
		if e.Scheme == r.first {
			return r.batch(e)
		}
	case run.PhaseEnded:
		c := e.Contents[r.first]
		return r.line(Contents{c.N, c.Digest, r.sure.table}.line(), "")
	case run.Parted:
		if e.Scheme == r.first && e.Why.Phase != "" {
			return fmt.Errorf("scheme %s is recorded, and is left out: %s; record another one, named with --schemes", e.Why.Scheme, e.Why.Reason)
		}
	}
	return nil
}

func (r *Recorder) begin(e run.PointBegan) error {
	p := Point{At: e.Point, Scheme: e.Schemes[r.first], Shape: e.Shapes[r.first]}
	for _, scheme := range e.Schemes[r.first+1:] {
		if scheme != "" {
			p.Also = append(p.Also, scheme)
		}
	}
	for _, plugin := range schemes.Plugins() {
		if p.ranOn(plugin.Name) {
			p.Plugins = append(p.Plugins, PluginOf{plugin.Name, plugin.Hash})
		}
	}
	for _, text := range p.lines() {
		if err := r.line(text, ""); err != nil {
			return err
		}
	}
	return nil
}

func (r *Recorder) line(text, phase string) error { return r.out.add(text, 0, phase, nil) }

func (r *Recorder) batch(e run.Measured) error {
	if r.header.Kind == Recipe && !regenerates(e.Batch) {
		if err := r.materialise(); err != nil {
			return err
		}
	}
	check, err := r.sure.batch(e.Sample, e.Batch, e.Input)
	if err != nil {
		return err
	}
	b := &Batch{
		Number: r.out.batches + 1, Op: e.Batch.Op, N: e.Sample.N, Warmup: e.Warmup, At: e.At, Took: e.Sample.Service,
		Keys: text(e.Batch.Keys), Values: text(e.Batch.Values), Ops: text(e.Batch.Ops), Mixed: e.Batch.Mixed,
		Capacity: e.Batch.Capacity, Input: e.Sample.Input, Result: e.Sample.Result, Counts: outcomeCounts(e.Sample), Check: check,
	}
	var numbers *engine.Columns
	if r.header.Kind == Materialised && e.Batch.Keys != nil {
		c, err := e.Input.Columns()
		if err != nil {
			return err
		}
		numbers = &c
	}
	return r.out.add(b.line(e.Round), b.N, "", numbers)
}

func text(s engine.Stream) string {
	if s == nil {
		return ""
	}
	return s.String()
}

// regenerates says whether expressions make all numbers of a batch.
func regenerates(b engine.Batch) bool {
	for _, s := range []engine.Stream{b.Keys, b.Values, b.Ops} {
		if s == nil {
			continue
		}
		if expression, ok := s.(stream.Stream); !ok || len(expression.Sources()) > 0 {
			return false
		}
	}
	return true
}

// Stopped writes why the run ended before it was done. Nothing but Close may follow.
func (r *Recorder) Stopped(why string) error {
	if r.failed == nil && r.out.points > 0 {
		return r.line(stoppedLine(why), "")
	}
	return nil
}

// Close writes the end of the recording.
func (r *Recorder) Close() error {
	if r.failed != nil {
		return r.out.sink.close() // what there is of it is cut off
	}
	if err := r.out.end(); err != nil {
		return fmt.Errorf("recording %s: %w", r.path, err)
	}
	return nil
}

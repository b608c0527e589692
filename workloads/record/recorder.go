package record

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/parquet"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Recorder is a listener that records the first scheme of a run that is not left out from the
// start, and names the others. Their input is the same, and so are their results as far as the
// input determines them. The plan of the run must ask for digests.
type Recorder struct {
	path   string
	header Header
	dev    device.Device
	out    *writer
	points int
	sure   certainty
	first  int
	early  bool // the run ended early
	failed error
}

// NewRecorder begins a recording, which is materialized at the first batch that no expression generates.
func NewRecorder(path string, header Header, dev device.Device) (*Recorder, error) {
	header.build()
	if s := &header.Script; s.Source != "" {
		s.Source = strings.ToValidUTF8(s.Source, "\uFFFD")
		s.Hash = hashOf(s.Source)
	}
	out, err := create(path, header)
	if err != nil {
		return nil, err
	}
	return &Recorder{path: path, header: header, dev: dev, out: out}, nil
}

// Hear records an event.
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
		return r.begin(e)
	case run.PhaseBegan:
		return r.out.add(line{Phase: &Phase{Name: e.Name, Warmup: e.Stage.Warmup, Rate: e.Stage.Rate}}, nil)
	case run.Cleared:
		if e.Scheme == r.first {
			r.sure = certainty{}
			return r.out.add(line{Clear: &Clear{e.Round, e.Reseed}}, nil)
		}
	case run.Measured:
		if e.Scheme == r.first {
			return r.batch(e)
		}
	case run.PhaseEnded:
		c := e.Contents[r.first]
		return r.out.add(line{Contents: &Contents{c.N, c.Digest, r.sure.table}}, nil)
	case run.Parted:
		if e.Scheme == r.first && e.Why.Phase != "" {
			return fmt.Errorf("scheme %s is recorded, and is left out: %s; record another one, named with --schemes", e.Why.Scheme, e.Why.Reason)
		}
	}
	return nil
}

func (r *Recorder) begin(e run.PointBegan) error {
	r.points++
	r.sure = certainty{}
	r.first = slices.IndexFunc(e.Schemes, func(name string) bool { return name != "" })
	p := Point{At: e.Point, Scheme: e.Schemes[r.first], Shape: e.Shapes[r.first]}
	p.Also = lists.Filter(e.Schemes[r.first+1:], func(name string) bool { return name != "" })
	for _, plugin := range schemes.Plugins() {
		if p.settings(plugin.Name) != nil {
			p.Plugins = append(p.Plugins, PluginOf{plugin.Name, plugin.Hash})
		}
	}
	return r.out.add(line{Point: &p}, nil)
}

func (r *Recorder) batch(e run.Measured) (err error) {
	if r.sure, err = r.sure.after(e.Sample, e.Batch, e.Input); err != nil {
		return err
	}
	return r.add(&Batch{
		Number: r.out.Batches + 1, Round: e.Round, Op: e.Batch.Op, N: e.Sample.N, Warmup: e.Warmup, At: e.At, Took: e.Sample.Service,
		Keys: sourceOf(e.Batch.Keys), Values: sourceOf(e.Batch.Values), Ops: sourceOf(e.Batch.Ops), Mixed: e.Batch.Mixed,
		Capacity: e.Batch.Capacity, Input: e.Sample.Input, Result: e.Sample.Result, Counts: outcomeCounts(e.Sample), Check: r.sure.batch,
	}, e.Input)
}

func (r *Recorder) add(b *Batch, in *engine.Input) error {
	ofColumn := func(s *Source) bool { return s != nil && s.Kind == column } // which no expression makes
	if r.header.Kind == Recipe && slices.ContainsFunc([]*Source{b.Keys, b.Values, b.Ops}, ofColumn) {
		if err := r.materialize(); err != nil {
			return err
		}
	}
	return r.out.add(line{Batch: b}, in)
}

// materialize turns the recipe so far into a materialized recording: it generates its numbers again.
func (r *Recorder) materialize() error {
	if err := r.out.close(); err != nil {
		return err
	}
	recipe := r.out.out
	f, err := regular.Open(recipe.Path())
	if err != nil {
		return err
	}
	defer f.Close()
	soFar := newReader()
	soFar.rec.path = recipe.Path()
	if err := soFar.lines(f); err != nil && !errors.Is(err, errNoBatch) {
		return err
	}
	r.header.Kind = Materialised
	out, err := create(r.path, r.header)
	if err != nil {
		return err
	}
	r.out = out
	return cmp.Or(soFar.rec.each(r.dev, r.out.add), recipe.Discard())
}

// Stopped records why the run ended early. Nothing but Close may follow.
func (r *Recorder) Stopped(why string) error {
	r.early = true
	if r.failed == nil && r.points > 0 {
		return r.out.add(stoppedLine(why), nil)
	}
	return nil
}

// Close writes the end of the recording. One of a run that ended early replaces no other file.
func (r *Recorder) Close() error {
	if r.failed != nil {
		return r.out.close() // the recording is cut off
	}
	end := lists.Either(r.early, (*regular.Output).Keep, (*regular.Output).Commit)
	if err := cmp.Or(r.out.finish(), end(r.out.out)); err != nil {
		return fmt.Errorf("recording %s: %w", r.path, err)
	}
	return nil
}

// Output is the file of the recording.
func (r *Recorder) Output() *regular.Output { return r.out.out }

// writer writes lines, and counts what the last one says.
type writer struct {
	out     *regular.Output
	columns *parquet.Writer // of a materialized recording
	lines   strings.Builder // of it, which are written at last
	hash    *xxh3.Hasher
	end
}

// create begins a recording in a new file.
func create(path string, h Header) (*writer, error) {
	out, err := regular.Create(path)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	w, err := newWriter(out, h)
	if err != nil {
		_ = out.Discard()
		err = fmt.Errorf("recording %s: %w", path, err)
	}
	return w, err
}

func newWriter(out *regular.Output, h Header) (*writer, error) {
	w := &writer{out: out, hash: xxh3.New()}
	if h.Kind == Materialised {
		w.columns = parquet.NewWriter(out, columns)
	}
	return w, w.add(line{Recording: &h}, nil)
}

// add writes a line. Materialized recordings need the input of a batch. A line of a recipe is
// in the file before the next batch runs, so nothing is lost however the run ends.
func (w *writer) add(l line, in *engine.Input) error {
	if b := l.Batch; b != nil {
		w.Batches++
		w.Operations += b.N
		if w.columns != nil {
			made := *b
			for _, source := range []**Source{&made.Keys, &made.Values, &made.Ops} {
				if *source != nil {
					*source = columnSource((*source).String())
				}
			}
			l.Batch = &made
		}
	}
	text, err := l.encode()
	if err != nil {
		return err
	}
	w.hash.Write(text)
	if w.columns == nil {
		_, err = w.out.Write(text)
		return err
	}
	if w.lines.Write(text); l.Batch == nil || l.Batch.wholeTable() {
		return nil
	}
	return w.group(l.Batch, in)
}

func (w *writer) finish() error {
	w.Digest = hashText(w.hash.Sum128())
	return cmp.Or(w.add(line{End: &w.end}, nil), w.flush())
}

// close ends a recording that was cut off.
func (w *writer) close() error { return cmp.Or(w.flush(), w.out.Leave()) }

func (w *writer) flush() error {
	if w.columns == nil {
		return nil
	}
	return w.columns.Close(metaKey, w.lines.String())
}

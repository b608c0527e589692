package record

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/trace"
)

// Imported describes the recording that a trace becomes.
type Imported struct {
	Name   string // of the trace, for the reader
	Scheme schemes.Config
	Shape  schemes.Shape
	Batch  int // operations in a batch
}

// MaxImportBatch bounds the batches of a trace, which are made in memory.
const MaxImportBatch = 1 << 28

// Import makes a materialized recording of a trace, and returns the number of its batches.
// The operations of a batch run at once. The device digests them.
func Import(dev device.Device, from *trace.Reader, path string, opt Imported) (batches uint64, err error) {
	header := Header{Kind: Materialised, Script: Script{Name: opt.Name}, Started: time.Now().UTC().Format(time.RFC3339)}
	r, err := NewRecorder(path, header, dev)
	if err != nil {
		return 0, err
	}
	err = r.out.add(line{Point: &Point{Scheme: opt.Scheme.String(), Shape: opt.Shape}}, nil)
	if err == nil {
		err = r.out.add(line{Phase: &Phase{Name: "trace"}}, nil)
	}
	if err == nil {
		err = r.rows(from, opt)
	}
	if err == nil && r.out.Batches == 0 {
		err = fmt.Errorf("%s: the trace has no rows", opt.Name)
	}
	if err != nil {
		_ = r.out.out.Discard()
		return 0, err
	}
	return r.out.Batches, r.Close()
}

// rows reads all rows and writes them in batches.
func (r *Recorder) rows(from *trace.Reader, opt Imported) error {
	var keys, values, ops engine.List
	var mixed []string
	var at time.Duration
	write := func() error {
		all := engine.Batch{Op: mixed[0], Keys: keys}
		if len(mixed) > 1 {
			all = engine.Batch{Op: engine.Mix, Mixed: mixed, Keys: keys, Values: values, Ops: ops}
		} else if kernels.Op(all.Op).Value {
			all.Values = values
		}
		label := fmt.Sprintf("rows %d to %d", from.Rows()+1-uint64(len(keys)), from.Rows())
		keys, values, ops, mixed = nil, nil, nil, nil
		return r.imported(all, opt.Shape.Pair, at, label)
	}
	for row, err := range from.All() {
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			at = row.Time
		}
		mixed = lists.Add(mixed, row.Op)
		keys, values, ops = append(keys, row.Key), append(values, row.Value), append(ops, uint64(kernels.OpNumber(row.Op)))
		if len(keys) == opt.Batch {
			if err := write(); err != nil {
				return err
			}
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return write()
}

func (r *Recorder) imported(batch engine.Batch, pair schemes.Pair, at time.Duration, rows string) error {
	in, err := engine.Load(r.dev, pair, batch)
	if err != nil {
		return err
	}
	defer in.Release()
	number, source := r.out.Batches+1, columnSource(rows)
	b := &Batch{Number: number, Round: number, Op: batch.Op, N: in.N, At: at, Keys: source, Mixed: batch.Mixed, Input: in.Digest, Check: CheckLegal}
	if batch.Values != nil {
		b.Values = source
	}
	if batch.Ops != nil {
		b.Ops = source
	}
	return r.add(b, in)
}

// Verify generates every batch on a device and compares its input with the recorded digest.
func (r *Recording) Verify(dev device.Device) error {
	if !r.comparable() {
		return fmt.Errorf("recording %s: its digests are of version %d, and those of this program of another", r.path, r.Digests)
	}
	return r.each(dev, func(line, *engine.Input) error { return nil })
}

// intact compares the columns of a materialized recording with their digests, for answers
// that come from its lines. The digest of the lines was compared before.
func (r *Recording) intact() error {
	if r.columns == nil || !r.comparable() {
		return nil
	}
	dev, err := devices.Open("cpu", device.Options{})
	if err != nil {
		return err
	}
	return errors.Join(r.Verify(dev), dev.Close())
}

// each calls f with every line after the header, and with the input of a batch that has keys.
func (r *Recording) each(dev device.Device, f func(line, *engine.Input) error) error {
	for p, l := range r.lines {
		var err error
		if l.Batch == nil || l.Batch.wholeTable() {
			err = f(l, nil)
		} else if err = r.input(dev, p.Shape.Pair, l, f); err != nil {
			err = fmt.Errorf("recording %s: %v: %w", r.path, l.Batch, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// input generates a batch and compares its digest, before f gets it.
func (r *Recording) input(dev device.Device, pair schemes.Pair, l line, f func(line, *engine.Input) error) error {
	batch, err := r.batch(pair, l.Batch)
	if err != nil {
		return err
	}
	in, err := engine.Load(dev, pair, batch)
	if err != nil {
		return err
	}
	defer in.Release()
	if err := r.compare(l.Batch, in.Digest); err != nil {
		return err
	}
	return f(l, in)
}

// compare compares an input with the recorded digest, if there is one of this version.
func (r *Recording) compare(b *Batch, input string) error {
	if r.comparable() && b.Input != "" && input != b.Input {
		return fmt.Errorf("its input has the digest %s, recorded was %s", input, b.Input)
	}
	return nil
}

// ExportFormats names the formats of exports.
var ExportFormats = []string{"csv", "parquet"}

// Export writes all operations as rows: batch, op, key, value. As Parquet, these are a materialized recording.
func (r *Recording) Export(dev device.Device, path, format string) error {
	return regular.Write(path, func(file *regular.Output) error {
		if format == "parquet" {
			return r.exportParquet(dev, file)
		}
		out := bufio.NewWriterSize(file, 1<<20)
		return cmp.Or(r.exportCSV(dev, out), out.Flush())
	})
}

func (r *Recording) exportParquet(dev device.Device, file *regular.Output) error {
	header := r.Header
	header.Format, header.Kind = format, Materialised
	w, err := newWriter(file, header)
	if err == nil {
		err = r.each(dev, w.add)
	}
	if why := cmp.Or(r.Stopped, r.Cut); err == nil && why != "" {
		err = w.add(stoppedLine(why), nil)
	}
	return cmp.Or(err, w.finish())
}

func (r *Recording) exportCSV(dev device.Device, out io.Writer) error {
	if _, err := io.WriteString(out, "batch,op,key,value\n"); err != nil {
		return err
	}
	return r.each(dev, func(l line, in *engine.Input) error {
		if in == nil {
			return nil
		}
		c, err := in.Columns()
		if err != nil {
			return err
		}
		op, text := l.Batch.Op, []byte(nil)
		for i := range int(c.N) {
			if c.Ops != nil && int(c.Ops[i]) >= len(kernels.Ops) {
				return fmt.Errorf("operation %d has the unknown number %d", i, c.Ops[i])
			} else if c.Ops != nil {
				op = kernels.Ops[c.Ops[i]]
			}
			text = append(append(append(strconv.AppendUint(text[:0], l.Batch.Number, 10), ','), op...), ',')
			text = append(strconv.AppendUint(text, engine.Number(c.Keys, c.KeyWidth, i), 10), ',')
			if len(c.Values) > 0 {
				text = strconv.AppendUint(text, engine.Number(c.Values, c.ValueWidth, i), 10)
			}
			if _, err := out.Write(append(text, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

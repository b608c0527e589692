package record

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
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
	for err == nil {
		err = r.rows(from, opt)
	}
	if err == io.EOF && r.out.Batches == 0 {
		err = fmt.Errorf("%s: the trace has no rows", opt.Name)
	}
	if err != io.EOF {
		_ = r.out.out.Discard()
		return 0, err
	}
	return r.out.Batches, r.Close()
}

// rows reads the rows of a batch and writes it. After the last batch it returns io.EOF.
func (r *Recorder) rows(from *trace.Reader, opt Imported) error {
	all := engine.Batch{Op: engine.Mix}
	var keys, values, ops engine.List
	var at time.Duration
	first := from.Rows() + 1
	for len(keys) < opt.Batch {
		row, err := from.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			at = row.Time
		}
		if !slices.Contains(all.Mixed, row.Op) {
			all.Mixed = append(all.Mixed, row.Op)
		}
		keys, values, ops = append(keys, row.Key), append(values, row.Value), append(ops, uint64(kernels.OpNumber(row.Op)))
	}
	switch all.Keys = keys; {
	case len(keys) == 0:
		return io.EOF
	case len(all.Mixed) > 1:
		all.Values, all.Ops = values, ops
	default: // all operations are the same
		all.Op, all.Mixed = all.Mixed[0], nil
		if kernels.Op(all.Op).Value {
			all.Values = values
		}
	}
	return r.imported(all, opt.Shape.Pair, at, fmt.Sprintf("rows %d to %d", first, from.Rows()))
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

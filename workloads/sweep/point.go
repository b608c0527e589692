package sweep

import (
	"context"
	"errors"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// measure carries out a point on a device, and returns its results: they are whole, and get their name when they are
// committed.
func (f Folder) measure(ctx context.Context, p Point, name string, dev device.Device) (*regular.Output, error) {
	d, err := p.results(ctx, name, dev)
	if err != nil {
		return nil, err
	}
	out, err := regular.Create(f.run(p.Name))
	if err != nil {
		return nil, err
	}
	if err = results.WriteLines(out, d); err != nil {
		return nil, errors.Join(err, out.Discard())
	}
	return out, nil
}

// results runs the point on an open device with that name. Those of a scheme that lacks what the point takes have no rows.
func (p Point) results(ctx context.Context, name string, dev device.Device) (results.Document, error) {
	q := p.Request
	q.Device, q.Opened = name, dev
	d, err := q.Results(ctx)
	if lack := schemes.Lacking(err); lack != nil {
		out := results.LeftOut{Scheme: p.Config.String(), Point: p.Single.Point.Map(), Reason: lack.What}
		d = results.Document{Schema: results.Schema, Run: d.Run, LeftOut: []results.LeftOut{out}, End: results.End{Finished: time.Now()}}
		err = nil
	}
	if errors.Is(err, run.ErrThreshold) {
		err = nil
	}
	return d, err
}

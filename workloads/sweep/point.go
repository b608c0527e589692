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

// measure carries out a point on an open device with that name, and writes its results. Those of a scheme that lacks what
// the point takes have no rows.
func (f Folder) measure(ctx context.Context, p Point, name string, dev device.Device) error {
	q := p.Request
	q.Device, q.Opened = name, dev
	d, err := q.Results(ctx)
	if lack := schemes.Lacking(err); lack != nil {
		out := results.LeftOut{Scheme: p.Config.String(), Point: p.Single.Point.Map(), Reason: lack.What}
		d = results.Document{Schema: results.Schema, Run: d.Run, LeftOut: []results.LeftOut{out}, End: results.End{Finished: time.Now()}}
	} else if err != nil && !errors.Is(err, run.ErrThreshold) {
		return err
	}
	return regular.Write(f.run(p.Name), func(out *regular.Output) error { return results.WriteLines(out, d) })
}

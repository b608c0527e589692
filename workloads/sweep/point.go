package sweep

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// measure carries out a point on a device, and returns its results: they are whole, and get their name when they are
// committed.
func (f Folder) measure(ctx context.Context, p Point, name string, dev device.Device) (*regular.Output, error) {
	out, err := regular.Create(f.run(p.Name))
	if err != nil {
		return nil, err
	}
	about, ended := p.write(ctx, name, dev, out)
	if ended == nil || errors.Is(ended, run.ErrThreshold) {
		return out, nil
	}
	err = out.Discard()
	lack := schemes.Lacking(ended)
	if lack == nil || err != nil {
		return nil, ended
	}
	if out, err = regular.Create(f.run(p.Name)); err == nil {
		err = p.leaveOut(out, about, lack)
	}
	return out, err
}

// write runs the point on an open device with that name, and writes its results.
func (p Point) write(ctx context.Context, name string, dev device.Device, to io.Writer) (results.Run, error) {
	q := p.Request
	q.Device, q.Opened, q.NDJSON, q.Out = name, dev, "-", to
	s, err := q.Open(ctx)
	if err != nil {
		return results.Run{}, err
	}
	err = s.Run(ctx, session.Watcher{Hear: func(run.Event) {}, Print: func(string, string) {}})
	return s.Document.Run, err
}

// leaveOut writes the results of a scheme that lacks what the point takes: they have no rows.
func (p Point) leaveOut(to io.Writer, about results.Run, lack *schemes.Lack) error {
	out := results.LeftOut{Scheme: p.Config.String(), Point: p.Single.Point.Map(), Reason: lack.What}
	return results.WriteLines(to, results.Document{Schema: results.Schema, Run: about, LeftOut: []results.LeftOut{out},
		End: results.End{Finished: time.Now()}})
}

package sweep

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// measure carries out a point on a device. Its results get their name when they are whole.
func (f Folder) measure(ctx context.Context, p Point, device string) error {
	out, err := regular.Create(f.run(p.Name))
	if err != nil {
		return err
	}
	about, ended := p.write(ctx, device, out)
	if ended == nil || errors.Is(ended, run.ErrThreshold) {
		return regular.Cause(out.Commit())
	}
	err = out.Discard()
	if lack := schemes.Lacking(ended); lack != nil && err == nil {
		return regular.Write(f.run(p.Name), func(to *regular.Output) error { return p.leaveOut(to, about, lack) })
	}
	return ended
}

func (p Point) write(ctx context.Context, device string, to io.Writer) (results.Run, error) {
	q := p.Request
	q.Device, q.NDJSON, q.Out = device, "-", to
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

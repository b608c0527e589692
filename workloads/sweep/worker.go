package sweep

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// report is a line of a worker's standard output, about the point that it was given.
type report struct {
	Begun   bool    `json:"begun,omitempty"` // otherwise it has ended
	Why     string  `json:"why,omitempty"`   // it failed; empty if it is done
	Seconds float64 `json:"seconds,omitempty"`
	Stop    string  `json:"stop,omitempty"` // why the worker takes no further point
}

// changed is why a worker does not find a point.
const changed = "the script, a file of it, a setting or the program has changed since the sweep began; hint: run the sweep again"

// heapGrowth is how much the heap of a worker may grow before it is collected, in percent. It is small, and at the usual
// 100 a quarter of what a point costs besides its own work was collections.
const heapGrowth = 400

// Serve carries out those of the points whose names are the lines of `in`, and says on `out` how each went. It is
// the whole work of a process, because a kernel may end its process or never end.
func (f Folder) Serve(ctx context.Context, points []Point, device string, in io.Reader, out io.Writer) error {
	debug.SetGCPercent(heapGrowth)
	known := map[string]Point{}
	for _, p := range points {
		known[p.Name] = p
	}
	w := &worker{Folder: f, name: device, out: json.NewEncoder(out)}
	for names := bufio.NewScanner(in); names.Scan() && ctx.Err() == nil; {
		p, ok := known[names.Text()]
		if !ok {
			return errors.Join(w.out.Encode(report{Stop: changed}), w.close())
		}
		if err := w.carryOut(ctx, p); err != nil {
			return errors.Join(err, w.close())
		}
	}
	return cmp.Or(context.Cause(ctx), w.close())
}

// worker carries out points one after the other. Its device stays open.
type worker struct {
	Folder
	name string
	dev  device.Device // nil: not open
	out  *json.Encoder
}

func (w *worker) carryOut(ctx context.Context, p Point) (err error) {
	if w.dev == nil {
		if w.dev, err = session.OpenDevice(w.name, p.Threads); err != nil {
			return err
		}
	}
	if err = w.out.Encode(report{Begun: true}); err != nil {
		return err
	}
	began := time.Now()
	err = w.measure(ctx, p, w.name, w.dev)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if said := w.out.Encode(outcome(err, time.Since(began))); said != nil {
		return said
	}
	switch {
	case errors.As(err, new(*engine.HangError)): // the device is still busy, and cannot be closed
		w.dev = nil
		return err
	case errors.As(err, new(*regular.Failure)):
		return err
	case err != nil:
		return w.close() // the next point gets the device as new
	}
	return nil
}

func (w *worker) close() error {
	dev := w.dev
	if w.dev = nil; dev == nil {
		return nil
	}
	return dev.Close()
}

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

func outcome(err error, took time.Duration) report {
	switch {
	case err == nil:
		return report{Seconds: took.Seconds()}
	case errors.As(err, new(*regular.Failure)):
		return report{Stop: oneLine(err)}
	}
	return report{Why: oneLine(err), Seconds: took.Seconds()}
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

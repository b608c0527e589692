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
	"sync"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// report is a line of a worker's standard output.
type report struct {
	Begun   string  `json:"begun,omitempty"` // the name of a point
	Done    string  `json:"done,omitempty"`
	Failed  string  `json:"failed,omitempty"`
	Why     string  `json:"why,omitempty"`
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
	ctx, giveUp := context.WithCancelCause(ctx)
	w := &worker{Folder: f, name: device, giveUp: giveUp, out: json.NewEncoder(out)}
	err := w.all(ctx, known, in)
	w.writing.Wait()
	return cmp.Or(context.Cause(ctx), err, w.close())
}

// worker carries out points one after the other. Its device stays open, and while it measures a point, the results of
// the one before are on their way to the disk.
type worker struct {
	Folder
	name   string
	dev    device.Device // nil: not open
	giveUp context.CancelCauseFunc

	writing sync.WaitGroup // of results
	mutex   sync.Mutex     // guards out
	out     *json.Encoder
}

func (w *worker) all(ctx context.Context, known map[string]Point, in io.Reader) error {
	for names := bufio.NewScanner(in); names.Scan() && ctx.Err() == nil; {
		p, ok := known[names.Text()]
		if !ok {
			return w.say(report{Stop: changed})
		}
		if err := w.carryOut(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) carryOut(ctx context.Context, p Point) error {
	if err := w.open(p.Threads); err != nil {
		return err
	}
	if err := w.say(report{Begun: p.Name}); err != nil {
		return err
	}
	began := time.Now()
	whole, err := w.measure(ctx, p, w.name, w.dev)
	took := time.Since(began)
	w.writing.Wait()
	if whole == nil && ctx.Err() != nil {
		return ctx.Err()
	}
	w.writing.Go(func() { w.end(p, whole, err, took) })
	switch {
	case errors.As(err, new(*engine.HangError)): // the device is still busy, and cannot be closed
		w.dev = nil
		return err
	case err != nil:
		return w.close() // the next point gets the device as new
	}
	return nil
}

// end gives the results of a point their name, and says how it ended. If files cannot be written, the worker gives up.
func (w *worker) end(p Point, whole *regular.Output, err error, took time.Duration) {
	if whole != nil {
		if err = regular.Cause(whole.Commit()); err != nil {
			_ = whole.Discard()
		}
	}
	said := w.say(outcome(p, err, took))
	if said != nil || errors.As(err, new(*regular.Failure)) {
		w.giveUp(cmp.Or(said, err))
	}
}

func (w *worker) open(threads int) (err error) {
	if w.dev == nil {
		w.dev, err = session.OpenDevice(w.name, threads)
	}
	return err
}

func (w *worker) close() error {
	dev := w.dev
	if w.dev = nil; dev == nil {
		return nil
	}
	return dev.Close()
}

func (w *worker) say(r report) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.out.Encode(r)
}

func outcome(p Point, err error, took time.Duration) report {
	switch {
	case err == nil:
		return report{Done: p.Name, Seconds: took.Seconds()}
	case errors.As(err, new(*regular.Failure)):
		return report{Stop: oneLine(err)}
	}
	return report{Failed: p.Name, Why: oneLine(err), Seconds: took.Seconds()}
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

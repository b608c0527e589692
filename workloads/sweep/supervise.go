package sweep

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Worker is a process that carries out points on a device. It ends with the context.
type Worker func(ctx context.Context, folder, device string) *exec.Cmd

// Outcome is the end of a point: done or failed.
type Outcome struct {
	Ref
	Failed  string // why; empty if it is done
	Seconds float64
}

// Local carries out points on devices of this machine, on each in a process, with a new one after it if it ends early,
// and for each pass: a process places its memory once, and a table may be faster or slower there by several percent. What
// failed is written down, and the next points go on. It returns an error when nothing more can be done.
func (s Sweep) Local(ctx context.Context, points []Ref, devices []string, w Worker, hear func(Outcome)) error {
	left := make(chan Ref, len(points))
	for _, p := range points {
		left <- p
	}
	all, ctx := errgroup.WithContext(ctx) // the first error ends the others
	var one sync.Mutex
	for _, device := range devices {
		all.Go(func() (err error) {
			p := &process{sweep: s, left: left, hear: func(o Outcome) {
				one.Lock()
				defer one.Unlock()
				hear(o)
			}}
			for err == nil && (p.point != nil || p.next()) {
				err = p.run(ctx, w(ctx, string(s.Folder), device))
			}
			return err
		})
	}
	return all.Wait()
}

// process is the process of a worker, or one after the other.
type process struct {
	sweep Sweep
	left  chan Ref // points that none was given, for all workers
	hear  func(Outcome)
	names io.WriteCloser // its standard input: points to carry out
	point *Ref           // that it is given and has not reported; nil: none
	begun bool           // it has begun this point
	taken bool           // it has reported a point
	stop  string         // why it takes no more
}

func (p *process) run(ctx context.Context, c *exec.Cmd) error {
	runtime.LockOSThread() // Pdeathsig is sent when the thread ends that started the process
	defer runtime.UnlockOSThread()
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	var trouble bytes.Buffer
	c.Stderr = &trouble
	out, err := c.StdoutPipe()
	if err == nil {
		p.names, err = c.StdinPipe()
	}
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return err
	}
	p.taken, p.stop = false, ""
	p.give()
	listening := p.listen(out)
	ended := c.Wait()
	return cmp.Or(ctx.Err(), listening, p.end(ended, lastLine(trouble.String())))
}

// next takes a point, if there is one left.
func (p *process) next() bool {
	select {
	case point := <-p.left:
		p.point = &point
	default:
		p.point = nil
	}
	return p.point != nil
}

// give names its point to the process. If that has ended, it does not report the point.
func (p *process) give() {
	p.begun = false
	_, _ = fmt.Fprintln(p.names, p.point.Name)
}

// listen reads the reports of the process until it ends, and gives it a point after each.
func (p *process) listen(out io.Reader) error {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var r report
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue // a line that the end of the process cut off
		}
		switch {
		case r.Stop != "":
			p.stop = r.Stop
		case r.Begun:
			p.begun = true
		default:
			pass := p.pass()
			err := p.ended(r.Why, r.Seconds)
			if err == nil && p.next() && p.pass() == pass {
				p.give()
				continue
			}
			_ = p.names.Close()
			return err
		}
	}
	return nil
}

func (p *process) pass() int { return p.sweep.Parts[p.point.Part].Pass }

// ended notes the outcome of the point.
func (p *process) ended(why string, seconds float64) error {
	point := *p.point
	p.point, p.begun, p.taken = nil, false, true
	p.hear(Outcome{point, why, seconds})
	if why != "" {
		return regular.WriteText(p.sweep.failure(point.Name), point.Title+": "+why+"\n")
	}
	return os.RemoveAll(p.sweep.failure(point.Name))
}

// end says what the end of the process means.
func (p *process) end(ended error, said string) error {
	switch {
	case p.stop != "":
		return errors.New(p.stop)
	case p.point == nil:
		return nil
	case p.begun:
		return p.ended(fmt.Sprintf("its process ended: %v%s", ended, said), 0)
	case p.taken: // the device was given up after a point, or a pass is over; a new process can go on
		return nil
	}
	return fmt.Errorf("a worker does not start%s", said)
}

// lastLine is ": " and the last line of a text, if it has one.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	line := strings.TrimPrefix(text[strings.LastIndex(text, "\n")+1:], "hashzoo: ")
	return lists.Either(line == "", "", ": "+line)
}

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

package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// progress is a status line on a terminal, and a line now and then elsewhere.
type progress struct {
	mutex    sync.Mutex
	lines    io.Writer // for lines that stay
	status   io.Writer // for the status line; nil without a terminal
	width    int
	period   time.Duration // between two texts
	shown    time.Time
	stopping bool
	release  func() bool // of the context
}

const (
	statusPeriod = 100 * time.Millisecond
	linePeriod   = 5 * time.Second // off a terminal
)

// newProgress shows progress until end is called. When the context is canceled, the line says that the run is about to
// stop, and how to stop at once.
func newProgress(ctx context.Context, env *Env, quiet bool) *progress {
	p := &progress{lines: results.Clean{Writer: env.Err}, period: linePeriod, shown: time.Now()}
	switch width, terminal := results.Screen(env.Err); {
	case quiet:
		p.period = math.MaxInt64
	case terminal:
		p.status, p.width, p.period, p.shown = env.Err, width, statusPeriod, time.Time{}
	}
	p.release = context.AfterFunc(ctx, p.stop)
	return p
}

// end removes the status line.
func (p *progress) end() {
	p.release()
	p.write("")
}

// say replaces the line, at a readable rate. Batches come faster than texts are worth making.
func (p *progress) say(text func() string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.stopping || time.Since(p.shown) < p.period {
		return
	}
	p.shown = time.Now()
	what := text()
	if p.status == nil {
		fmt.Fprintln(p.lines, what)
	}
	p.write(what)
}

// reading says how much of a file was read.
func (p *progress) reading(name string, share float64) {
	p.say(func() string { return fmt.Sprintf("reading %s: %.0f %%", name, 100*share) })
}

func (p *progress) stop() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.stopping = true
	p.write("stopping after this batch; interrupt again to stop at once")
}

// above writes a permanent line above the status line.
func (p *progress) above(line string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.write("")
	fmt.Fprintln(p.lines, line)
}

func (p *progress) write(what string) {
	if p.status != nil {
		fmt.Fprint(p.status, "\r\x1b[K"+ansi.Truncate(results.Plain(what), p.width-1, ""))
	}
}

// watcher shows how a run goes: on a terminal in a changing line, elsewhere in lines for phases.
type watcher struct {
	line   *progress
	phases bool // a line for each, off a terminal

	began    time.Time
	progress run.Progress

	base map[analysis.Key]float64 // rates of the baseline
	row  func(results.Row) results.Row
}

// newWatcher makes a watcher. Without lines, it shows nothing but on a terminal.
func newWatcher(ctx context.Context, env *Env, quiet, lines bool) *watcher {
	line := newProgress(ctx, env, quiet)
	return &watcher{began: time.Now(), line: line, phases: lines && !quiet && line.status == nil}
}

func (w *watcher) onEvent(e run.Event) {
	w.progress.Hear(e, time.Since(w.began))
	switch e := e.(type) {
	case run.PhaseBegan:
		if w.phases && w.progress.Point.Lap == 0 {
			w.line.above(w.progress.Where())
		}
	case run.Measured:
		w.line.say(func() string { return w.measured(e) })
	case run.Rehearsed:
		w.line.say(func() string {
			return fmt.Sprintf("%s: %s %s, rehearsal", strings.TrimSpace(e.Point.String()+" "+e.Phase), e.Scheme, e.Sample.Op)
		})
	}
}

func (w *watcher) measured(e run.Measured) string {
	p, whole := w.progress.Point, e.Sample.N == 0 // an operation on the whole table
	speed := lists.Either(whole, results.MillisText(e.Sample.Service.Seconds())+" ms", fmt.Sprintf("%.1f Mop/s", e.Sample.Mops()))
	row := results.Row{Scheme: p.Schemes[e.Scheme], Pair: p.Shapes[e.Scheme].Pair.String(), Op: e.Sample.Op, Phase: e.Phase, Point: p.Point.Map()}
	text := fmt.Sprintf("%s: %s %s %s", w.progress.Where(), row.Scheme, row.Op, speed)
	if e.Warmup {
		text += ", warm-up"
	} else if rate := w.base[analysis.KeyOf(w.row(row))]; rate > 0 {
		text += fmt.Sprintf(" (%.2f of the baseline)", e.Sample.Mops()/rate)
	}
	if !e.Warmup && e.Done >= 0 {
		text += fmt.Sprintf(", %.0f %%", 100*min(e.Done, 1))
	}
	if left := w.progress.Left(time.Since(w.began)); left >= 0 {
		text += ", " + left.Round(time.Second).String() + " left"
	}
	return text
}

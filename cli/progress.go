package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// progress is a status line on a terminal. Elsewhere it prints nothing.
type progress struct {
	mutex    sync.Mutex
	all      io.Writer // for lines that stay
	out      io.Writer // for the status line; nil without a terminal
	width    int
	shown    time.Time
	stopping bool
}

// newProgress shows progress until the returned function is called. When the context is
// canceled, the line says that the run is about to stop, and how to stop at once.
func newProgress(ctx context.Context, env *Env, quiet bool) (p *progress, end func()) {
	p = &progress{all: env.Err}
	width, terminal := results.Screen(env.Err)
	if quiet || !terminal {
		return p, func() {}
	}
	p.out, p.width = env.Err, width
	release := context.AfterFunc(ctx, p.stop)
	return p, func() { release(); p.write("") }
}

// say replaces the line, at a readable rate.
func (p *progress) say(what string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.stopping || time.Since(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = time.Now()
	p.write(what)
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
	fmt.Fprintln(p.all, line)
}

func (p *progress) write(what string) {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K"+ansi.Truncate(what, p.width-1, ""))
	}
}

// watcher shows how a run goes: on a terminal in a changing line, elsewhere in lines for phases.
type watcher struct {
	line  *progress
	end   func()
	plain func(line string) // elsewhere; it may do nothing

	began, told time.Time
	progress    run.Progress
}

// tellEvery is how often a long phase has another line.
const tellEvery = 10 * time.Second

// newWatcher makes a watcher. Without lines, it shows nothing but on a terminal.
func newWatcher(ctx context.Context, env *Env, quiet, lines bool) *watcher {
	w := &watcher{began: time.Now(), plain: func(string) {}}
	w.line, w.end = newProgress(ctx, env, quiet)
	if lines && !quiet && w.line.out == nil {
		w.plain = func(line string) { fmt.Fprintln(env.Err, line) }
	}
	return w
}

func (w *watcher) hear(e run.Event) {
	w.progress.Hear(e, time.Since(w.began))
	switch e := e.(type) {
	case run.PhaseBegan:
		w.told = time.Now()
		w.plain(w.progress.Where())
	case run.Measured:
		w.measured(e)
	case run.Rehearsed:
		w.line.say(fmt.Sprintf("%s: %s %s, rehearsal", strings.TrimSpace(e.Point.String()+" "+e.Phase), e.Scheme, e.Sample.Op))
	}
}

func (w *watcher) measured(e run.Measured) {
	text := fmt.Sprintf("%s: %s %s %s", w.progress.Where(), w.progress.Point.Schemes[e.Scheme], e.Sample.Op, speed(e.Sample))
	if e.Warmup {
		text += ", warm-up"
	} else if e.Done >= 0 {
		text += fmt.Sprintf(", %.0f %%", 100*min(e.Done, 1))
	}
	if left := w.progress.Left(time.Since(w.began)); left >= 0 {
		text += ", " + left.Round(time.Second).String() + " left"
	}
	w.line.say(text)
	if time.Since(w.told) >= tellEvery {
		w.told = time.Now()
		w.plain(text)
	}
}

// speed is the rate of a batch, or the time of an operation on the whole table.
func speed(s engine.Sample) string {
	if s.N == 0 {
		return results.MillisText(s.Service.Seconds()) + " ms"
	}
	return fmt.Sprintf("%.1f Mop/s", s.Mops())
}

// print shows a line that a script prints, even with --quiet.
func (w *watcher) print(scheme, line string) { w.line.above(results.Plain(scheme + ": " + line)) }

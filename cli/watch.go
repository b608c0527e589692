package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// watcher shows how a run goes: on a terminal one line that changes, elsewhere a line
// for each phase, and now and then how far it is.
type watcher struct {
	line  *progress
	end   func()
	plain func(line string) // elsewhere; does nothing if nothing is to be shown

	began, told time.Time
	point       run.PointBegan
	phase       run.PhaseBegan
}

// tellEvery is how often a phase that takes long says how far it is, where lines
// cannot change.
const tellEvery = 10 * time.Second

func newWatcher(ctx context.Context, env *Env, quiet bool) *watcher {
	w := &watcher{began: time.Now(), plain: func(string) {}}
	w.line, w.end = newProgress(ctx, env, quiet)
	if !quiet && w.line.out == nil {
		w.plain = func(line string) { fmt.Fprintln(env.Err, line) }
	}
	return w
}

func (w *watcher) hear(e run.Event) {
	switch e := e.(type) {
	case run.PointBegan:
		w.point = e
	case run.PhaseBegan:
		w.phase, w.told = e, time.Now()
		w.plain(w.where())
	case run.Measured:
		w.measured(e)
	}
}

// measured shows the last batch and how far the run is.
func (w *watcher) measured(e run.Measured) {
	text := fmt.Sprintf("%s: %s %s %s", w.where(), w.point.Schemes[e.Scheme], e.Sample.Op, speed(e.Sample))
	if e.Warmup {
		text += ", warm-up"
	} else if e.Done >= 0 {
		text += fmt.Sprintf(", %.0f %%", 100*min(e.Done, 1))
	}
	if left, ok := w.left(e.Done); ok {
		text += ", " + left.Round(time.Second).String() + " left"
	}
	w.line.say(text)
	if time.Since(w.told) >= tellEvery {
		w.told = time.Now()
		w.plain(text)
	}
}

// speed is the rate of a batch; operations on whole tables have none, and take a time.
func speed(s engine.Sample) string {
	if s.N == 0 {
		return results.MillisText(s.Service.Seconds()) + " ms"
	}
	return fmt.Sprintf("%.1f Mop/s", s.Mops())
}

// left is how long the run will take if it goes on as it did. All phases are taken to
// be as long as each other.
func (w *watcher) left(phase float64) (time.Duration, bool) {
	part := (float64(w.phase.Index) + max(0, min(phase, 1))) / float64(w.phase.Of)
	done := (float64(w.point.Index) + part) / float64(w.point.Of)
	took := time.Since(w.began)
	if done < 0.01 || took < 2*time.Second {
		return 0, false
	}
	return time.Duration(float64(took) * (1 - done) / done), true
}

// where is the point and the phase: load=0.8 (2 of 3), run.
func (w *watcher) where() string {
	if len(w.point.Point) == 0 {
		return w.phase.Name
	}
	return fmt.Sprintf("%s (%d of %d), %s", w.point.Point, w.point.Index+1, w.point.Of, w.phase.Name)
}

// print shows a line that a script prints, with --quiet, too.
func (w *watcher) print(scheme, line string) { w.line.above(results.Plain(scheme + ": " + line)) }

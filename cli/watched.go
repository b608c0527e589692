package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// watched is a session that the terminal interface shows, as its tui.Session. The run is on
// a goroutine of its own, and nothing that is looked at waits for it.
type watched struct {
	*session
	control run.Control
	gap     run.Gap
	live    atomic.Pointer[live.Run]
	outer   context.Context // of the program
	stop    context.CancelFunc
	begins  func() // closes ready, once
	ready   chan struct{}
	done    chan struct{} // closed when all is written
	failure error         // then
	left    bool          // then: the user left before the run was done

	mutex   sync.Mutex // the session, while the run goes on, and what follows
	point   run.PointBegan
	waiting string // the file to record in from the next point on
	soFar   []results.Row
	told    chan struct{} // closed when soFar is new
}

// lookEvery is how often gauges are read. It takes a little of the device's time, between
// batches.
const lookEvery = time.Second

func newWatched(s *session, outer context.Context, stop context.CancelFunc) *watched {
	w := &watched{session: s, outer: outer, stop: stop,
		ready: make(chan struct{}), done: make(chan struct{}), told: make(chan struct{})}
	w.begins = sync.OnceFunc(func() { close(w.ready) })
	s.plan.Control, s.plan.Gap, s.plan.Look = &w.control, &w.gap, lookEvery
	s.progress = func(run.Event) {}
	s.tell(func(scheme, line string) { w.live.Load().Said(scheme, line) })
	w.afresh()
	return w
}

// afresh forgets what was heard.
func (w *watched) afresh() {
	s := w.session
	var names []string
	for _, c := range s.plan.Schemes {
		names = append(names, c.String())
	}
	l := live.New(live.Setup{Name: s.name, Title: s.title, Replay: s.replays != nil, Seed: s.plan.Seed, Device: s.dev.Info(),
		Schemes: names, Counted: s.plan.Counted, Free: s.dev.Free})
	if s.recorder != nil {
		l.Recorded(s.record)
	}
	if s.replays != nil {
		l.Sped(s.pace.Speed)
	}
	w.live.Store(l)
	w.soFar = nil
	s.document.Rows, s.document.Summaries, s.document.LeftOut = []results.Row{}, nil, nil
}

// Begin lets the run begin.
func (w *watched) Begin() { w.begins() }

// carryOut waits until the run may begin, and runs until all is done: more than once, if the
// user goes back.
func (w *watched) carryOut(ctx context.Context) {
	defer close(w.done)
	select {
	case <-w.ready:
	case <-ctx.Done():
	}
	err := w.once(ctx)
	for errors.Is(err, run.ErrAgain) && ctx.Err() == nil {
		w.mutex.Lock()
		w.afresh()
		w.mutex.Unlock()
		w.live.Load().Command("the replay starts over")
		err = w.once(ctx)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.left = err != nil && ctx.Err() != nil
	if w.outer.Err() == nil { // as the user wanted
		w.interruption = nil
	}
	w.failure = device.Caught(func() error { return w.end(err, w.left) })
	if w.left {
		w.live.Load().End(nil)
	} else {
		w.live.Load().End(w.failure)
	}
}

// once is one run. A mistake of this program must not leave the terminal as it is.
func (w *watched) once(ctx context.Context) error {
	return device.Caught(func() error { return run.Run(ctx, w.dev, w.plan, w.heard(w)) })
}

// Hear makes it a run.Listener.
func (w *watched) Hear(e run.Event) error {
	_ = w.live.Load().Hear(e) // it has none
	w.mutex.Lock()
	defer w.mutex.Unlock()
	switch e := e.(type) {
	case run.PointBegan:
		w.point = e
		w.beginRecording(e)
	case run.SoFar:
		w.soFar = e.Rows
		close(w.told)
		w.told = make(chan struct{})
	case run.PointEnded:
		w.soFar = nil
	}
	return w.listen(e)
}

// listen is what the session hears. If the recording fails that the user has begun, the
// run goes on without it.
func (w *watched) listen(e run.Event) error {
	err := w.session.Hear(e)
	if err == nil || w.recorder == nil || !w.begun {
		return err
	}
	w.live.Load().Command(err.Error())
	return w.endRecording()
}

// Snapshot is the run as it is now.
func (w *watched) Snapshot(v live.View) *live.Snapshot { return w.live.Load().Snapshot(v) }

// Between waits until no batch runs.
func (w *watched) Between(ctx context.Context) (leave func()) { return w.gap.Enter(ctx) }

// Pause lets the run stand still between batches, or go on.
func (w *watched) Pause(on bool) {
	w.control.Pause(on)
	w.live.Load().Command(map[bool]string{true: "pause", false: "go on"}[on])
}

// Stop ends the run after the batch that is under way.
func (w *watched) Stop() { w.stop() }

// Speed scales the pace of a replay.
func (w *watched) Speed(factor float64) error {
	switch {
	case w.replays == nil || !w.pace.Recorded:
		return errors.New("batches are run one after the other: a speed goes with hashzoo tui RECORDING --pace recorded")
	case !(factor >= 1e-6 && factor <= 1e6):
		return fmt.Errorf("the speed is %g: it takes a number from 0.000001 to 1000000", factor)
	}
	w.control.Speed(factor / w.pace.Speed)
	w.live.Load().Sped(factor)
	return nil
}

// Skip goes to the begin of another phase of a replay.
func (w *watched) Skip(phases int) error {
	if w.replays == nil {
		return errors.New("only a replay has phases to go to: record the run, and replay it")
	}
	w.mutex.Lock()
	written := w.recorder != nil || w.lines != nil
	w.mutex.Unlock()
	if phases <= 0 && written {
		return errors.New("a recording or --ndjson is being written, which cannot be taken back: only later phases can be gone to")
	}
	w.control.Skip(phases)
	w.live.Load().Command(fmt.Sprintf("goes %+d phases", phases))
	return nil
}

package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Watched is a session that runs on its own goroutine while a user watches and steers it.
// Its methods do not wait for a batch, except for Save, which waits a few seconds at most.
type Watched struct {
	*Session
	control run.Control
	live    atomic.Pointer[live.Run] // of this pass
	stop    context.CancelFunc
	begin   func()
	ready   chan struct{} // closed by begin
	done    chan struct{} // closed when everything is written
	failure error         // then
	left    bool          // then: the user left before the run was done

	// These are guarded by the session's mutex.
	point   run.PointBegan
	waiting string        // the file to record to from the next point on
	begun   bool          // the user began the recording while the run went on
	soFar   []results.Row // measured at this point when the run was last asked
	told    chan struct{} // closed when soFar is new
}

// lookEvery is how often gauges are read.
const lookEvery = time.Second

// Watch opens a session and starts its goroutine. The run waits for Begin.
func (r Request) Watch(ctx context.Context) (*Watched, error) {
	inner, stop := context.WithCancel(ctx)
	s, err := r.Open(inner)
	if err != nil {
		stop()
		return nil, err
	}
	w := &Watched{Session: s, stop: stop, ready: make(chan struct{}), done: make(chan struct{}), told: make(chan struct{})}
	w.begin = sync.OnceFunc(func() { close(w.ready) })
	s.plan.Control, s.plan.Look = &w.control, lookEvery
	s.watch(Watcher{
		Hear:  func(e run.Event) { _ = w.live.Load().Hear(e) }, // it never fails
		Print: func(scheme, line string) { w.live.Load().Said(scheme, line) },
	})
	w.live.Store(w.newLive())
	go w.carryOut(ctx, inner)
	return w, nil
}

// newLive is what a user sees of a pass that begins.
func (w *Watched) newLive() *live.Run {
	var names []string
	for _, c := range w.plan.Schemes {
		names = append(names, c.String())
	}
	l := live.New(live.Setup{Name: w.name, Replay: w.replays != nil, Seed: w.plan.Seed, Device: w.dev.Info(),
		Schemes: names, Counted: w.plan.Counted, Free: w.dev.Free})
	if w.recorder != nil {
		l.Recorded(w.Recording)
	}
	if w.replays != nil {
		l.Sped(w.Pace.Speed)
	}
	return l
}

// carryOut runs the session until all is done: in more than one pass, if the user goes back.
// An end that the user wanted is no error, other than a signal to the program.
func (w *Watched) carryOut(program, ctx context.Context) {
	defer close(w.done)
	select {
	case <-w.ready:
	case <-ctx.Done():
	}
	err := w.pass(ctx)
	for errors.Is(err, run.ErrAgain) && ctx.Err() == nil {
		w.restart()
		err = w.pass(ctx)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var interruption error
	if program.Err() != nil {
		interruption = ErrInterrupted
	}
	w.left = err != nil && ctx.Err() != nil
	w.failure = device.Caught(func() error { return w.end(err, w.left, interruption) })
	if w.left {
		w.live.Load().End(nil)
	} else {
		w.live.Load().End(w.failure)
	}
}

func (w *Watched) restart() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.soFar = nil
	w.live.Store(w.newLive())
	w.log("the replay starts over")
}

func (w *Watched) log(text string) { w.live.Load().Command(text) }

// pass runs the plan once. A panic must not leave the terminal as it is.
func (w *Watched) pass(ctx context.Context) error {
	return device.Caught(func() error { return w.Session.pass(ctx, w) })
}

// Hear makes it a run.Listener.
func (w *Watched) Hear(e run.Event) error {
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
	err := w.Session.Hear(e)
	if err == nil || w.recorder == nil || !w.begun {
		return err
	}
	w.log(err.Error()) // the run goes on without a recording that the user began
	return w.endRecording()
}

// Wait stops the session and waits until everything is written. After a while it calls slow,
// once. It returns the session's error, and whether the user left before the run was done.
func (w *Watched) Wait(patience time.Duration, slow func()) (left bool, err error) {
	w.stop()
	select {
	case <-w.done:
	case <-time.After(patience):
		slow()
		<-w.done
	}
	return w.left, w.failure
}

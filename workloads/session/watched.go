package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
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
	begin   context.CancelFunc
	done    chan struct{} // closed when everything is written
	failure error         // then
	left    bool          // then: the user left before the run was done

	// These are guarded by the session's mutex.
	point   run.PointBegan
	waiting string // the file to record to from the next point on
	begun   bool   // the user began the recording while the run went on
}

const (
	lookEvery = time.Second            // for gauges
	saveWait  = 5 * time.Second        // for the results of the current batch
	grace     = 300 * time.Millisecond // for the round of a run that would go on
)

// Watch opens a session and starts its goroutine. The run waits for Begin.
func (r Request) Watch(ctx context.Context) (*Watched, error) {
	inner, stop := context.WithCancel(ctx)
	s, err := r.Open(inner)
	if err != nil {
		stop()
		return nil, err
	}
	waiting, begin := context.WithCancel(inner)
	w := &Watched{Session: s, stop: stop, begin: begin, done: make(chan struct{})}
	s.plan.Control, s.plan.Look = &w.control, lookEvery
	s.watch(Watcher{
		Hear:  func(e run.Event) { _ = w.live.Load().Hear(e) }, // it never fails
		Print: func(scheme, line string) { w.live.Load().Log(live.Note, scheme, line) },
		Sense: func(state device.State) { w.live.Load().Set(func(s *live.Snapshot) { s.Machine = state }) },
	})
	w.live.Store(w.newLive())
	go func() {
		<-waiting.Done()
		w.carryOut(ctx, inner)
	}()
	return w, nil
}

func (w *Watched) newLive() *live.Run {
	names := lists.Map(w.plan.Schemes, schemes.Config.String)
	about := live.About{Name: w.Name, Replay: w.replays != nil, Seed: w.plan.Seed, Device: w.dev.Info(), Counted: w.plan.Counted,
		Speed: w.Pace.Speed, Recording: w.Recording}
	return live.New(live.Setup{About: about, Schemes: names})
}

// carryOut runs the session, in several passes if the user goes back. To leave is no error, but
// a signal to the program is one.
func (w *Watched) carryOut(program, ctx context.Context) {
	defer close(w.done)
	err := device.Caught(w.bound)
	if err == nil {
		err = w.pass(ctx)
	}
	for errors.Is(err, run.ErrAgain) && ctx.Err() == nil {
		w.live.Store(w.newLive())
		w.log("the replay starts over")
		err = w.pass(ctx)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	interruption := lists.Either(program.Err() != nil, ErrInterrupted, nil)
	w.left = err != nil && ctx.Err() != nil
	w.failure = device.Caught(func() error { return w.end(err, w.left, interruption) })
	w.live.Load().End(lists.Either(w.left, nil, w.failure))
}

func (w *Watched) log(text string) { w.live.Load().Log(live.Command, "", text) }

// pass runs the plan once. A panic must not leave the terminal as it is.
func (w *Watched) pass(ctx context.Context) error {
	return device.Caught(func() error { return w.Session.pass(ctx, w.Hear) })
}

// Hear is a run.Listener.
func (w *Watched) Hear(e run.Event) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if began, ok := e.(run.PointBegan); ok {
		w.point = began
		w.beginRecording(began)
	}
	err := w.Session.Hear(e)
	if err == nil || w.recorder == nil || !w.begun {
		return err
	}
	w.log(err.Error()) // the run goes on without a recording that the user began
	return w.endRecording()
}

// Wait stops the session and waits until everything is written. It calls slow once if that
// takes longer than patience. It returns the session's error, and whether the user left early.
func (w *Watched) Wait(patience time.Duration, slow func()) (left bool, err error) {
	w.Stop()
	select {
	case <-w.done:
	case <-time.After(patience):
		slow()
		<-w.done
	}
	return w.left, w.failure
}

// Begin starts the run.
func (w *Watched) Begin() { w.begin() }

// Snapshot returns the current state of the run.
func (w *Watched) Snapshot(v live.View) *live.Snapshot { return w.live.Load().Snapshot(v) }

// Pause stops the run between batches, or continues it.
func (w *Watched) Pause(on bool) {
	w.control.Pause(on)
	w.log(map[bool]string{true: "pause", false: "go on"}[on])
}

// Stop ends the run after the current batch; with --for, after the round if that ends soon, so that the round counts.
func (w *Watched) Stop() {
	if w.For == 0 {
		w.stop()
		return
	}
	w.control.Enough()
	w.control.Pause(false)
	time.AfterFunc(grace, w.stop)
}

// Speed scales the pace of a replay.
func (w *Watched) Speed(factor float64) error {
	switch {
	case w.replays == nil || !w.Pace.Recorded:
		return errors.New("batches are run one after the other: a speed goes with hashzoo tui RECORDING --pace recorded")
	case !(factor >= 1e-6 && factor <= 1e6):
		return fmt.Errorf("the speed is %g: it takes a number from 0.000001 to 1000000", factor)
	}
	w.control.Speed(factor / w.Pace.Speed)
	w.live.Load().Set(func(s *live.Snapshot) { s.Speed = factor })
	return nil
}

// Skip goes to the beginning of a later phase of a replay as fast as possible, and pauses
// there. To go to an earlier one, the replay starts over.
func (w *Watched) Skip(phases int) error {
	if w.replays == nil {
		return errors.New("only a replay has phases to go to: record the run, and replay it")
	}
	w.mutex.Lock()
	written := w.recorder != nil || w.files.lines != nil
	w.mutex.Unlock()
	if phases <= 0 && written {
		return errors.New("a recording or --ndjson is being written, which cannot be taken back: only later phases can be gone to")
	}
	w.control.Skip(phases)
	w.log(fmt.Sprintf("goes %+d phases", phases))
	return nil
}

// Record records to a new file from the next point on, where tables are empty. An empty path ends the recording.
func (w *Watched) Record(path string) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if path == "" {
		return w.endRecording()
	}
	if exists(path) {
		return fmt.Errorf("%s already exists: a recording takes a new file", path)
	}
	other := w.Request
	if other.Recording = path; other.distinct() != nil {
		return fmt.Errorf("%s is where the results go: a recording takes a new file", path)
	}
	switch {
	case w.For > 0:
		return errors.New("a run with --for or --forever is not recorded: the recording would grow with each lap")
	case w.recorder != nil || w.waiting != "":
		return fmt.Errorf("the run is recorded already: %s", cmp.Or(w.waiting, w.Recording))
	case w.point.Index+1 >= w.point.Of && w.point.Of > 0:
		return errors.New("a recording begins with empty tables, at the next point, and this is the last: run again with --record FILE")
	}
	w.waiting = path
	w.control.Digests(true)
	w.log("the next point is recorded in " + path)
	return nil
}

func (w *Watched) beginRecording(e run.PointBegan) {
	if w.waiting == "" || !e.Digests {
		return
	}
	path := w.waiting
	w.waiting = ""
	recorder, err := w.newRecorder(path)
	if err != nil {
		w.log(err.Error())
		return
	}
	w.recorder, w.Recording, w.begun = recorder, path, true
	w.live.Load().Set(func(s *live.Snapshot) { s.Recording = path })
	w.log("is recorded in " + path)
}

// endRecording ends the recording, which says that the run went on.
func (w *Watched) endRecording() error {
	w.waiting = ""
	w.control.Digests(false)
	if w.recorder == nil {
		return nil
	}
	w.live.Load().Set(func(s *live.Snapshot) { s.Recording = "" })
	w.log("the recording ends: " + w.Recording)
	err := errors.Join(w.recorder.Stopped("the recording was ended"), w.recorder.Close())
	w.recorder, w.Recording, w.begun = nil, "", false
	return err
}

// Save writes the results so far to a new file.
func (w *Watched) Save() (path string, err error) {
	answer := make(chan results.Document, 1)
	w.control.Ask(func(rows []results.Row) { answer <- with(w.Results(), run.PointEnded{Lap: 1, Rows: rows}) })
	var d results.Document
	select {
	case d = <-answer:
	case <-w.done:
		d = w.Results()
	case <-time.After(saveWait):
		d = w.Results()
	}
	if d.End.Finished.IsZero() {
		w.mutex.Lock()
		d.End = w.ended(true)
		w.mutex.Unlock()
	}
	path = Unused("results.json")
	if err := regular.Write(path, func(file *regular.Output) error { return results.WriteJSON(file, d) }); err != nil {
		return "", err
	}
	w.log("results: " + path)
	return path, nil
}

// Results returns those of the points and laps that are over. Of a run that goes on, the end is not set.
func (w *Watched) Results() results.Document {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.Document
}

// Package session runs schemes side by side for a command or an interface: it opens the
// device, runs a script or a recording, and writes results and recordings. A Request says
// what to run and is never changed; every start makes a new Session of it.
package session

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/limits"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// ErrInterrupted is the error of a session that was stopped.
var ErrInterrupted = errors.New("interrupted: the results cover what was measured so far")

// Wrong makes an error in the request, the script or a path, which are the user's to fix, a run.Mistake, unless it is that
// of a disk.
func Wrong(err error) error {
	err = regular.Cause(err)
	return lists.Either(errors.As(err, new(*regular.Failure)), err, run.Mistake(err))
}

// Watcher gets the events of a session, the lines that the script prints, and what the machine says about itself.
type Watcher struct {
	Hear  func(run.Event)
	Print func(scheme, line string)
	Sense func(device.State) // nil: it is not told
}

// Session is one run of a request. It runs once, and then holds the results.
type Session struct {
	Request
	job
	dev     device.Device
	weather weather // of this pass
	spent   results.Spent
	files   files
	held    *contents               // to be written; nil: not wanted
	tables  map[int]engine.Contents // at the end of the run
	watcher Watcher

	mutex    sync.Mutex // guards what follows while the run goes on
	recorder *record.Recorder
	Document results.Document // the results so far, of this pass
	checker  *record.Checker  // of this pass of a replay
}

// Open prepares a session: it reads the script, opens the device and creates the files to
// write, so that mistakes show before anything is measured. The script ends with the context.
func (r Request) Open(ctx context.Context) (*Session, error) {
	s := &Session{Request: r}
	if s.Row == nil {
		s.Row = func(row results.Row) results.Row { return row }
	}
	err := r.distinct()
	if err != nil {
		return nil, Wrong(err)
	}
	if s.job, err = r.newJob(ctx); err != nil {
		return nil, Wrong(err)
	}
	if s.dev = s.Opened; s.dev == nil {
		s.dev, err = OpenDevice(s.Device, s.Threads)
	}
	if err == nil {
		err = s.openFiles()
	}
	if err != nil {
		return nil, errors.Join(err, s.job.close())
	}
	return s, nil
}

// Check says what is wrong with a request, as far as that shows without running it. It opens no device, since another
// session may use it.
func (r Request) Check(ctx context.Context) error {
	if err := errors.Join(r.distinct(), devices.Check(r.Device)); err != nil {
		return Wrong(err)
	}
	_, err := r.specs(ctx)
	return Wrong(err)
}

// specs are the tables of a script.
func (r Request) specs(ctx context.Context) (specs []engine.Spec, err error) {
	j, err := r.newJob(ctx)
	if err == nil && j.script != nil {
		specs, err = j.plan.Specs()
	}
	return specs, errors.Join(err, j.close())
}

// Obtain compiles the kernels that the request's tables need and the program lacks.
func (r Request) Obtain(ctx context.Context) error {
	named, err := devices.Parse(r.Device)
	if err != nil {
		return Wrong(err)
	}
	specs, err := r.specs(ctx)
	if err == nil {
		err = engine.Obtain(named.OnGPU(), specs...)
	}
	return err
}

// OpenDevice opens the device with a name, with that many threads if it is a CPU.
func OpenDevice(name string, threads int) (device.Device, error) {
	named, err := devices.Parse(name)
	if err != nil {
		return nil, Wrong(err)
	}
	return named.Open(device.Options{Threads: threads})
}

func (s *Session) openFiles() error {
	s.Document = results.Document{Schema: results.Schema, Run: s.provenance()}
	var err error
	if s.files, err = openFiles(s.Request, s.Document.Run); err == nil && s.Recording != "" {
		s.plan.Digests = true
		s.recorder, err = s.newRecorder(s.Recording)
	}
	if err == nil && s.Contents != "" {
		s.plan.Keep = true
		s.held, err = s.openContents()
	}
	if err != nil {
		for _, o := range []*regular.Output{s.files.json, s.files.ndjson} {
			if o != nil {
				_ = o.Discard()
			}
		}
		if s.recorder != nil {
			err = errors.Join(err, s.recorder.Output().Discard())
		}
		return Wrong(errors.Join(err, s.release()))
	}
	return nil
}

// release closes the device, unless others go on to use it.
func (s *Session) release() error {
	if s.Opened != nil {
		return nil
	}
	return s.dev.Close()
}

// Run runs the session and closes everything that it opened.
func (s *Session) Run(ctx context.Context, w Watcher) error {
	s.watch(w)
	err := s.bound()
	if err == nil {
		err = s.pass(ctx, s.Hear)
	}
	return s.end(err, err != nil && ctx.Err() != nil, ErrInterrupted)
}

func (s *Session) bound() (err error) {
	if s.Bounds {
		s.plan.Bounds, err = limits.Measure(s.dev, limits.Usual)
	}
	return err
}

func (s *Session) watch(w Watcher) {
	s.watcher = w
	if s.script != nil {
		s.script.Print = w.Print
	}
}

// pass runs the plan once. A replay may need several: going back ends a pass.
func (s *Session) pass(ctx context.Context, l run.Listener) error {
	s.mutex.Lock()
	s.Document = results.Document{Schema: s.Document.Schema, Run: s.Document.Run, Rows: []results.Row{}}
	s.weather, s.spent = weather{tell: s.watcher.Sense}, results.Spent{}
	s.weather.ask(s.dev, true)
	s.mutex.Unlock()
	if s.replays != nil && s.Request.Run == nil {
		s.checker = record.NewChecker(s.replays, s.plan.Verify, l)
		l = s.checker.Hear
	}
	return lists.Either(s.Request.Run == nil, run.Run, s.Request.Run)(ctx, s.dev, s.plan, l)
}

// Hear is a run.Listener.
func (s *Session) Hear(e run.Event) error {
	s.watcher.Hear(e)
	if _, between := e.(run.Measured); between {
		s.weather.ask(s.dev, false)
	}
	if s.recorder != nil {
		if err := s.recorder.Hear(e); err != nil {
			return err
		}
	}
	if s.held != nil {
		if err := s.held.hear(e); err != nil {
			return err
		}
	}
	if chosen, ok := e.(run.Chosen); ok {
		s.Document.Choice = &chosen.Choice
	}
	p, ok := e.(run.PointEnded)
	if !ok {
		return nil
	}
	s.tables = p.Contents
	s.spent = s.spent.Plus(p.Spent)
	s.Document = with(s.Document, p)
	return s.files.write(p)
}

// with adds what was measured at a point, in place of what earlier laps measured there. A lap that was stopped has no
// summaries: those of the one before stay.
func with(d results.Document, p run.PointEnded) results.Document {
	if p.Lap == 0 {
		d.Rows, d.Summaries, d.LeftOut = append(d.Rows, p.Rows...), append(d.Summaries, p.Summaries...), append(d.LeftOut, p.LeftOut...)
		return d
	}
	d.Rows = replaced(d.Rows, p.Rows, func(r results.Row) results.Point { return r.Point })
	d.Summaries = replaced(d.Summaries, p.Summaries, func(s results.Summary) results.Point { return s.Point })
	d.LeftOut = replaced(d.LeftOut, p.LeftOut, func(l results.LeftOut) results.Point { return l.Point })
	return d
}

// replaced returns the list with the parts of one point in place of those that it has, or at its end.
func replaced[T any](list, parts []T, at func(T) results.Point) []T {
	if len(parts) == 0 {
		return list
	}
	same := func(part T) bool { return maps.Equal(at(part), at(parts[0])) }
	from := slices.IndexFunc(list, same)
	if from < 0 {
		from = len(list)
	}
	return slices.Concat(list[:from], parts, slices.DeleteFunc(slices.Clone(list[from:]), same))
}

// end closes everything after the run ended with an error or nil. An interrupted run returns interruption.
func (s *Session) end(ended error, interrupted bool, interruption error) error {
	err := ended
	switch {
	case interrupted:
		err, s.stopped = interruption, "it was interrupted"
	case err != nil && !errors.Is(err, run.ErrThreshold) && !errors.As(err, new(run.SchemesFailed)):
		s.stopped = err.Error()
	}
	if errors.As(err, new(*run.ScriptError)) {
		err = Wrong(err)
	}
	err = withOutput(err, s.closeRecording())
	if s.stopped != "" {
		s.tables = nil
	}
	err = withOutput(err, Wrong(s.held.end(s.tables)))
	if s.checker != nil && err == nil {
		err = s.checker.Err()
	}
	hangs := errors.As(ended, new(*engine.HangError)) // the kernel still uses the device
	if !hangs {
		s.weather.ask(s.dev, true)
	}
	s.Document.End = s.ended(interrupted)
	if err != nil && !interrupted {
		s.Document.End.Error = err.Error()
	}
	err = errors.Join(withOutput(err, s.files.close(s.Document, s.stopped != "")), s.job.close())
	if hangs {
		return err
	}
	return errors.Join(err, s.release())
}

// ended is the end of a run that ends now.
func (s *Session) ended(interrupted bool) results.End {
	now := time.Now()
	return results.End{Finished: now, Interrupted: interrupted, Conditions: results.Weather(s.weather.states),
		Spent: s.spent.Until(s.Document.Run.Started, now)}
}

// Results carries out a request while nobody watches. After an error, they are what there is until then.
func (r Request) Results(ctx context.Context) (results.Document, error) {
	s, err := r.Open(ctx)
	if err != nil {
		return results.Document{}, err
	}
	err = s.Run(ctx, Watcher{Hear: func(run.Event) {}, Print: func(string, string) {}})
	return s.Document, err
}

// Verdicts says for each scheme whether a replay gave what was recorded.
func (s *Session) Verdicts() []string {
	if s.checker == nil {
		return nil
	}
	return lists.Map(s.checker.Verdicts(), (*record.Verdict).String)
}

// Verified reports whether an oracle checked the whole run, which ended with that error or nil.
func (s *Session) Verified(failure error) bool {
	return s.plan.Verify && (failure == nil || errors.Is(failure, run.ErrThreshold)) && !errors.As(failure, new(run.SchemesFailed))
}

func (s *Session) newRecorder(path string) (*record.Recorder, error) {
	h := s.header
	h.Kind = lists.Either(s.Materialise, record.Materialised, record.Recipe)
	info := s.dev.Info()
	h.Device, h.Started = info.Name+", "+info.Model, s.Document.Run.Started.UTC().Format("2006-01-02T15:04:05Z")
	return record.NewRecorder(path, h, s.dev)
}

func (s *Session) closeRecording() error {
	if s.recorder == nil {
		return nil
	}
	var err error
	if s.stopped != "" {
		err = s.recorder.Stopped(s.stopped)
	}
	return cmp.Or(err, s.recorder.Close())
}

// weather has the machine's conditions (clocks, temperatures, load) during a run, in bounded memory.
type weather struct {
	senses devices.Sensors
	states []device.State
	tell   func(device.State) // nil: nobody listens
	period time.Duration
	rest   time.Time // until then it is not asked at all,
	next   time.Time // and until then not without need
}

const (
	senseEvery  = time.Second
	senseRest   = 100  // times as long as a question took
	senseStates = 1000 // of more, every second one is kept, and half as many are asked for
)

// ask asks a device, unless it was asked a moment ago and the answer is not needed. Questions take a hundredth of a
// run's time at most.
func (w *weather) ask(d device.Device, needed bool) {
	began := time.Now()
	if began.Before(w.rest) || !needed && began.Before(w.next) {
		return
	}
	s := w.senses.Read(d)
	if w.add(s); w.tell != nil {
		w.tell(s)
	}
	ended := time.Now()
	w.rest = ended.Add(senseRest * ended.Sub(began))
	w.next = w.rest
	if later := ended.Add(w.period); later.After(w.rest) {
		w.next = later
	}
}

func (w *weather) add(s device.State) {
	w.period = max(w.period, senseEvery)
	w.states = append(w.states, s)
	if len(w.states) < senseStates {
		return
	}
	for i := range senseStates / 2 {
		w.states[i] = w.states[2*i]
	}
	w.states, w.period = w.states[:senseStates/2], 2*w.period
}

package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Begin lets the run begin.
func (w *Watched) Begin() { w.begin() }

// Snapshot is the run as it is now.
func (w *Watched) Snapshot(v live.View) *live.Snapshot { return w.live.Load().Snapshot(v) }

// Pause stops the run between batches, or lets it go on.
func (w *Watched) Pause(on bool) {
	w.control.Pause(on)
	w.log(map[bool]string{true: "pause", false: "go on"}[on])
}

// Stop ends the run after the current batch.
func (w *Watched) Stop() { w.stop() }

// Speed scales the pace of a replay.
func (w *Watched) Speed(factor float64) error {
	switch {
	case w.replays == nil || !w.Pace.Recorded:
		return errors.New("batches are run one after the other: a speed goes with hashzoo tui RECORDING --pace recorded")
	case !(factor >= 1e-6 && factor <= 1e6):
		return fmt.Errorf("the speed is %g: it takes a number from 0.000001 to 1000000", factor)
	}
	w.control.Speed(factor / w.Pace.Speed)
	w.live.Load().Sped(factor)
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

// Record records to a new file from the next point on, where tables are empty. An empty
// path ends the recording.
func (w *Watched) Record(path string) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if path == "" {
		return w.endRecording()
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s already exists: a recording takes a new file", path)
	}
	switch {
	case w.recorder != nil:
		return fmt.Errorf("the run is recorded already: %s", w.Recording)
	case w.waiting != "":
		return fmt.Errorf("the run is recorded already: %s", w.waiting)
	case w.point.Index+1 >= w.point.Of && w.point.Of > 0:
		return errors.New("a recording begins with empty tables, at the next point, and this is the last: run again with --record FILE")
	}
	w.waiting = path
	w.control.Digests(true)
	w.log("the next point is recorded in " + path)
	return nil
}

// beginRecording begins a recording that waits for a point.
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
	w.live.Load().Recorded(path)
	w.log("is recorded in " + path)
}

// endRecording ends the recording, which says that the run went on.
func (w *Watched) endRecording() error {
	w.waiting = ""
	w.control.Digests(false)
	if w.recorder == nil {
		return nil
	}
	w.live.Load().Recorded("")
	w.log("the recording ends: " + w.Recording)
	err := errors.Join(w.recorder.Stopped("the recording was ended"), w.recorder.Close())
	w.recorder, w.begun = nil, false
	return err
}

// saveWait is how long Save waits for the results of the current batch.
const saveWait = 5 * time.Second

// Save writes the results so far to a new file.
func (w *Watched) Save() (path string, err error) {
	w.ask()
	w.mutex.Lock()
	d := w.document
	d.Rows = append(slices.Clone(d.Rows), w.soFar...)
	w.mutex.Unlock()
	if d.End.Finished.IsZero() {
		d.End = results.End{Finished: time.Now(), Interrupted: true}
	}
	file, err := numbered("results-%d.json")
	if err != nil {
		return "", err
	}
	w.log("results: " + file.Name())
	return file.Name(), errors.Join(d.WriteJSON(file), file.Close())
}

// ask has the run tell what it has measured so far.
func (w *Watched) ask() {
	w.mutex.Lock()
	told := w.told
	w.mutex.Unlock()
	w.control.Ask()
	select {
	case <-told:
	case <-w.done:
	case <-time.After(saveWait):
	}
}

// numbered creates a file with the first number that is free.
func numbered(pattern string) (*os.File, error) {
	for i := 1; ; i++ {
		file, err := os.OpenFile(fmt.Sprintf(pattern, i), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

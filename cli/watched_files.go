package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Record records into a file from the next point on, where tables are empty, or, with an
// empty path, no more.
func (w *watched) Record(path string) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if path == "" {
		return w.endRecording()
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is there already: a recording takes a new file", path)
	}
	switch {
	case w.recorder != nil || w.waiting != "":
		return fmt.Errorf("there is a recording already: %s", w.record+w.waiting)
	case w.point.Index+1 >= w.point.Of && w.point.Of > 0:
		return errors.New("a recording begins with empty tables, at the next point, and this is the last: run again with --record FILE")
	}
	w.waiting = path
	w.control.Digests(true)
	w.live.Load().Command("the next point is recorded in " + path)
	return nil
}

// beginRecording begins a recording that waits for a point.
func (w *watched) beginRecording(e run.PointBegan) {
	if w.waiting == "" || !e.Digests {
		return
	}
	path := w.waiting
	w.waiting = ""
	if err := w.recordTo(path); err != nil {
		w.live.Load().Command(err.Error())
		return
	}
	w.record, w.begun = path, true
	w.live.Load().Recorded(path)
	w.live.Load().Command("is recorded in " + path)
}

// endRecording ends the recording, which says that it is not of all of the run.
func (w *watched) endRecording() error {
	w.waiting = ""
	w.control.Digests(false)
	if w.recorder == nil {
		return nil
	}
	w.live.Load().Recorded("")
	w.live.Load().Command("the recording ends: " + w.record)
	err := errors.Join(w.recorder.Stopped("the recording was ended"), w.recorder.Close())
	w.recorder, w.begun = nil, false
	return err
}

// saveWait is how long results wait for those of the batch under way.
const saveWait = 5 * time.Second

// Save writes the results so far into a new file.
func (w *watched) Save() (path string, err error) {
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
	w.live.Load().Command("results: " + file.Name())
	return file.Name(), errors.Join(d.WriteJSON(file), file.Close())
}

// ask has the run say what it has measured so far.
func (w *watched) ask() {
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

// numbered makes a file with the first number that no other has.
func numbered(pattern string) (*os.File, error) {
	for i := 1; ; i++ {
		file, err := os.OpenFile(fmt.Sprintf(pattern, i), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

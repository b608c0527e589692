package session

import (
	"errors"

	"github.com/hashzoo/hashzoo/workloads/record"
)

// newRecorder creates a recording of this run.
func (s *Session) newRecorder(path string) (*record.Recorder, error) {
	h := s.header
	h.Kind = record.Recipe
	if s.Materialise {
		h.Kind = record.Materialised
	}
	info := s.dev.Info()
	h.Device, h.Started = info.Name+", "+info.Model, s.document.Run.Started.UTC().Format("2006-01-02T15:04:05Z")
	return record.NewRecorder(path, h, s.dev)
}

// closeRecording ends the recording, with the reason if the run ended early.
func (s *Session) closeRecording() error {
	if s.recorder == nil {
		return nil
	}
	var err error
	if s.stopped != "" {
		err = s.recorder.Stopped(s.stopped)
	}
	return errors.Join(err, s.recorder.Close())
}

package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/workloads/columnar"
)

// ErrCutOff means that a recording has no end.
var ErrCutOff = errors.New("hint: --partial takes what is there")

// Open reads a recording, which must be closed. One that is cut off is an error unless partial is set.
func Open(path string, partial bool) (*Recording, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	r, err := read(f)
	if err == nil {
		r.path = path
	}
	if err == nil && r.Cut != "" && !partial {
		err = fmt.Errorf("%s; %w", r.Cut, ErrCutOff)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("recording %s: %w", path, err)
	}
	if r.columns == nil {
		f.Close()
	}
	return r, nil
}

// Close closes the file of a materialized recording.
func (r *Recording) Close() error {
	if r.columns == nil {
		return nil
	}
	return r.columns.file.Close()
}

// file is an open recording.
type file interface {
	columnar.File
	io.Closer
}

func read(f file) (*Recording, error) {
	start := make([]byte, len(ipc.Magic))
	if _, err := f.ReadAt(start, 0); err == nil && bytes.Equal(start, ipc.Magic) {
		return readArrow(f)
	}
	r := newReader()
	if err := r.lines(f); err != nil {
		return nil, err
	}
	if r.rec.Kind == Materialised {
		return nil, errors.New("it says that it is materialised, but is a text; hint: recording export writes Arrow")
	}
	return r.rec, nil
}

// Is reports whether a file begins like a recording.
func Is(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, len(mark))
	n, _ := io.ReadFull(f, start)
	return bytes.HasPrefix(start[:n], ipc.Magic) || string(start[:n]) == mark
}

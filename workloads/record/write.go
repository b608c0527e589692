package record

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/engine"
)

// writer writes lines, and counts what the last one says.
type writer struct {
	file    io.WriteCloser
	columns *columnWriter // of a materialized recording
	hash    *xxh3.Hasher
	end
}

// create begins a recording in a new file.
func create(path string, h Header) (*writer, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	w, err := newWriter(file, h)
	if err != nil {
		err = fmt.Errorf("recording %s: %w", path, errors.Join(err, file.Close()))
	}
	return w, err
}

func newWriter(file io.WriteCloser, h Header) (*writer, error) {
	w := &writer{file: file, hash: xxh3.New()}
	if h.Kind == Materialised {
		w.columns = &columnWriter{file: file}
	}
	return w, w.add(line{Recording: &h}, nil)
}

// add writes a line. Materialized recordings need the input of a batch. A line of a recipe is
// in the file before the next batch runs, so nothing is lost however the run ends.
func (w *writer) add(l line, in *engine.Input) error {
	if b := l.Batch; b != nil {
		w.Batches++
		w.Operations += b.N
		if w.columns != nil {
			l.Batch = b.inColumns()
		}
	}
	text, err := l.encode()
	if err != nil {
		return err
	}
	w.hash.Write(text)
	if w.columns != nil {
		return w.columns.line(string(text), l.Batch, in)
	}
	_, err = w.file.Write(text)
	return err
}

func (w *writer) finish() error {
	w.Digest = hashText(w.hash.Sum128())
	return errors.Join(w.add(line{End: &w.end}, nil), w.close())
}

// close is called after the last line. Only a file that was synced is certain to be whole.
func (w *writer) close() (err error) {
	if w.columns != nil {
		err = w.columns.close()
	}
	if f, ok := w.file.(*os.File); ok {
		if info, failed := f.Stat(); failed == nil && info.Mode().IsRegular() {
			err = errors.Join(err, f.Sync())
		}
	}
	return errors.Join(err, w.file.Close())
}

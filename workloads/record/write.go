package record

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/engine"
)

// sink is where the lines of a recording go.
type sink interface {
	// line takes a line with its end, and the numbers of a batch of an operation, which
	// may be nil.
	line(text []byte, op string, numbers *engine.Columns) error
	// close is called after the last line.
	close() error
}

// writer writes lines, and counts what the last one says.
type writer struct {
	sink
	kind Kind
	hash *xxh3.Hasher
	end
}

// newWriter begins a recording in a file with its header.
func newWriter(file io.WriteCloser, h Header) (*writer, error) {
	w := &writer{sink: &textSink{file}, kind: h.Kind, hash: xxh3.New()}
	if h.Kind == Materialised {
		w.sink = &arrowSink{file: file}
	}
	return w, w.add(line{Recording: &h}, nil)
}

// add writes a line, and the numbers of a batch if the recording has them.
func (w *writer) add(l line, numbers *engine.Columns) error {
	if w.kind == Materialised && l.Batch != nil {
		l.Batch = l.Batch.inColumns()
	}
	text, err := l.encode()
	if err != nil {
		return err
	}
	op := ""
	if b := l.Batch; b != nil {
		w.Batches++
		w.Operations += b.N
		op = b.Op
	}
	w.hash.Write(text)
	return w.sink.line(text, op, numbers)
}

// finish writes the end.
func (w *writer) finish() error {
	w.Digest = hashText(w.hash.Sum128())
	return errors.Join(w.add(line{End: &w.end}, nil), w.sink.close())
}

// textSink is a recipe in a file. Every line is in the file before the next batch runs, so
// that all is kept up to there however the run ends.
type textSink struct{ file io.WriteCloser }

func (t *textSink) line(text []byte, _ string, _ *engine.Columns) error {
	_, err := t.file.Write(text)
	return err
}

func (t *textSink) close() error { return errors.Join(synced(t.file), t.file.Close()) }

// synced waits until a file is on its disk: only then is it certain to be whole.
func synced(w io.WriteCloser) error {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return f.Sync()
		}
	}
	return nil
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

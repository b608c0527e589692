package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/engine"
)

// sink is where the lines of a recording go.
type sink interface {
	// line takes a line; a batch comes with its numbers, which may be nil.
	line(text string, numbers *engine.Columns) error
	// close is called after the last line.
	close() error
}

// writer adds to the lines of a recording what can only be known at its end.
type writer struct {
	sink
	hash                *xxh3.Hasher
	offset              uint64
	index               []entry
	points              int
	batches, operations uint64
}

func newWriter(to sink) *writer { return &writer{sink: to, hash: xxh3.New()} }

// add writes a line; a batch has n operations, and a phase a name.
func (w *writer) add(text string, n uint64, phase string, numbers *engine.Columns) error {
	if strings.ContainsRune(text, '\n') || len(text) > maxLine {
		return fmt.Errorf("recording: a line of %d bytes, at most %d: %s", len(text), maxLine, shorten(text))
	}
	switch word, _, _ := strings.Cut(text, " "); word {
	case "point":
		w.points++
	case "phase":
		w.index = append(w.index, entry{w.points, phase, w.batches + 1, w.offset})
	case "batch":
		w.batches++
		w.operations += n
	}
	w.hash.WriteString(text)
	w.hash.WriteString("\n")
	w.offset += uint64(len(text)) + 1
	return w.sink.line(text, numbers)
}

// end writes the index and the digest.
func (w *writer) end() error {
	for _, e := range w.index {
		if err := w.add(e.line(), 0, "", nil); err != nil {
			return err
		}
	}
	err := w.sink.line(endLine(w.batches, w.operations, digestText(w.hash)), nil)
	return errors.Join(err, w.sink.close())
}

// textSink is a recipe in a file. Every line is in the file before the next batch runs, so
// that all is kept up to there however the run ends.
type textSink struct {
	file io.WriteCloser
	out  *bufio.Writer
}

func newTextSink(file io.WriteCloser) *textSink { return &textSink{file, bufio.NewWriter(file)} }

func (t *textSink) line(text string, _ *engine.Columns) error {
	t.out.WriteString(text)
	t.out.WriteByte('\n')
	return t.out.Flush()
}

func (t *textSink) close() error { return errors.Join(t.out.Flush(), synced(t.file), t.file.Close()) }

// synced waits until a file is on its disk: only then is it certain to be whole.
func synced(w io.WriteCloser) error {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return f.Sync()
		}
	}
	return nil
}

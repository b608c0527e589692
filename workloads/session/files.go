package session

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// files are the JSON document and the NDJSON lines that a session writes; nil: not wanted.
type files struct {
	json, ndjson io.WriteCloser
	lines        *results.Lines
	row          func(results.Row) results.Row
}

func openFiles(r Request, about results.Run) (f files, err error) {
	if f.row = r.Row; f.row == nil {
		f.row = func(row results.Row) results.Row { return row }
	}
	if f.json, err = r.create(r.JSON); err != nil {
		return f, err
	}
	if f.ndjson, err = r.create(r.NDJSON); err != nil || f.ndjson == nil {
		return f, err
	}
	f.lines, err = results.NewLines(f.ndjson, about)
	return f, err
}

func (r Request) create(path string) (io.WriteCloser, error) {
	switch path {
	case "":
		return nil, nil
	case "-":
		return unclosed{r.Out}, nil
	}
	return os.Create(path)
}

// unclosed is the standard output, which stays open.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// write adds the lines of a point.
func (f files) write(p run.PointEnded) error {
	if f.lines == nil {
		return nil
	}
	var errs []error
	for _, r := range p.Rows {
		errs = append(errs, f.lines.Row(f.row(r)))
	}
	for _, s := range p.Summaries {
		errs = append(errs, f.lines.Summary(s))
	}
	for _, l := range p.LeftOut {
		errs = append(errs, f.lines.LeftOut(l))
	}
	return errors.Join(errs...)
}

// close writes the document and the last line.
func (f files) close(d results.Document) error {
	var errs []error
	if f.json != nil {
		rows := make([]results.Row, len(d.Rows))
		for i, r := range d.Rows {
			rows[i] = f.row(r)
		}
		d.Rows = rows
		errs = append(errs, d.WriteJSON(f.json), f.json.Close())
	}
	if f.lines != nil {
		errs = append(errs, f.lines.End(d.End), f.ndjson.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

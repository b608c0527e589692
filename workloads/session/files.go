package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// files are the JSON document and the NDJSON lines that a session writes; nil: not wanted.
type files struct {
	json, ndjson io.WriteCloser
	lines        *json.Encoder
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
	f.lines = json.NewEncoder(f.ndjson)
	return f, f.lines.Encode(results.Line{Schema: results.Schema, Run: &about})
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

func (f files) write(p run.PointEnded) error {
	if f.lines == nil {
		return nil
	}
	var errs []error
	for _, row := range p.Rows {
		row = f.row(row)
		errs = append(errs, f.lines.Encode(results.Line{Row: &row}))
	}
	for _, s := range p.Summaries {
		errs = append(errs, f.lines.Encode(results.Line{Summary: &s}))
	}
	for _, out := range p.LeftOut {
		errs = append(errs, f.lines.Encode(results.Line{LeftOut: &out}))
	}
	return errors.Join(errs...)
}

func (f files) close(d results.Document) error {
	var errs []error
	if f.json != nil {
		d.Rows = slices.Clone(d.Rows)
		for i, row := range d.Rows {
			d.Rows[i] = f.row(row)
		}
		errs = append(errs, results.WriteJSON(f.json, d), f.json.Close())
	}
	if f.lines != nil {
		errs = append(errs, f.lines.Encode(results.Line{End: &d.End}), f.ndjson.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

package session

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// files are the JSON document and the NDJSON lines that a session writes; nil: not wanted.
type files struct {
	json, ndjson *regular.Output
	lines        *json.Encoder
	row          func(results.Row) results.Row
}

func openFiles(r Request, about results.Run) (f files, err error) {
	f.row = r.Row
	if f.json, err = r.create(r.JSON); err != nil {
		return f, err
	}
	if f.ndjson, err = r.create(r.NDJSON); err != nil || f.ndjson == nil {
		return f, err
	}
	f.lines = json.NewEncoder(f.ndjson)
	return f, f.lines.Encode(results.Line{Schema: results.Schema, Run: &about})
}

func (r Request) create(path string) (*regular.Output, error) {
	switch path {
	case "":
		return nil, nil
	case "-":
		return regular.Through(r.Out), nil
	}
	return regular.Create(path)
}

// outputs are the files that a run writes, each after its flag.
func (r Request) outputs() [][2]string {
	list := [][2]string{{"--json", r.JSON}, {"--ndjson", r.NDJSON}, {"--record", r.Recording}, {"--contents", r.Contents}}
	if r.Contents != "" {
		list = append(list, [2]string{"--contents", retrieved(r.Contents)})
	}
	return slices.DeleteFunc(list, func(o [2]string) bool { return o[1] == "" || o[1] == "-" })
}

// distinct refuses two outputs with one name, and one with the name of what is run.
func (r Request) distinct() error {
	outputs := r.outputs()
	for i, o := range outputs {
		for _, other := range outputs[:i] {
			if regular.Same(o[1], other[1]) {
				return fmt.Errorf("%s is %s, which %s writes: it takes another file", o[0], o[1], other[0])
			}
		}
	}
	return r.keeps(r.Script)
}

// keeps refuses an output that would replace a file which is read.
func (r Request) keeps(read string) error {
	for _, o := range r.outputs() {
		if regular.Same(o[1], read) {
			return fmt.Errorf("%s is %s, which is being read: it takes another file", o[0], o[1])
		}
	}
	return nil
}

func (f files) write(p run.PointEnded) error {
	if f.lines == nil {
		return nil
	}
	d := results.Document{Rows: lists.Map(p.Rows, f.row), Summaries: p.Summaries, LeftOut: p.LeftOut}
	return lists.Each(d.Lines(), func(l results.Line) error { return f.lines.Encode(l) })
}

// close ends the files. Those of a run that ended early replace no others.
func (f files) close(d results.Document, early bool) error {
	end := lists.Either(early, (*regular.Output).Keep, (*regular.Output).Commit)
	var errs []error
	if f.json != nil {
		errs = append(errs, f.writeJSON(d), end(f.json))
	}
	if f.lines != nil {
		errs = append(errs, f.lines.Encode(results.Line{End: &d.End}), end(f.ndjson))
	}
	if err := cmp.Or(errs...); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

func (f files) writeJSON(d results.Document) error {
	d.Rows = slices.Clone(d.Rows)
	for i, row := range d.Rows {
		d.Rows[i] = f.row(row)
	}
	err := results.WriteJSON(f.json, d)
	if err != nil {
		_ = f.json.Discard() // a part of a document is of no use
	}
	return err
}

// Written says where the results and the recording are, a line each; nothing after a failure to write one.
func (s *Session) Written(failure error) (lines []string) {
	if errors.As(failure, new(*regular.Failure)) {
		return nil
	}
	add := func(kind string, o *regular.Output) {
		switch {
		case o == nil || o.Path() == "":
		case o.Path() == o.Name():
			lines = append(lines, kind+": "+o.Path())
		default:
			lines = append(lines, fmt.Sprintf("%s: %s (%s takes only whole runs)", kind, o.Path(), o.Name()))
		}
	}
	if s.recorder != nil {
		add("recording", s.recorder.Output())
	}
	add("results", s.files.json)
	add("results", s.files.ndjson)
	if s.held != nil {
		lines = append(lines, s.held.lines...)
	}
	return lines
}

// withOutput joins two errors, but says only once that files cannot be written.
func withOutput(err, closing error) error {
	return lists.Either(errors.As(err, new(*regular.Failure)), regular.Cause(err), errors.Join(err, regular.Cause(closing)))
}

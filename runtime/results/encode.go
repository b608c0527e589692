package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// WriteJSON writes a document.
func (d Document) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

// Lines writes NDJSON as a run goes on, so that what was measured is kept however
// it ends.
type Lines struct{ e *json.Encoder }

// NewLines writes the first line.
func NewLines(w io.Writer, run Run) (*Lines, error) {
	l := &Lines{json.NewEncoder(w)}
	return l, l.e.Encode(Line{Schema: Schema, Run: &run})
}

// Row writes the line of a row.
func (l *Lines) Row(r Row) error { return l.e.Encode(Line{Row: &r}) }

// Summary writes the line of a summary.
func (l *Lines) Summary(s Summary) error { return l.e.Encode(Line{Summary: &s}) }

// LeftOut writes the line of a scheme that was left out.
func (l *Lines) LeftOut(out LeftOut) error { return l.e.Encode(Line{LeftOut: &out}) }

// End writes the last line.
func (l *Lines) End(end End) error { return l.e.Encode(Line{End: &end}) }

// ErrCutOff says that a file of lines has no last line. What was read before is
// returned with it.
var ErrCutOff = errors.New("results: cut off: the last line, which says how the run ended, is not there")

// Read reads a document or lines.
func Read(r io.Reader) (Document, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return Document{}, err
	}
	if isLines(all) {
		return readLines(all)
	}
	var d Document
	if err := strict(all, &d); err != nil {
		return d, fmt.Errorf("results: %w", err)
	}
	return d, schema(d.Schema)
}

// isLines tells lines from a document, also from one that was written on a line.
func isLines(all []byte) bool {
	first, _, _ := bytes.Cut(all, []byte("\n"))
	var document struct{ Rows *json.RawMessage }
	return json.Unmarshal(first, &document) == nil && document.Rows == nil
}

func readLines(all []byte) (Document, error) {
	var d Document
	scan := bufio.NewScanner(bytes.NewReader(all))
	scan.Buffer(nil, len(all)+1)
	for number := 1; scan.Scan(); number++ {
		var line Line
		if err := strict(scan.Bytes(), &line); err != nil {
			return d, fmt.Errorf("results: line %d: %w", number, err)
		}
		switch {
		case number == 1 && schema(line.Schema) != nil:
			return d, schema(line.Schema)
		case number == 1 && line.Run != nil:
			d.Schema, d.Run = line.Schema, *line.Run
		case number > 1 && line.Row != nil:
			d.Rows = append(d.Rows, *line.Row)
		case number > 1 && line.Summary != nil:
			d.Summaries = append(d.Summaries, *line.Summary)
		case number > 1 && line.LeftOut != nil:
			d.LeftOut = append(d.LeftOut, *line.LeftOut)
		case number > 1 && line.End != nil:
			d.End = *line.End
			return d, nil
		default:
			return d, fmt.Errorf("results: line %d: neither run, row, summary, left_out nor end, or not in this order", number)
		}
	}
	return d, ErrCutOff
}

func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the end")
	}
	return nil
}

func schema(name string) error {
	if name == Schema {
		return nil
	}
	return fmt.Errorf("results: schema is %q: this program reads %s", name, Schema)
}

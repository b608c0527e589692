package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// ErrCutOff is the error for an NDJSON file without its last line. Read returns it with the lines before.
var ErrCutOff = errors.New("results: the file was cut off: its last line, which says how the run ended, is missing")

// Read reads a document or NDJSON lines. Unknown fields are an error, since their meaning may matter.
func Read(all []byte) (d Document, err error) {
	first, _, _ := bytes.Cut(all, []byte("\n"))
	var document struct{ Rows *json.RawMessage } // which may also be a single line
	if json.Unmarshal(first, &document) == nil && document.Rows == nil {
		err = d.readLines(all)
		return d, err
	}
	if err := Strict(all, &d); err != nil {
		return d, fmt.Errorf("results: %w", err)
	}
	return d, checkSchema(d.Schema)
}

func (d *Document) readLines(all []byte) error {
	number := 0
	for text := range bytes.Lines(all) {
		number++
		var line Line
		if err := Strict(text, &line); err != nil {
			return fmt.Errorf("results: line %d: %w", number, err)
		}
		if number == 1 {
			if err := checkSchema(line.Schema); err != nil {
				return err
			}
		}
		if !d.add(line, number == 1) {
			return fmt.Errorf("results: line %d is not a row, summary, left_out or end after a first line with run", number)
		}
		if line.End != nil {
			return nil
		}
	}
	return ErrCutOff
}

// add adds a line to the document and reports whether the line is valid in its place.
func (d *Document) add(line Line, first bool) bool {
	switch {
	case first && line.Run != nil:
		d.Schema, d.Run = line.Schema, *line.Run
	case first:
		return false
	case line.Row != nil:
		d.Rows = append(d.Rows, *line.Row)
	case line.Summary != nil:
		d.Summaries = append(d.Summaries, *line.Summary)
	case line.LeftOut != nil:
		d.LeftOut = append(d.LeftOut, *line.LeftOut)
	case line.End != nil:
		d.End = *line.End
	default:
		return false
	}
	return true
}

// Join adds the results of another run, which may be the first.
func (d *Document) Join(more Document) {
	if d.Schema == "" {
		d.Schema, d.Run, d.End.Finished = more.Schema, more.Run, more.End.Finished
	}
	d.Rows, d.Summaries, d.LeftOut = append(d.Rows, more.Rows...), append(d.Summaries, more.Summaries...), append(d.LeftOut, more.LeftOut...)
	if more.Run.Started.Before(d.Run.Started) {
		d.Run.Started = more.Run.Started
	}
	if more.End.Finished.After(d.End.Finished) {
		d.End.Finished = more.End.Finished
	}
	d.End.Conditions = d.End.Conditions.Plus(more.End.Conditions)
}

// Lines are the lines of the rows, summaries and left-out schemes of a document.
func (d Document) Lines() []Line {
	return slices.Concat(lists.Map(d.Rows, func(r Row) Line { return Line{Row: &r} }),
		lists.Map(d.Summaries, func(s Summary) Line { return Line{Summary: &s} }), lists.Map(d.LeftOut, func(l LeftOut) Line { return Line{LeftOut: &l} }))
}

// WriteLines writes a document as NDJSON.
func WriteLines(w io.Writer, d Document) error {
	all := append([]Line{{Schema: d.Schema, Run: &d.Run}}, d.Lines()...)
	e := json.NewEncoder(w)
	return lists.Each(append(all, Line{End: &d.End}), func(l Line) error { return e.Encode(l) })
}

// Strict reads JSON whose fields are all known, and nothing after it.
func Strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("unexpected text after the end")
	}
	return nil
}

func checkSchema(name string) error {
	if name == Schema {
		return nil
	}
	return fmt.Errorf("results: schema is %q: this program reads %s", name, Schema)
}

// Seals are the digests of each row with the run, and at last of the whole document without them. They show an edit or a
// row of another run, but whoever edits may make new ones: package suite derives again what can be derived.
func (d Document) Seals() []string {
	d.End.Seals = nil
	return append(lists.Map(d.Rows, func(r Row) string { return sealOf(d.Run, r) }), sealOf(d))
}

func sealOf(parts ...any) string {
	return fmt.Sprintf("%x", xxh3.Hash128(lists.Must(json.Marshal(parts))).Bytes()) // it came from JSON, or goes there
}

// PublishedExtension is the end of the name of a file with published numbers: that of its script comes before it.
const PublishedExtension = ".published.csv"

// Published is a number of a paper, which plots show under the results that it belongs to.
type Published struct {
	Of     map[string]string `json:"of" doc:"its rows: scheme, phase, op, axes and options; what is absent may be anything"`
	Column string            `json:"column" doc:"such as probes, or a value of done"`
	Value  float64           `json:"value" doc:"the number"`
	Unit   string            `json:"unit" doc:"times NAME: relative to that scheme"`
	Source string            `json:"source" doc:"where it is printed, or how it follows from what is"`
}

// ParsePublished reads a file of published numbers: the columns column, value and unit, and others that say which
// results a number belongs to. Above the rows are their sources, as in expected.csv. Errors begin with the line number.
func ParsePublished(text string) (list []Published, err error) {
	err = schemes.EachSourced(text, func(columns, row []string, source schemes.Source) error {
		p := Published{Of: map[string]string{}, Source: source.String()}
		for i, name := range columns {
			if err := p.set(name, strings.TrimSpace(row[i])); err != nil {
				return err
			}
		}
		list = append(list, p)
		return p.check(columns)
	})
	return list, err
}

func (p *Published) set(name, text string) (err error) {
	switch {
	case name == "column":
		p.Column = text
	case name == "unit":
		p.Unit = text
	case name == "value":
		p.Value, err = strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			return fmt.Errorf("value is %q: it takes a number", text)
		}
	case text != "":
		p.Of[name] = text
	}
	return nil
}

func (p *Published) check(columns []string) error {
	for _, name := range []string{"column", "value", "unit"} {
		if !slices.Contains(columns, name) {
			return fmt.Errorf("column %s is missing: it takes column, value, unit, and names of fields such as scheme", name)
		}
	}
	switch {
	case p.Column == "":
		return fmt.Errorf("column is empty: it takes the name of a column of results, such as mops")
	case p.Unit == "":
		return fmt.Errorf("unit is empty: it takes what the value is measured in, such as Mop/s")
	}
	return nil
}

// OfAMachine reports whether the number is a rate or a time, which another machine does not have.
func (p Published) OfAMachine() bool {
	return strings.HasSuffix(p.Unit, "/s") || slices.Contains([]string{"s", "ms", "us", "ns"}, p.Unit)
}

// Times returns the scheme that the number is relative to.
func (p Published) Times() (scheme string, relative bool) { return strings.CutPrefix(p.Unit, "times ") }

package results

import (
	"encoding/json"
	"io"
)

// WriteJSON writes the document, indented.
func (d Document) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

// Lines writes NDJSON while a run goes on, so that results survive however it ends.
type Lines struct{ e *json.Encoder }

// NewLines writes the first line.
func NewLines(w io.Writer, run Run) (*Lines, error) {
	l := &Lines{json.NewEncoder(w)}
	return l, l.e.Encode(Line{Schema: Schema, Run: &run})
}

// Write writes a further line.
func (l *Lines) Write(line Line) error { return l.e.Encode(line) }

package schemes

import (
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Figure is how often something is counted per operation. It is a property of the algorithm, the same on every machine.
type Figure struct {
	Settings string  // parameters as users write them, such as bucket=16; the rest are defaults
	Load     float64 // the load factor of the table
	Op       string  // insert (while the table is filled) or find
	Present  float64 // for finds: the percentage of keys that are present
	Counter  string  // one of kernels.Counters
	PerOp    float64
	Within   float64 // the tolerance, relative to the expected figure
	Source   Source
}

// Source says where an expected figure comes from.
type Source struct {
	Kind string // of SourceKinds
	Text string // paper and table, formula, or commit
}

// SourceKinds are the kinds of sources: printed in a paper, derived from a paper, or measured with hashzoo.
var SourceKinds = []string{"published", "derived", "measured"}

// String returns the source as it appears in a file of figures.
func (s Source) String() string { return s.Kind + ": " + s.Text }

// Fill is a load factor that tables reach: with at least Least of 100 seeds, all pairs find room.
type Fill struct {
	Settings string
	Load     float64
	Least    int
}

// ParseFigures reads expected.csv: a header with the names of Figure's fields, and one row per
// figure, below its source (EachSourced). Errors begin with the line number.
func ParseFigures(text string) (figures []Figure, err error) {
	err = EachSourced(text, func(columns, row []string, source Source) error {
		f := Figure{Source: source}
		for i, column := range columns {
			if err := f.set(column, row[i]); err != nil {
				return err
			}
		}
		figures = append(figures, f)
		return f.check()
	})
	return figures, err
}

// EachSourced reads a table in which every row has a source. A comment such as "# derived: formula" is the source of
// the rows below it; the comment lines after it, up to an empty line, continue its text. The first line without a
// comment names the columns. Errors begin with the line number.
func EachSourced(text string, do func(columns, row []string, source Source) error) error {
	var columns []string
	var source Source
	comment := false
	for number, line := range strings.Split(text, "\n") {
		said, isComment := strings.CutPrefix(strings.TrimSpace(line), "#")
		var err error
		switch {
		case isComment:
			source = source.comment(strings.TrimSpace(said), comment)
		case strings.TrimSpace(line) == "":
		case columns == nil:
			columns, err = cells(line)
		default:
			err = sourced(columns, line, source, do)
		}
		if err != nil {
			return fmt.Errorf("%d: %w", number+1, err)
		}
		comment = isComment && strings.TrimSpace(said) != ""
	}
	if columns == nil {
		return fmt.Errorf("1: there is no header")
	}
	return nil
}

func sourced(columns []string, line string, source Source, do func(columns, row []string, source Source) error) error {
	row, err := cells(line)
	switch {
	case err != nil:
		return err
	case len(row) != len(columns):
		return fmt.Errorf("%d cells: the header has %d", len(row), len(columns))
	case source.Kind == "":
		return fmt.Errorf("a figure without a source: write it above, as in # measured: at commit 1234567")
	}
	return do(columns, row, source)
}

// comment returns the source after a comment line, which may continue a previous one.
func (s Source) comment(text string, follows bool) Source {
	if kind, what, ok := strings.Cut(text, ": "); ok && slices.Contains(SourceKinds, kind) {
		return Source{kind, what}
	}
	if follows && s.Kind != "" && text != "" {
		s.Text += " " + text
	}
	return s
}

func cells(line string) ([]string, error) { return csv.NewReader(strings.NewReader(line)).Read() }

func (f *Figure) set(column, text string) error {
	known := map[string]any{"settings": &f.Settings, "load": &f.Load, "op": &f.Op, "present": &f.Present, "counter": &f.Counter, "per_op": &f.PerOp, "within": &f.Within}
	switch to := known[column].(type) {
	case *string:
		*to = text
	case *float64:
		number, err := strconv.ParseFloat(text, 64)
		if err != nil && (text != "" || column != "present") {
			return fmt.Errorf("column %s is %q: it takes a number", column, text)
		}
		*to = number
	default:
		return nearest.Unknown("column", column, slices.Sorted(maps.Keys(known)))
	}
	return nil
}

// check checks what is independent of the scheme.
func (f Figure) check() error {
	switch {
	case f.Op != "insert" && f.Op != "find":
		return fmt.Errorf("op is %q: it takes insert, find", f.Op)
	case !slices.Contains(kernels.Counters, f.Counter):
		return nearest.Unknown("counter", f.Counter, kernels.Counters)
	case !(f.Load > 0 && f.Load <= 1):
		return fmt.Errorf("load is %g: it takes more than 0 and at most 1", f.Load)
	case !(f.Present >= 0 && f.Present <= 100):
		return fmt.Errorf("present is %g: it takes 0 to 100", f.Present)
	case !(f.PerOp > 0):
		return fmt.Errorf("per_op is %g: it takes more than 0", f.PerOp)
	case !(f.Within > 0):
		return fmt.Errorf("within is %g: it takes more than 0, such as 0.02", f.Within)
	}
	return nil
}

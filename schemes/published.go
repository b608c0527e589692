package schemes

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"

	"github.com/hashzoo/hashzoo/kernels"
)

// Figure is a published figure that a scheme must reproduce: how often something
// is counted per operation. Such figures are a property of the algorithm, the same
// on every machine.
type Figure struct {
	Settings string  // parameters as users write them, such as bucket=16; the rest are defaults
	Load     float64 // load factor to which the table is filled
	Op       string  // insert, while the table is filled, or find
	Present  float64 // finds: percent of the keys that are there
	Counter  string  // one of kernels.Counters
	PerOp    float64
	Within   float64 // how far off the measured figure may be, relative to the published one
}

// Fill is a load factor that tables reach: of 100 seeds, at least so many give a
// table in which all pairs find room.
type Fill struct {
	Settings string
	Load     float64
	Least    int
}

//go:embed published/*.csv
var publishedFiles embed.FS

// published reads the figures of published/<name>.csv. It panics on a file that
// is wrong, as Register does on a declaration.
func published(name string) []Figure {
	text, err := publishedFiles.ReadFile("published/" + name + ".csv")
	if err != nil {
		panic(err)
	}
	figures, err := parseFigures(text)
	if err != nil {
		panic(fmt.Errorf("published/%s.csv: %w", name, err))
	}
	return figures
}

// parseFigures reads a header that names Figure's fields, and a line for each.
func parseFigures(text []byte) ([]Figure, error) {
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comment = '#'
	lines, err := reader.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("no header")
	}
	var figures []Figure
	for _, line := range lines[1:] {
		var f Figure
		for i, column := range lines[0] {
			if err := f.set(column, line[i]); err != nil {
				return nil, err
			}
		}
		figures = append(figures, f)
	}
	return figures, nil
}

func (f *Figure) set(column, text string) error {
	numbers := map[string]*float64{"load": &f.Load, "present": &f.Present, "per_op": &f.PerOp, "within": &f.Within}
	texts := map[string]*string{"settings": &f.Settings, "op": &f.Op, "counter": &f.Counter}
	if to, ok := texts[column]; ok {
		*to = text
		return nil
	}
	to, ok := numbers[column]
	if !ok {
		return fmt.Errorf("column %q: there are settings, load, op, present, counter, per_op, within", column)
	}
	if text == "" && column == "present" {
		return nil
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("column %s is %q: it takes a number", column, text)
	}
	*to = number
	return nil
}

// plausible says what is wrong with the figures that a scheme declares.
func (s *Scheme) plausible() error {
	for _, f := range s.Published {
		if !s.Caps.Has(f.Op) || !slices.Contains(kernels.Counters, f.Counter) || f.Within <= 0 || f.Load <= 0 {
			return fmt.Errorf("scheme %s: published figure %+v: no such operation or counter, or no load factor or tolerance", s.Name, f)
		}
		if _, err := s.Configure(f.Settings); err != nil {
			return fmt.Errorf("published figure: %w", err)
		}
	}
	for _, f := range s.Fills {
		if _, err := s.Configure(f.Settings); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
	}
	return nil
}

package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/schemes"
)

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

package analysis

import (
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// Value is a number of a result: of a row, or of what a script's done returned.
type Value struct {
	Number float64
	of     datum
}

// Values are the numbers of a column, in the order of the results.
func Values(d results.Document, column string) ([]Value, error) {
	all := draft{Plot: results.Plot{Y: column}, sides: []Side{{Files: []File{{Document: d}}}}}
	if err := all.collect(); err != nil {
		return nil, err
	}
	return lists.Map(all.data, func(one datum) Value { return Value{one.y, one} }), nil
}

// Is reports whether the number is of a result whose fields have these values. A scheme is one that has the settings.
func (v Value) Is(fields map[string]string) bool { return v.of.has(fields) }

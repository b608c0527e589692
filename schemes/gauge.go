package schemes

import (
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Gauge is a quantity inside a table that is worth watching during a run: how full its
// buckets are, how many slabs it has allocated.
type Gauge struct {
	Name string `json:"name"`           // for example bucket fill or slabs
	Help string `json:"help"`           // one line
	Unit string `json:"unit,omitempty"` // the unit of the values: buckets, slabs, %; empty for plain numbers
	Even bool   `json:"-"`              // inserts bring all its bars to the same share of their bounds, which check holds it to
	Mean bool   `json:"-"`              // its values are means, which do not add up where a table is in shards
	// Read examines a table between batches and must not change it. It must be cheap however large
	// the table is: kernels visit the slots, and only their counts are copied to the host.
	Read func(Table) ([]Bar, error) `json:"-"`
	// Fits returns why the gauge cannot be read for a layout; nil if it always can.
	Fits func(Config, Layout, Pair) error `json:"-"`
}

// Bar is one value of a gauge. A gauge with one bar is a number, one with several is a chart.
type Bar struct {
	Label string  `json:"label,omitempty" doc:"if there are several"` // 0, 5-8, subtable 3
	Value float64 `json:"value" doc:"the value"`
	Of    float64 `json:"of,omitempty" doc:"upper bound"`
}

// Reading is the result of reading a gauge.
type Reading struct {
	Name string `json:"name" doc:"as in hashzoo schemes NAME"`
	Help string `json:"help" doc:"what it shows"`
	Unit string `json:"unit,omitempty" doc:"unit of the values"`
	Bars []Bar  `json:"bars" doc:"one for a number, several for a chart"`
}

// Look reads the gauge for a table.
func (g Gauge) Look(t Table) (Reading, error) {
	bars, err := g.Read(t)
	if err != nil {
		return Reading{}, fmt.Errorf("scheme %s: gauge %s: %w", t.Config().Name, g.Name, err)
	}
	return Reading{g.Name, g.Help, g.Unit, bars}, nil
}

// LengthLabels are the labels of the length bins, of walks (as in the counters) and of lists, which may be empty.
var LengthLabels = func() []string {
	labels := lists.Map(kernels.Lengths, func(counter string) string {
		return strings.ReplaceAll(strings.TrimPrefix(counter, "probes_"), "_", "-")
	})
	labels[len(labels)-1] += "+"
	return labels
}()

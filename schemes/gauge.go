package schemes

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
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

// Row is a part of a table as vectors and single steps show it: a bucket or a list.
type Row struct {
	Name  string // for example list 3; empty: its number says which bucket it is
	Cell  string // what a cell is called; empty: a slot
	At    []Span // all of its memory
	Cells []Cell
}

// Cell is a slot of a row.
type Cell struct {
	Text string // 7=70, x for an erased pair, a dot for an unused slot, a bar between nodes of a list
	At   []Span // its key and value, which may be apart
}

// Span is a piece of memory.
type Span struct {
	At    device.Addr
	Bytes uint64
}

// Overlaps reports whether two pieces have a byte in common.
func (s Span) Overlaps(other Span) bool {
	return s.At < other.At+device.Addr(other.Bytes) && other.At < s.At+device.Addr(s.Bytes)
}

// CellTitle returns the name of a cell, given its number and the row's. Bars are no cells.
func (r Row) CellTitle(row, cell int) string {
	if r.Name == "" && len(r.Cells) == 1 {
		return r.Title(row)
	}
	number := cell
	for _, c := range r.Cells[:cell] {
		if len(c.At) == 0 {
			number--
		}
	}
	return fmt.Sprintf("%s %d of %s", cmp.Or(r.Cell, "slot"), number, r.Title(row))
}

// Title returns the row's name, given its number.
func (r Row) Title(number int) string {
	switch {
	case r.Name != "":
		return r.Name
	case len(r.Cells) == 1:
		return fmt.Sprintf("slot %d", number)
	}
	return fmt.Sprintf("bucket %d", number)
}

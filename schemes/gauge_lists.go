package schemes

import (
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
)

// Gauges of tables that are lists.

// LengthLabels are those of the bins of lengths: of walks, as the counters have them, and
// of lists, which may be empty.
var LengthLabels = func() []string {
	var labels []string
	for _, counter := range kernels.Lengths {
		labels = append(labels, strings.ReplaceAll(strings.TrimPrefix(counter, "probes_"), "_", "-"))
	}
	labels[len(labels)-1] += "+"
	return labels
}()

// lengths reads a bar for each range of lengths, from 0 or 1 on, where a kernel counts
// lists by their lengths.
func lengths(look func(Table) ([]uint64, error), from int) func(Table) ([]Bar, error) {
	return func(t Table) ([]Bar, error) {
		bins, err := look(t)
		if err != nil {
			return nil, err
		}
		var bars []Bar
		for i, label := range append([]string{"0"}, LengthLabels...)[from:] {
			bars = append(bars, Bar{Label: label, Value: float64(bins[from+i])})
		}
		return bars, nil
	}
}

package run

import (
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// CheckSort refuses a column to sort by that no table can have: of these phases, and of what
// the script names.
func CheckSort(title string, phases []string, names func(string) bool) error {
	always := append((&Report{}).columns(), (&Report{}).paced()...)
	bare := title
	for _, unit := range []string{"Mop/s", "ms", "p99", "probes", "table reads", "table writes", "± %", "per pair", Ratio} {
		bare = strings.TrimSuffix(bare, " "+unit)
	}
	known := slices.Concat(lists.Map(always, func(c column) string { return c.Title }), phases, kernels.Ops)
	for _, op := range kernels.Ops {
		if phase, is := strings.CutSuffix(bare, " "+op); is && (phase == Prepare || slices.Contains(phases, phase) || names(phase)) {
			return nil
		}
	}
	if bare == "" || slices.Contains(known, bare) || names(bare) {
		return nil
	}
	return nearest.Unknown("column", title, known)
}

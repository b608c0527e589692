package kernels

import (
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// Every word in the columns of HZ_OPS is one that Go knows.
func TestOperationsAreSpelledRight(t *testing.T) {
	for i, op := range Operations {
		must.Hold(t, OpNumber(op.Name) == i && Ops[i] == op.Name && op.Help != "", "operation %d: %+v", i, op)
		for _, outcome := range op.Outcomes {
			must.Hold(t, slices.Contains(Outcomes, outcome), "%s: %q is no outcome", op.Name, outcome)
		}
		known := slices.Contains([]Kind{OnKeys, OnSlots, OnTable, Mixed, Family}, op.Kind) &&
			slices.Contains([]Answer{NoAnswer, OneValue, Number, Values, Rows}, op.Answer) &&
			slices.Contains([]Removal{RemovesNone, RemovesOne, RemovesAnswered}, op.Removes) &&
			slices.Contains([]Change{Keeps, Gives, Sums, Lowers, Raises}, op.Becomes) &&
			slices.Contains([]Order{AnyOrder, LastStays, OrderMatters}, op.Order)
		must.Hold(t, known && (op.Removes != RemovesAnswered || op.Counts()), "%s: a column that means nothing: %+v", op.Name, op)
	}
	if op := Op("upsert"); !op.Value || !op.Adds || op.Blind() || op.Looks() || !op.OnePair() || !op.May("replaced") {
		t.Errorf("upsert: %+v", op)
	}
	if op := Op("tally"); op.Value || !op.Adds || op.Blind() || op.Looks() || !op.Combines() || op.Kernel() != "combine" {
		t.Errorf("tally: %+v", op)
	}
	for kernel, combines := range map[string]bool{
		"hz_linear_b8_k4v4_combine": true, "hz_stash_k4v64_combine_counted": true, "hz_linear_b8_k4v4_insert": false, "hz_combine_fill": false,
		Ahead("hz_linear_b8_k4v4_combine"): true,
	} {
		must.Hold(t, Combining(kernel) == combines, "%s: Combining is %v", kernel, !combines)
	}
	must.Hold(t, OpNumber("guess") == -1 && Op("guess").Name == "", "guess is an operation")
}

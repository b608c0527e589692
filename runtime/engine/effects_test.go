package engine

import (
	"fmt"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
)

// What an operation may do to a key's pairs follows from its columns, also for operations
// that do not exist yet.
func TestEffectsFollowFromColumns(t *testing.T) {
	take := kernels.Operation{Name: "take", Kind: kernels.OnKeys, Answer: kernels.OneValue, Removes: kernels.RemovesOne}
	ok, missing, replaced := Given{Outcome: "ok", Value: 2}, Given{Outcome: "missing"}, Given{Outcome: "replaced"}
	for _, c := range []struct {
		op     kernels.Operation
		values []uint64
		gave   Given
		want   string
	}{
		{kernels.Op("insert"), []uint64{1}, ok, "[[1 9]]"},
		{kernels.Op("insert"), []uint64{1}, Given{Outcome: "failed"}, "[[1]]"},
		{kernels.Op("upsert"), nil, ok, "[[9]]"},
		{kernels.Op("upsert"), []uint64{1}, ok, "[]"},
		{kernels.Op("upsert"), []uint64{1, 2}, replaced, "[[9 2] [1 9]]"},
		{kernels.Op("find"), []uint64{1, 2}, ok, "[[1 2]]"},
		{kernels.Op("find"), []uint64{1}, ok, "[]"},
		{kernels.Op("find"), []uint64{1}, missing, "[]"},
		{kernels.Op("update"), []uint64{1, 2}, ok, "[[9 2] [1 9]]"},
		{kernels.Op("update"), nil, missing, "[[]]"},
		{kernels.Op("erase"), []uint64{1, 2}, ok, "[[2] [1]]"},
		{kernels.Op("erase"), nil, ok, "[]"},
		{take, []uint64{1, 2}, ok, "[[1]]"},
		{take, []uint64{2}, ok, "[[]]"},
		{take, []uint64{1}, ok, "[]"},
	} {
		if got := fmt.Sprint(effectOf(c.op).next(c.values, deed{op: c.op.Name, value: 9, Given: c.gave})); got != c.want {
			t.Errorf("%s of %v that is %s: %s, want %s", c.op.Name, c.values, c.gave.Outcome, got, c.want)
		}
	}
}

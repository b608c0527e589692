package engine

import (
	"fmt"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
)

// The effects of an operation on a key's pairs follow from its columns, also for operations
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
		{kernels.Op("add"), nil, ok, "[[9]]"},
		{kernels.Op("add"), []uint64{1, 254}, replaced, "[[10 254] [1 7]]"},
		{kernels.Op("min"), []uint64{1, 20}, replaced, "[[1 20] [1 9]]"},
		{kernels.Op("max"), []uint64{1, 20}, replaced, "[[9 20] [1 20]]"},
		{kernels.Op("max"), []uint64{1}, ok, "[]"},
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
		if got := fmt.Sprint(effectOf(c.op).next(c.values, action{op: c.op.Name, value: 9, most: 255, Given: c.gave})); got != c.want {
			t.Errorf("%s of %v that is %s: %s, want %s", c.op.Name, c.values, c.gave.Outcome, got, c.want)
		}
	}
}

// The possible values of a key are listed up to a bound.
func TestMixturesAreBounded(t *testing.T) {
	o, list := oracleOf123(), []did{got(1, 123)}
	for i := range uint64(40) {
		list = append(list, com("add", 1, 1<<(i%31), "replaced"))
	}
	list = append(list, ers(1, "ok"), com("add", 1, 1000, "ok"))
	a := launch(list...)
	if err := o.apply(opsOf(a), &a); err != nil || !o.of(1).get(1).any {
		t.Errorf("%v, and key 1 is known to be %v", err, o.of(1).get(1))
	}
	if err := o.holds([]uint64{1, 2, 3}, []uint64{77, 20, 30}); err != nil {
		t.Error(err)
	}
	if o.of(1).matches(1, 78) {
		t.Error("key 1 may have another value than the table has shown")
	}
}

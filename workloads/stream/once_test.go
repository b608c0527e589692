package stream

import (
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/workloads/rows"
)

// The answers of thousands of batches can be put together: their concatenation has one part, and the same numbers.
func TestManyPartsOfData(t *testing.T) {
	fields := []rows.Field{rows.Plain("id")}
	all, mirrored := OfFields("", nil, fields), OfFields("", nil, fields)
	var want []uint64
	for i := range uint64(2000) {
		part := OfFields("part", []uint64{i, 5}, fields)
		all, mirrored = all.Concat(part), part.Concat(mirrored)
		want = append(want, i, 5)
	}
	for _, s := range []Stream{all, mirrored} {
		if err := s.Check(); err != nil || s.Len() != 4000 || s.node.parts > mostJoined || s.Fields()[0].Name != "id" {
			t.Fatalf("%v: %d numbers in %d parts", err, s.Len(), s.node.parts)
		}
	}
	var have []uint64
	if err := all.numbers(func(x uint64) { have = append(have, x) }); err != nil || !slices.Equal(have, want) {
		t.Error(err, have)
	}
	part := Data("part", []uint64{5})
	endless := part.Concat(Sequential())
	for range 100 {
		endless = part.Concat(endless) // that of a generator stays an expression
	}
	if endless.Err() != nil || endless.Joined() {
		t.Error(endless.Err())
	}
	once := all.Once()
	if n, err := once.Different(); err != nil || n != 2000 || once.Len() != 2000 {
		t.Errorf("%v: %d different numbers of %d", err, n, once.Len())
	}
	if err := Sequential().Take(5).Once().Err(); err == nil {
		t.Error("the numbers of a generator are not known")
	}
}

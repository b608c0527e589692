package check

import (
	"math/rand/v2"
	"testing"

	"github.com/hashzoo/hashzoo/schemes"
)

// thrown returns bars of some slots each, to which pairs were sent at random.
func thrown(r *rand.Rand, bars, slots, pairs int) []schemes.Bar {
	list := make([]schemes.Bar, bars)
	for range pairs {
		list[r.IntN(bars)].Value++
	}
	for i := range list {
		list[i].Of = float64(slots)
	}
	return list
}

// What differs by chance only is alike, in a small table too: parts of 512 slots often differ by more than a tenth.
func TestChanceIsNotUneven(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	far := 0
	for range 500 {
		bars := thrown(r, 5, 512, 5*384)
		if !alike(bars) {
			t.Fatalf("uneven: %v", bars)
		}
		for _, b := range bars[1:] {
			if filled(b) > 1.1*filled(bars[0]) {
				far++
			}
		}
	}
	if far == 0 {
		t.Error("no bars differed by a tenth, so this shows nothing")
	}
}

// The filled shares of subtables as the paper draws them, and those of one subtable that gets too few pairs.
func TestUnevenBars(t *testing.T) {
	for _, shares := range [][]float64{{0.65, 0.95, 0.95}, {0.95, 0.95, 0.65}, {0.8, 0.8, 0.5, 0.8}} {
		var bars []schemes.Bar
		for _, share := range shares {
			bars = append(bars, schemes.Bar{Value: 2000 * share, Of: 2000})
		}
		if alike(bars) {
			t.Errorf("shares of %v are called alike", shares)
		}
	}
}

package host

import (
	"math"
	"testing"
)

// tableOf returns a table of three subtables of 2^level buckets of 16 slots each.
func tableOf(level, size uint64, auto bool) *subtables {
	s := &subtables{bucket: 16, size: size, auto: auto, up: 0.9}
	s.block.Hashes = 3
	s.block.Arg[argBase] = 1
	for i := range s.levels() {
		s.levels()[i] = level
	}
	return s
}

// Pieces of a batch that brings few keys soon have all of it, and those of one that brings many do not fill
// a table beyond what it may hold for a moment.
func TestPieces(t *testing.T) {
	s := tableOf(6, 0, true) // 3072 slots
	room := s.room()
	if want := uint64(2918); room != want {
		t.Fatalf("an empty table of 3072 slots has room for %d, want %d", room, want)
	}
	if n := s.piece(0, 0); n != room {
		t.Errorf("the first piece has %d, want %d: all may be new", n, room)
	}
	pieces := 0
	for done, last := uint64(0), uint64(0); done < 100_000_000; done, pieces = done+last, pieces+1 {
		last = s.piece(last, 0)
	}
	if pieces > 6 {
		t.Errorf("100 million rows of known keys take %d pieces", pieces)
	}
	for _, added := range []uint64{1, 10, 1000, 2000} {
		s := tableOf(6, added, true)
		n := s.piece(2000, added)
		brings := float64(n) * float64(added) / 2000
		if n < s.room() || brings > math.Max(float64(s.room()), 16*float64(added)) {
			t.Errorf("after 2000 that brought %d, a piece has %d, which may bring %.0f, and there is room for %d", added, n, brings, s.room())
		}
	}
	for what, s := range map[string]*subtables{"not resized": tableOf(6, 100, false), "beyond beta": tableOf(6, 3000, true)} {
		if n := s.piece(0, 0); n != math.MaxUint64 {
			t.Errorf("%s: a piece has %d, want all", what, n)
		}
	}
}

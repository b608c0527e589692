package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/schemes"
)

// Keys that a batch of inserts has twice are noted on schemes with unique keys: all of a small batch, about as many of
// a large one.
func TestRepeatedKeysAreNoticed(t *testing.T) {
	dev := openCPU(t, 2)
	for _, c := range []struct {
		scheme    string
		n, unique uint64
		want      string
	}{
		{"bcht", 1000, 1000, ""},
		{"bcht", 1000, 999, "1 of 1000 keys were in the batch before"},
		{"linear", 1000, 400, "600 of 1000 keys were in the batch before"},
		{"slab", 1000, 400, ""},
		{"bcht", 300_000, 300_000, ""},
		{"bcht", 300_000, 290_000, "about (from 1 in 4 keys) "},
	} {
		on := table(t, dev, Spec{Config: config(t, c.scheme), Shape: schemes.Shape{Pair: schemes.Pair4, N: 2 * c.n, Load: 0.5}})
		keys := make(List, c.n)
		for i := range keys {
			keys[i] = uint64(i) % c.unique * 7919
		}
		notes := strings.Join(run(t, on, insert(keys)).Notes, "; ")
		if (c.want == "") != (notes == "") || !strings.HasPrefix(notes, c.want) {
			t.Errorf("%s: %d keys, %d different: %q, want %q", c.scheme, c.n, c.unique, notes, c.want)
		}
		var seen uint64
		if n, _ := fmt.Sscanf(notes, "about (from 1 in 4 keys) %d", &seen); n == 1 && (seen < 9000 || seen > 11000) {
			t.Errorf("%s: %d repeated keys noticed, want about 10000", c.scheme, seen)
		}
	}
}

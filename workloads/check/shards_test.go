package check

import (
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/schemes"
)

// A table in shards climbs the ladder, for every scheme with its defaults and its first pairs.
func TestEverySchemePassesInShards(t *testing.T) {
	dev, err := devices.Open("cpu*2", device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, s := range schemes.All() {
		config := s.Defaults()
		r := check(t, Plan{Targets: []Target{{s, &config}}, Device: dev, Quick: true, Seed: 1, Part: "ladder", Pair: s.Caps.Pairs[0].String()})
		if len(r) != len(ladder) {
			t.Errorf("%s climbed %d of %d rungs", s.Name, len(r), len(ladder))
		}
		for _, f := range r {
			if f.Status != Passed && f.Status != NotOffered {
				t.Errorf("%s: %s: %s\n%s", f.subject(), f.Status, f.Why, f.Repeat)
			}
		}
	}
}

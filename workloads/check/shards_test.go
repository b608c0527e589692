package check

import (
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/schemes"
)

// A table in shards climbs the ladder, for every scheme with its defaults: on two devices with its first pairs, on four
// with its last.
func TestEverySchemePassesInShards(t *testing.T) {
	for name, pairOf := range map[string]func([]schemes.Pair) schemes.Pair{
		"cpu*2": func(pairs []schemes.Pair) schemes.Pair { return pairs[0] },
		"cpu*4": func(pairs []schemes.Pair) schemes.Pair { return pairs[len(pairs)-1] },
	} {
		t.Run(name, func(t *testing.T) {
			dev, err := devices.Open(name, device.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			for _, s := range schemes.All() {
				climbs(t, dev, s, pairOf(s.Caps.Pairs))
			}
		})
	}
}

func climbs(t *testing.T, dev device.Device, s *schemes.Scheme, pair schemes.Pair) {
	t.Helper()
	config := s.Defaults()
	r := check(t, Plan{Targets: []Target{{s, &config}}, Device: dev, Quick: true, Seed: 1, Part: "ladder", Pair: pair.String()})
	if len(r) != len(ladder) {
		t.Errorf("%s climbed %d of %d rungs", s.Name, len(r), len(ladder))
	}
	for _, f := range r {
		if f.Status != Passed && f.Status != NotOffered {
			t.Errorf("%s: %s: %s\n%s", f.subject(), f.Status, f.Why, f.Repeat)
		}
	}
}

package check

import (
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// A table in shards climbs the ladder, for every scheme with its defaults: on two devices with its first pairs, on four
// with its last. In the small tier, two schemes are on two devices, and another one is on four.
func TestEverySchemePassesInShards(t *testing.T) {
	for name, pairOf := range map[string]func([]schemes.Pair) schemes.Pair{
		"cpu*2": func(pairs []schemes.Pair) schemes.Pair { return pairs[0] },
		"cpu*4": func(pairs []schemes.Pair) schemes.Pair { return pairs[len(pairs)-1] },
	} {
		t.Run(name, func(t *testing.T) {
			list, plan := schemes.All(), Plan{Quick: true, Seed: 1, Part: "ladder"}
			if testing.Short() {
				timed := least
				timed.timed = name != "cpu*2"
				list, plan.scale = ofEachKind(t)[:2], &timed
				if timed.timed {
					list = ofEachKind(t)[2:]
				}
			}
			dev := must.Get(devices.Open(name, device.Options{}))(t)
			defer dev.Close()
			plan.Device = dev
			for _, s := range list {
				climbs(t, plan, s, pairOf(s.Caps.Pairs))
			}
		})
	}
}

// Vectors show the slots of one device, so several GPUs have none to compare.
func TestVectorsAreOfOneDevice(t *testing.T) {
	two := device.NewGroup("two", []device.Device{gpu{openCPU(t, 1), "none"}, gpu{openCPU(t, 1), "none"}})
	r := check(t, Plan{Targets: []Target{{Scheme: scheme(t, "bcht")}}, Device: two, Quick: true, Seed: 1, Part: "vectors"})
	if len(r) != 1 || r[0].Status != Unavailable {
		t.Errorf("%+v", r)
	}
}

// ofEachKind are schemes that differ in what shards must do: in one, a key has several pairs; one combines values and
// grows; and one has pairs whose parts are apart, and an operation for each launch.
func ofEachKind(t *testing.T) (list []*schemes.Scheme) {
	t.Helper()
	for _, is := range []func(schemes.Capabilities) bool{
		func(c schemes.Capabilities) bool { return c.Duplicates && len(c.Concurrent) > 0 },
		func(c schemes.Capabilities) bool {
			return !c.Duplicates && c.Has("resize") && slices.Contains(c.Concurrent, "add")
		},
		func(c schemes.Capabilities) bool {
			return len(c.Concurrent) == 0 && slices.ContainsFunc(c.Pairs, func(p schemes.Pair) bool { return p.Value > 8 })
		},
	} {
		i := slices.IndexFunc(schemes.All(), func(s *schemes.Scheme) bool { return is(s.Caps) })
		if i < 0 {
			t.Fatal("no scheme of a kind")
		}
		list = append(list, schemes.All()[i])
	}
	return list
}

func climbs(t *testing.T, plan Plan, s *schemes.Scheme, pair schemes.Pair) {
	t.Helper()
	config := s.Defaults()
	plan.Targets, plan.Pair = []Target{{s, &config}}, pair.String()
	r := check(t, plan)
	if len(r) != len(ladder) {
		t.Errorf("%s climbed %d of %d rungs", s.Name, len(r), len(ladder))
	}
	noneFails(t, r)
}

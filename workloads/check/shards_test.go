package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
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
				list, plan.scale = ofEachKind(t)[:2], &least
				if name == "cpu*4" {
					list, plan.scale = ofEachKind(t)[2:], &timed
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
	must.Hold(t, len(r) == 1 && r[0].Status == Unavailable, "%+v", r)
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
		must.Need(t, i >= 0, "no scheme of a kind")
		list = append(list, schemes.All()[i])
	}
	return list
}

func climbs(t *testing.T, plan Plan, s *schemes.Scheme, pair schemes.Pair) {
	t.Helper()
	config := s.Defaults()
	plan.Targets, plan.Pair = []Target{{s, &config}}, pair.String()
	r := check(t, plan)
	must.Hold(t, len(r) == len(ladder), "%s climbed %d of %d rungs", s.Name, len(r), len(ladder))
	noneFails(t, r)
}

// told are events as words: a verb, any+ and any- for its answers, / for the end of a step; those in capitals are of an idle
// tile, and ! says that it changes memory.
func told(words string) (list []engine.Event) {
	list = append(list, engine.Event{What: "launch", Op: "insert"})
	for word := range strings.FieldsSeq(words) {
		verb := strings.ToLower(strings.TrimRight(word, "+-"))
		s := device.Step{Place: uint32(strings.Count(word, "+"))}
		if word != verb && word == strings.ToUpper(word) {
			s.Step = 1
		}
		for i, name := range kernels.Verbs {
			if name == verb {
				s.Key = uint64(i)
			}
		}
		what := map[string]string{"/": "stepped", "\\": "idle", "!": "spoilt"}[word]
		if what == "" {
			what = "verb"
		}
		list = append(list, engine.Event{Step: s, What: what})
	}
	return list
}

func TestSequences(t *testing.T) {
	const partly = "insert: tiles of a warp part, and a GPU hangs or is wrong: "
	for words, want := range map[string]string{
		"":                                 "",
		"ballot pick / ballot pick /":      "",
		"ballot any+ pick / ballot any- /": "", // all tiles go where one has to
		"ballot any+ pick / ballot any- / ballot any+ cas /": partly + "after ballot, any, one comes to pick, and another to cas",
		"ballot pick / ballot /":                             partly + "after ballot, one comes to pick, and another to the end of the step",
		"ballot / ballot pick /":                             partly + "after ballot, one comes to the end of the step, and another to pick",
		"pick / ballot /":                                    partly + "as the step begins, one comes to pick, and another to ballot",
		"BALLOT BRANCH- CAS \\ ballot branch+ /":             "",
		"BALLOT \\ ballot pick /":                            partly + "after ballot, one comes to the end of the step, and another to pick",
		"ballot pick / BALLOT CAS \\":                        partly + "after ballot, one comes to pick, and an idle one to cas",
		"BALLOT ! \\":                                        "insert: an idle tile changes memory after ballot; hint: do so only where tile.busy()",
	} {
		var s sequences
		for _, e := range told(words) {
			s.see(e)
		}
		must.Begin(t, s.err, want, words)
	}
}

package check

import (
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
)

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
		if got := s.err; got == nil && want != "" || got != nil && (want == "" || !strings.HasPrefix(got.Error(), want)) {
			t.Errorf("%s: %v, want %q", words, got, want)
		}
	}
}

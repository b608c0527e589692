package record

import (
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// Two recordings differ in the options that do, and in the first batch that does.
func TestDiff(t *testing.T) {
	text := string(contents(t, recorded(t, everything, Recipe, "bcht")))
	a := must.Get(readBytes([]byte(text)))(t)
	if list, err := Diff(a, a); err != nil || len(list) != 0 {
		t.Errorf("with itself: %v", list)
	}
	for old, other := range map[string]string{
		`"value":"200"`: `"value":"300"`, `"seed":5`: `"seed":6`, `"scheme":"bcht","shape":{"pair":"k4v4","n":2000`: `"scheme":"1cht","shape":{"pair":"k4v4","n":2000`,
		a.Points[1].Phases[1].Items[3].Batch.Input: strings.Repeat("1", 32), `"took":`: `"took":1`,
	} {
		text = strings.ReplaceAll(text, old, other)
	}
	b := must.Get(readBytes(sealed(text)))(t)
	want := []string{"seed: 5, 6", "option n: 200, 300",
		"point 2 at size=large: table bcht k4v4 n=2000 load=0.5, table 1cht k4v4 n=2000 load=0.5", "batch "}
	got := must.Get(Diff(a, b))(t)
	for i, line := range want {
		if i >= len(got) || !strings.HasPrefix(got[i], line) {
			t.Fatalf("%q, it should say %q", got, line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%q", got)
	}
}

func TestParsePace(t *testing.T) {
	for text, want := range map[string]Pace{"asap": {}, "recorded": {Recorded: true}, "rate:20k": {Rate: 20000}} {
		if p, err := ParsePace(text); err != nil || p != want {
			t.Errorf("%s: %+v, %v", text, p, err)
		}
	}
	for _, text := range []string{"", "rate:", "rate:0", "rate:-1", "fast"} {
		if p, err := ParsePace(text); err == nil || !strings.HasPrefix(err.Error(), `pace is "`) {
			t.Errorf("%s: %+v, %v", text, p, err)
		}
	}
}

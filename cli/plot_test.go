package cli

import "testing"

func TestPictureOf(t *testing.T) {
	for results, want := range map[string]string{"r.json": "r.svg", "a/b.c.ndjson": "b.c.svg", "a.json,b.json": "a.svg", "good/": "good.svg", ".": "plot.svg", "..": "plot.svg", "/": "plot.svg"} {
		if have := pictureOf(results); have != want {
			t.Errorf("%s: %s, want %s", results, have, want)
		}
	}
}

package schemes

import (
	"strings"
	"testing"
)

func TestPublishedFigures(t *testing.T) {
	// A few of them, by hand from the publication.
	for _, c := range []struct {
		scheme string
		figure Figure
	}{
		{"1cht", Figure{"hashes=4", 0.9, "insert", 0, "probes", 2.752, 0.02}},
		{"bcht", Figure{"bucket=8", 0.9, "find", 50, "probes", 1.63406, 0.02}},
		{"bcht", Figure{"bucket=16", 0.99, "find", 0, "probes", 2.8, 0.02}},
		{"bcht", Figure{"bucket=32", 0.6, "find", 100, "probes", 1.00029, 0.02}},
	} {
		s, err := Find(c.scheme)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range s.Published {
			found = found || f == c.figure
		}
		if !found {
			t.Errorf("scheme %s: %+v is not among its %d published figures", c.scheme, c.figure, len(s.Published))
		}
	}
}

func TestParseFiguresRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "no header",
		"load,colour\n0.5,red\n": `column "colour": there are settings`,
		"load,op\nhalf,find\n":   `column load is "half": it takes a number`,
		"load,op\n,find\n":       `column load is ""`,
		"load,op\n0.5\n":         "wrong number of fields",
	} {
		if _, err := parseFigures([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	list, err := parseFigures([]byte("# a comment\nload,op,present\n0.5,find,\n"))
	if err != nil || len(list) != 1 || list[0] != (Figure{Load: 0.5, Op: "find"}) {
		t.Errorf("%+v, %v", list, err)
	}
}

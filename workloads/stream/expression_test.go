package stream

import (
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// Expressions are read from JSON, and written for people.
func TestExpressionsAsJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind":"sequential"}`:                                                                                                                 "sequential()",
		`{"kind":"constant","args":{"value":5}}`:                                                                                                "5",
		`{"kind":"unique","args":{"seed":16,"n":100}}`:                                                                                          "unique(n=100, seed=16)",
		`{"kind":"add","of":[{"kind":"sequential"},{"kind":"constant","args":{"value":1}}]}`:                                                    "add(sequential(), 1)",
		`{"kind":"zipfian","args":{"n":1e6,"seed":1}}`:                                                                                          "zipfian(n=1000000, theta=0.99, seed=1)",
		`{"kind":"zipfian","args":{"n":9,"theta":1,"seed":1}}`:                                                                                  "zipfian(n=9, theta=1, seed=1)",
		`{"kind":"normal","args":{"mean":-1.5e3,"stddev":2,"seed":1}}`:                                                                          "normal(mean=-1500, stddev=2, low=0, high=18446744073709551615, seed=1)",
		`{"kind":"take","of":[{"kind":"skip","of":[{"kind":"affine","args":{"a":3}}],"args":{"count":2}}],"args":{"count":5}}`:                  "take(skip(affine(a=3, b=0), count=2), count=5)",
		`{"kind":"skip","of":[{"kind":"take","of":[{"kind":"sequential"}],"args":{"count":9}}],"args":{"count":4}}`:                             "take(skip(sequential(), count=4), count=5)",
		`{"kind":"choose","of":[{"kind":"constant","args":{"value":0}},{"kind":"constant","args":{"value":1}}],"args":{"p":0.5,"seed":3}}`:      "choose(0, 1, p=0.5, seed=3)",
		`{"kind":"xor","of":[{"kind":"constant","args":{"value":18446744073709551615}},{"kind":"constant","args":{"value":9007199254740993}}]}`: "xor(18446744073709551615, 9007199254740993)",
	} {
		if s, err := read(text); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if s.String() != want {
			t.Errorf("%s became %s, want %s", text, s, want)
		}
	}
}

func TestExpressionErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: `unknown stream ""`,
		`{"kind":"unique","args":{"n":5,"seed":1e999}}`:                                       `unique: seed is "1e999", which is no number that fits 64 bits`,
		`{"kind":"unique","args":{"n":99999999999999999999,"seed":1}}`:                        "unique: n is 1e+20, allowed are",
		`{"kind":"add","of":[{"kind":"sequential"},{"kind":"uniqe","args":{"n":5}}]}`:         `unknown stream "uniqe": did you mean unique?`,
		`{"kind":"add","of":[{"kind":"sequential"}]}`:                                         "add: given 1 streams, it takes 2",
		`{"kind":"constant","args":{"value":-5}}`:                                             "constant: value is -5, allowed are whole numbers from 0 to 18446744073709551615; hint: any number",
		`{"kind":"data","label":"data(d0d66ae2837a0117026f21f9c50dcf1f, 3)"}`:                 "the numbers of data are not part of the expression",
	} {
		_, err := read(text)
		must.Hold(t, err != nil && len(err.Error()) >= len(want) && err.Error()[:len(want)] == want, "%s:\nhave %v\nwant %s", text, err, want)
	}
}

// An expression that was read can be written and reads back as the same one, and its
// program is made or refused without a panic.
func FuzzExpression(f *testing.F) {
	for _, g := range golden {
		f.Add(g.json)
	}
	f.Add(`{"kind":"skip","of":[{"kind":"take","of":[{"kind":"constant","args":{"value":5}}],"args":{"count":18446744073709551615}}],"args":{"count":18446744073709551615}}`)
	f.Add(`{"kind":"normal","args":{"mean":-1e300,"stddev":1e300,"seed":16}}`)
	f.Add(`{"kind":"add","of":[{"kind":"constant","args":{"value":-0}},{"kind":"constant","args":{"value":1e400}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := read(text)
		if err != nil {
			return
		}
		again, err := read(written(t, s))
		must.Need(t, err == nil, "%s: %v", s, err)
		must.Need(t, again.String() == s.String() && again.Len() == s.Len() && again.Largest() == s.Largest(), "%s became %s", s, again)
		p, err := s.Program()
		if err != nil || s.Len() == 0 {
			return
		}
		for _, x := range numbersAt(t, p, 0, min(s.Len(), 33)) {
			must.Need(t, x <= s.Largest(), "%s: %d is above the bound %d", s, x, s.Largest())
		}
	})
}

package stream

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"sequential()":                                            "sequential()",
		"5":                                                       "5",
		" add ( sequential( ) ,1 ) ":                              "add(sequential(), 1)",
		"unique(seed=0x10,n=100)":                                 "unique(n=100, seed=16)",
		"zipfian(n=1e6, seed=1)":                                  "zipfian(n=1000000, theta=0.99, seed=1)",
		"zipfian(n=9,theta=1,seed=1)":                             "zipfian(n=9, theta=1, seed=1)",
		"take(skip(affine(a=3),count=2),count=5)":                 "take(skip(affine(a=3, b=0), count=2), count=5)",
		"skip(take(sequential(), count=9), count=4)":              "take(skip(sequential(), count=4), count=5)",
		"choose(0, 1, p=.5, seed=3)":                              "choose(0, 1, p=0.5, seed=3)",
		"normal(mean=-1.5e3, stddev=2, seed=1)":                   "normal(mean=-1500, stddev=2, low=0, high=18446744073709551615, seed=1)",
		"at(take(sequential(), count=5), mod(random(seed=1), 5))": "at(take(sequential(), count=5), mod(random(seed=1), 5))",
		"xor(18446744073709551615, 0xffffffffffffffff)":           "xor(18446744073709551615, 18446744073709551615)",
	} {
		s, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if s.String() != want {
			t.Errorf("%s became %s, want %s", text, s, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "stream, character 1: the text ends where a stream should be",
		"unique":                             `stream, character 7: the text ends where "(" after unique should be`,
		"unique(n=5":                         `stream, character 11: the text ends where "," or ")" should be`,
		"unique(n=5 seed=1)":                 `stream, character 12: there is "s" where "," or ")" should be`,
		"unique(n=, seed=1)":                 `stream, character 10: there is "," where a number should be`,
		"unique(n=5, n=6, seed=1)":           "stream, character 15: n is given twice",
		"unique(n=abc, seed=1)":              `stream, character 10: "abc" is no number that fits 64 bits`,
		"unique(n=0x10000000000000000)":      `stream, character 10: "0x10000000000000000" is no number that fits 64 bits`,
		"unique(n=5, seed=inf)":              `stream, character 18: "inf" is no number that fits 64 bits`,
		"unique(n=0, seed=1)":                "stream, character 1: unique: n is 0, allowed are whole numbers from 1 to 18446744073709551615; hint: how many different numbers there are",
		"add(sequential(), uniqe(n=5))":      `stream, character 19: unknown stream "uniqe": did you mean unique?`,
		"take(unique(n=5, seed=1), count=6)": "stream, character 1: take: count is 6, the stream has 5 numbers",
		"sequential() 5":                     `stream, character 14: there is "5" where the end should be`,
		"add(sequential(), , 5)":             `stream, character 19: there is "," where a stream should be`,
		"add(1 2)":                           `stream, character 7: there is "2" where "," or ")" should be`,
		"-5":                                 "stream, character 1: constant: value is -5, allowed are whole numbers from 0 to 18446744073709551615; hint: any number",
		"0.5":                                "stream, character 1: constant: value is 0.5, allowed are whole numbers from 0 to 18446744073709551615; hint: any number",
		"add(1, count=2, 3)":                 `stream, character 1: add: unknown parameter "count": it has none`,
		"(5)":                                `stream, character 1: there is "(" where a stream should be`,
	} {
		if _, err := Parse(text); err == nil || err.Error() != want {
			t.Errorf("%s:\nhave %v\nwant %s", text, err, want)
		}
	}
}

// Whatever parses is written as a text that parses to the same, and its program
// is made or refused without a panic.
func FuzzParse(f *testing.F) {
	for _, g := range golden {
		f.Add(g.text)
	}
	f.Add("skip(take(5, count=18446744073709551615), count=18446744073709551615)")
	f.Add("take(skip(concat(take(unique(n=18446744073709551615, seed=1), count=3), 9), count=2), count=4)")
	f.Add("normal(mean=-1e300, stddev=1e300, seed=0x1)")
	f.Add("add(add(add(-0, .5), 1e400), (")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(s.String())
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		if again.String() != s.String() || again.Len() != s.Len() || again.Largest() != s.Largest() {
			t.Fatalf("%s became %s", s, again)
		}
		p, err := s.Program()
		if err != nil || s.Len() == 0 {
			return
		}
		for _, x := range numbersAt(t, p, 0, min(s.Len(), 33)) {
			if x > s.Largest() {
				t.Fatalf("%s: %d is above the bound %d", s, x, s.Largest())
			}
		}
	})
}

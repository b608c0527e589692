package expr

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

var known = Names{"n": 1000.0, "slots": 1250.0, "bucket": 16.0, "placement": "first", "load": 0.8}

func parse(text string) (*Expr, error) { return Parse(text, slices.Sorted(maps.Keys(known))) }

func TestValues(t *testing.T) {
	for text, want := range map[string]float64{
		"1 + 2 * 3":                                    7,
		"(1 + 2) * 3":                                  9,
		"10 - 3 - 2":                                   5,
		"-2 * -3":                                      6,
		"7 % 4 / 2":                                    1.5,
		"1_000 + 2e3 + 0.5":                            3000.5,
		"ceil(slots / bucket)":                         79,
		"ceil(slots / bucket) * bucket":                1264,
		"bucket == 1 ? 0.9 : 0.95":                     0.95,
		"bucket == 16 ? 1 : bucket == 8 ? 2 : 3":       1,
		"placement == 'first' && bucket >= 8":          1,
		"placement != 'first' || bucket < 8":           0,
		"!(n > 3) + !0":                                1,
		"0 && 1 / 0":                                   0,
		"1 || 1 / 0":                                   1,
		"max(64, min(n, 70), 3)":                       70,
		"power2(1000) + power2(1024) + power2(0)":      2049,
		"prime(1000) + prime(0) + prime(1009)":         1009 + 2 + 1009,
		"log2(8) + sqrt(49) + round(1.5) + floor(1.5)": 13,
		"n / load":                                     1250,
	} {
		e, err := parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if have, err := e.Number(known); err != nil || have != want {
			t.Errorf("%s is %v, %v; it should be %v", text, have, err, want)
		}
	}
}

func TestWhole(t *testing.T) {
	for text, want := range map[string]string{
		"n / 3":          `"n / 3" is 333.3333333333333: it takes a whole number; hint: ceil(...) or floor(...)`,
		"0 - n":          `"0 - n" is -1000: it takes 0 to 2^53`,
		"n / 0":          `"n / 0" divides by 0`,
		"n % 0":          `"n % 0" divides by 0`,
		"sqrt(0 - 1)":    `"sqrt(0 - 1)" is NaN, no finite number`,
		"prime(1e300)":   `"prime(1e300)" is NaN, no finite number`,
		"placement + 1":  `"placement + 1" has the word 'first' where a number is needed`,
		"placement == 1": `"placement == 1" compares first with 1, a number with a word`,
		"placement":      `"placement" has the word 'first' where a number is needed`,
	} {
		e, err := parse(text)
		if err == nil {
			_, err = e.Whole(known)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v; it should say %s", text, err, want)
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    `it ends where a number or a name is missing`,
		"1 +":                                 `it ends where a number or a name is missing`,
		"ceil(1":                              `it ends where ")" is missing`,
		"(1 2)":                               `"2" where ")" is missing`,
		"1 2":                                 `"2" is too much`,
		"1 ? 2":                               `it ends where ":" is missing`,
		"* 2":                                 `"*" where a number or a name is missing`,
		"buket":                               `unknown name "buket": did you mean bucket?`,
		"cel(1)":                              `unknown function "cel": did you mean ceil?`,
		"ceil(1, 2)":                          `ceil takes 1, and is given 2`,
		"max()":                               `")" where a number or a name is missing`,
		"1 $ b":                               `"$ b" is no number, name or operator`,
		strings.Repeat("(", 100):              `it is nested more than 50 deep`,
		strings.Repeat("-", 100):              `it is nested more than 50 deep`,
		strings.Repeat("1 ? 1 : ", 100) + "1": `it is nested more than 50 deep`,
		strings.Repeat("1", 1001):             `an expression of 1001 characters: at most 1000 are read`,
		"1e999":                               "value out of range",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; it should say %s", text, err, want)
		}
	}
}

// Whatever is written gives a number or an error, and the same each time.
func FuzzExpr(f *testing.F) {
	for _, text := range []string{"ceil(slots / bucket)", "placement == 'first' ? 1 : -2 % 3", "max(1, n, prime(2)) != !0", "((", "1e9 ? :"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parse(text)
		if err != nil {
			return
		}
		x, err1 := e.Number(known)
		y, err2 := e.Number(known)
		if x != y || (err1 == nil) != (err2 == nil) {
			t.Errorf("%q is %v, %v and then %v, %v", text, x, err1, y, err2)
		}
		if e.String() != text {
			t.Errorf("%q is written as %q", text, e)
		}
	})
}

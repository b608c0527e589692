package manifest

import (
	"strings"
	"testing"
)

var (
	testScope  = scope{"n": nil, "slots": nil, "bucket": nil, "placement": {"first", "second"}, "load": nil}
	testValues = values{"n": 1000.0, "slots": 1250.0, "bucket": 16.0, "placement": "first", "load": 0.8}
)

func TestNumbers(t *testing.T) {
	for text, want := range map[string]float64{
		"1 + 2 * 3":                     7,
		"(1 + 2) * 3":                   9,
		"10 - 3 - 2":                    5,
		"-2 * -3":                       6,
		"2 ^ 10":                        1024,
		"7 % 4 / 2":                     1.5,
		"1000 + 2e3 + 0.5":              3000.5,
		"ceil(slots / bucket)":          79,
		"ceil(slots / bucket) * bucket": 1264,
		"bucket == 1 and 0.9 or 0.95":   0.95,
		"bucket == 16 and 1 or bucket == 8 and 2 or 3": 1,
		"({[8] = 0.6, [16] = 0.8})[bucket]":            0.8,
		"({1, 2, 3})[2] + (({})[7] or 5)":              7,
		"max(64, min(n, 70), 3)":                       70,
		"power2(1000) + power2(1024) + power2(0)":      2049,
		"prime(1000) + prime(0) + prime(1009)":         1009 + 2 + 1009,
		"log2(8) + sqrt(49) + round(1.5) + floor(1.5)": 13,
		"n / load\n": 1250,
		"0.75":       0.75,
	} {
		e, err := parseExpression(text, testScope)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if have, err := e.Number(testValues); err != nil || have != want {
			t.Errorf("%s is %v, %v; it should be %v", text, have, err, want)
		}
	}
}

func TestConditions(t *testing.T) {
	for text, want := range map[string]bool{
		"placement == 'first' and bucket >= 8":  true,
		"placement ~= 'first' or bucket < 8":    false,
		"not (n > 3)":                           false,
		"true":                                  true,
		"false and 1 / 0 == 1":                  false,
		"bucket == 16 or unknown_later == true": true,
	} {
		known := scope{"unknown_later": nil}
		for name, words := range testScope {
			known[name] = words
		}
		e, err := parseExpression(text, known)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if have, err := e.True(testValues); err != nil || have != want {
			t.Errorf("%s is %v, %v; it should be %v", text, have, err, want)
		}
	}
}

func TestWhole(t *testing.T) {
	for text, want := range map[string]string{
		"n / 3":         `"n / 3" is 333.3333333333333: it takes a whole number; hint: ceil(...) or floor(...)`,
		"0 - n":         `"0 - n" is -1000: it takes 0 to 2^53`,
		"n / 0":         `"n / 0" is +Inf, no finite number`,
		"sqrt(0 - 1)":   `"sqrt(0 - 1)" is NaN, no finite number`,
		"prime(1e300)":  `"prime(1e300)" is NaN, no finite number`,
		"placement + 1": `"placement + 1": cannot perform add operation between string and number`,
		"placement":     `"placement" is 'first': it takes a number`,
		"n > 3":         `"n > 3" is true: it takes a number`,
		"({})[1]":       `"({})[1]" is nil: it takes a number`,
		"ceil(({})[1])": `"ceil(({})[1])": a function is given nil: it takes a number`,
	} {
		e, err := parseExpression(text, testScope)
		if err == nil {
			_, err = e.Whole(testValues)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v; it should say %s", text, err, want)
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                        `it ends where more should come`,
		"1 +":                     `it ends where more should come`,
		"ceil(1":                  `it ends where more should come`,
		"(1 2)":                   `syntax error near "2"`,
		"1) return (2":            `syntax error near "return"`,
		"1, 2":                    `syntax error near ","`,
		"buket":                   `unknown name "buket": did you mean bucket?`,
		"cel(1)":                  `unknown function "cel": did you mean ceil?`,
		"ceil(1, 2)":              `ceil takes 1 number, not 2`,
		"max()":                   `max takes 1 to 8 numbers, not 0`,
		"math.huge":               `unknown name "math"`,
		"('x'):rep(9)":            `it calls something that is no function`,
		"function() end":          `it has more than arithmetic, comparisons, lists and functions: Function`,
		"'a' .. 'b'":              `it has more than arithmetic, comparisons, lists and functions: StringConcatOp`,
		"placement == 1":          `it compares placement with 1: it takes first, second`,
		"placement == 'third'":    `it compares placement with 'third': it takes first, second`,
		"'x' ~= bucket":           `it compares bucket with 'x': it takes a number`,
		strings.Repeat("1", 1001): `an expression of 1001 characters: it takes at most 1000`,
	} {
		if _, err := parseExpression(text, testScope); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; it should say %s", text, err, want)
		}
	}
}

// Every input yields a number or an error, and the same one each time.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{"ceil(slots / bucket)", "placement == 'first' and 1 or -2 % 3", "max(1, n, prime(2))", "((", "({1})[n]", "1e9 and"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parseExpression(text, testScope)
		if err != nil {
			return
		}
		x, err1 := e.Number(testValues)
		y, err2 := e.Number(testValues)
		if x != y || (err1 == nil) != (err2 == nil) {
			t.Errorf("%q is %v, %v and then %v, %v", text, x, err1, y, err2)
		}
	})
}

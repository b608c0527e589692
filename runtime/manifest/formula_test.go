package manifest

import "testing"

func TestFormulas(t *testing.T) {
	known := values{"bucket": 16.0, "placement": "first", "window": 1.0}
	for text, want := range map[string]string{
		"ceil(slots / bucket)":                         "std::ceil(slots / 16)",
		"buckets * bucket":                             "buckets * 16",
		"placement == 'first' and 4 * buckets or 4":    "4 * buckets",
		"placement ~= 'first' and 4 * buckets or 4":    "4",
		"slots > 7 and slots or 8":                     "(slots > 7) ? slots : 8",
		"max(64, 16384 * buckets / capacity)":          "most({64, (16384 * buckets) / capacity})",
		"prime(ceil(slots / window))":                  "prime(std::ceil(slots / 1))",
		"64 * (floor(log2(capacity)) + 1)":             "64 * (std::floor(std::log2(capacity)) + 1)",
		"(({[1] = {nil, 0.45}})[window] or {})[2] * n": "0.45 * n",
		"2^33 + 0.5 + min(3, -1) % 2":                  "8.5899345935e+09",
		"2^33 * n":                                     "8589934592.0 * n",
		"-n":                                           "0 - n",
	} {
		if have, err := (&Expr{text: text}).formula(known); err != nil || have != want {
			t.Errorf("%s is %s, not %s: %v", text, have, want, err)
		}
	}
	for _, text := range []string{"n % 2", "n ^ 2", "({1, 2})[n]", "n > 1 and 2", "(n > 1 or n) + 1", "placement"} {
		if have, err := (&Expr{text: text}).formula(known); err == nil {
			t.Errorf("%s is %s, without an error", text, have)
		}
	}
}

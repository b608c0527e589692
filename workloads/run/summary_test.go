package run

import (
	"errors"
	"testing"
)

func TestSummaries(t *testing.T) {
	limits := []string{"find.ok == 3000", "a.find.ok==2k", "prepare.insert.n <= 1000", "insert.ok >= 1e3", "failed < 1", "own != 3", "load > 0.3"}
	p := plan(t, script{shape: small, prepare: inserts(1000), stages: []Stage{{Name: "a", Batches: 2}, {Name: "b", Batches: 1}},
		event:  finds(2000),
		limits: limits,
		done: func(all map[string]any) (map[string]any, error) {
			if all["scheme"] == "1cht" {
				return map[string]any{"own": 3.0, "verdict": "bad"}, nil
			}
			return map[string]any{"own": all["find"].(map[string]any)["missing"]}, nil
		}}, "bcht", "1cht")
	h, err := carryOut(t, p)
	if !errors.Is(err, ErrThreshold) || err.Error() != "a threshold does not hold: load > 0.3: bcht has 0.244140625, and 2 more" {
		t.Error(err)
	}
	for i, s := range h.summaries() {
		for j, c := range s.Thresholds {
			if holds := c.Condition != "load > 0.3" && (i == 0 || c.Condition != "own != 3"); c.Holds != holds || c.Condition != limits[j] {
				t.Errorf("%s: %+v", s.Scheme, c)
			}
		}
		if (i == 0) != (s.Values["own"] == 3000.0) {
			t.Errorf("%s: %v", s.Scheme, s.Values)
		}
	}
}

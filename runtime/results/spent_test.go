package results

import (
	"testing"
	"time"
)

func TestSpentSaysHowMuchOfARunWasMeasured(t *testing.T) {
	began := time.Unix(100, 0)
	sum := Spent{Measured: 1, Input: 0.25}.Plus(Spent{Measured: 0.5, Rehearsed: 2, Verified: 0.75, Unmeasured: 0.125, Kernels: 0.5})
	const want = "measured: 1.5 of 6.0 s (25 %), warm-up and fills 0.12 s, rehearsal 2.0 s, kernels 0.50 s, input 0.25 s, verification 0.75 s"
	if have := sum.Until(began, began.Add(6*time.Second)).String(); have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
	if have := (Spent{}).Until(began, began.Add(time.Second)).String(); have != "" {
		t.Errorf("a run that measured nothing has the line %q", have)
	}
}

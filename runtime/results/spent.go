package results

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Spent says where the time of a run went. What is left of it went to tables, checks and scripts.
type Spent struct {
	Seconds    float64 `json:"seconds" doc:"the whole run"`
	Measured   float64 `json:"measured_seconds" doc:"service time that counts"`
	Unmeasured float64 `json:"unmeasured_seconds" doc:"service time of warm-ups and fills"`
	Rehearsed  float64 `json:"rehearsed_seconds" doc:"rehearsals, which check, count and digest first"`
	Kernels    float64 `json:"kernels_seconds" doc:"compiling and loading kernels for GPUs"`
	Input      float64 `json:"input_seconds" doc:"generating and digesting input"`
	Verified   float64 `json:"verified_seconds,omitempty" doc:"the oracle, rehearsals included"`
}

// Plus adds up what two parts of a run took, apart from the whole.
func (s Spent) Plus(more Spent) Spent {
	s.Measured += more.Measured
	s.Unmeasured += more.Unmeasured
	s.Rehearsed += more.Rehearsed
	s.Kernels += more.Kernels
	s.Input += more.Input
	s.Verified += more.Verified
	return s
}

// Until is Spent of a run that ends now.
func (s Spent) Until(started, now time.Time) *Spent {
	s.Seconds = now.Sub(started).Seconds()
	return &s
}

// String is a line for people.
func (s *Spent) String() string {
	if s == nil || s.Measured <= 0 {
		return ""
	}
	parts := []string{fmt.Sprintf("measured: %s of %s s (%.0f %%)", brief(s.Measured), brief(s.Seconds), 100*s.Measured/s.Seconds)}
	for _, p := range []struct {
		what    string
		seconds float64
	}{{"warm-up and fills", s.Unmeasured}, {"rehearsal", s.Rehearsed}, {"kernels", s.Kernels}, {"input", s.Input}, {"verification", s.Verified}} {
		if p.seconds > 0 {
			parts = append(parts, fmt.Sprintf("%s %s s", p.what, brief(p.seconds)))
		}
	}
	return strings.Join(parts, ", ")
}

func brief(seconds float64) string {
	digits := 1 - int(math.Floor(math.Log10(max(seconds, 1e-3))))
	return fmt.Sprintf("%.*f", min(max(digits, 0), 3), seconds)
}

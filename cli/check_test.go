package cli

import (
	"testing"
	"time"
)

func TestRemaining(t *testing.T) {
	for _, c := range []struct {
		took time.Duration
		done float64
		want string
	}{{0, 0, ""}, {time.Minute, 0, ""}, {time.Millisecond, 0.5, ""}, {10 * time.Second, 0.25, ", about 30s left"}, {time.Minute, 0.5, ", about 1m0s left"}} {
		if have := remaining(c.took, c.done); have != c.want {
			t.Errorf("after %v, %v done: %q, want %q", c.took, c.done, have, c.want)
		}
	}
}

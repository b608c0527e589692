package run

import (
	"slices"
	"testing"
)

// A column that no table can have is refused before a run; what may be one is not.
func TestCheckSort(t *testing.T) {
	phases := []string{"run", "find 50 %"}
	own := func(name string) bool { return slices.Contains([]string{"hit %", "per load"}, name) }
	for title, ok := range map[string]bool{
		"": true, "scheme": true, "noise": true, "noise ± %": true, "late": true, "find": true, "find Mop/s": true, "run": true, "find p99 ms": true, "find table reads": true,
		"resize ms": true, "run find": true, "prepare insert": true, "find 50 %": true, "hit %": true, "per load update": true,
		"isnert": false, "rnu find": false, "hit": false, "Mop/s": false, "load": false,
	} {
		if err := CheckSort(title, phases, own); (err == nil) != ok {
			t.Errorf("%q: %v", title, err)
		}
	}
}

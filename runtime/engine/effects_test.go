package engine

import "testing"

// The oracle knows what every operation on keys means, and no other.
func TestEveryOperationOnKeysHasAnEffect(t *testing.T) {
	for _, op := range Keyed {
		if effects[op].tell == nil {
			t.Errorf("the oracle has no operation %s: add it to effects", op)
		}
	}
	if len(effects) != len(Keyed) {
		t.Errorf("%d effects of %d operations", len(effects), len(Keyed))
	}
}

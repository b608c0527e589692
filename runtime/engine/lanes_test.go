package engine

import (
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Lane utilization of inserts, from empty to a load factor: lanes that attempt something, of those issued. Stadium
// Hashing, Table I, has 25 to 22 percent for cuckoo hashing, 49 to 41 for Stash and 88 to 86 for clStash. It was
// measured over all instructions, among them those that all lanes carry out alike; here only attempts count. So the
// figures differ, but the order must not, nor that clStash stays above 80 percent.
func TestLaneUtilization(t *testing.T) {
	dev := openCPU(t, 2)
	for _, load := range few([]float64{0.8, 0.85, 0.9, 0.95}) {
		cuckoo := utilization(t, dev, "1cht:hashes=4", load)
		stash := utilization(t, dev, "stash", load)
		hybrid := utilization(t, dev, "clstash:threshold=60", load)
		together := utilization(t, dev, "clstash", load)
		must.Hold(t, cuckoo < stash && stash < hybrid && hybrid < together && together >= 0.8,
			"load factor %.2f: lanes of cuckoo are used to %.3f, of stash to %.3f, of a hybrid to %.3f, of clstash to %.3f", load, cuckoo, stash, hybrid, together)
	}
}

// utilization fills a table by one batch of inserts.
func utilization(t *testing.T, dev device.Device, text string, load float64) float64 {
	t.Helper()
	const n = 1 << 18
	made := table(t, dev, Spec{
		Config: config(t, text), Shape: schemes.Shape{Pair: schemes.Pair4, N: n, Load: load}, Seed: 1, Counted: true,
	})
	s := run(t, made, Batch{Op: "insert", Keys: from(1, n), Values: from(1, n)})
	must.Need(t, s.Counts.Get("ok") == n, "%s, load factor %.2f: %d of %d inserts found room", text, load, s.Counts.Get("ok"), n)
	return s.PerOp("lanes_active") / s.PerOp("lanes_issued")
}

package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Devices that exchange partial aggregates give the contents and counts of those that exchange rows, also for keys that are
// there or reserved. With more groups than slots, they exchange rows.
func TestPartials(t *testing.T) {
	before := leastCombined
	t.Cleanup(func() { leastCombined = before })
	for i, name := range schemes.With("add") {
		dev := openGroup(t, fmt.Sprint("cpu*", 2+i%3))
		for _, pair := range few(config(t, name).Caps.Pairs) {
			for k, op := range kernels.OpsThat(kernels.Operation.Combines) {
				if testing.Short() && k != i%4 {
					continue
				}
				leastCombined = 1 << 40
				rows, _ := aggregated(t, dev, name, pair, op)
				leastCombined = 1
				partials, combined := aggregated(t, dev, name, pair, op)
				if !combined || !slices.Equal(partials, rows) {
					t.Errorf("%s of %s %v: %v with partial aggregates (%v), %v with rows", op, name, pair, partials, combined, rows)
				}
			}
		}
	}
}

// aggregated describes a table after three batches, and says whether partial aggregates were exchanged in each of them, and
// not in one of more groups than slots.
func aggregated(t *testing.T, dev device.Device, name string, pair schemes.Pair, op string) (list []string, combined bool) {
	t.Helper()
	const n = 60_000
	table := must.Get(New(dev, Spec{Config: config(t, name), Shape: schemes.Shape{Pair: pair, N: 300, Load: 0.4}, Seed: 1}))(t)
	defer table.Close()
	combined = true
	batch := func(groups uint64) Sample {
		keys, values := make(List, n), make(List, n)
		for i := range keys {
			keys[i], values[i] = uint64(i*i)%groups, uint64(i)*0x9e3779b9>>7
		}
		keys[n/2], keys[n-1] = pair.EmptyKey(), pair.ErasedKey()
		in := must.Get(Load(dev, pair, Batch{Op: op, Keys: keys, Values: values}))(t)
		defer in.Release()
		return must.Get(table.Run(in))(t)
	}
	for _, groups := range []uint64{100, 100, 257} {
		s := batch(groups)
		list = append(list, fmt.Sprint(s.N, s.Size, s.Counts[:slices.Index(kernels.Counters, "probes")]))
		combined = combined && s.Sharing.Partition == 0
	}
	list = append(list, must.Get(table.Contents())(t).Digest)
	s := batch(50_000)
	return list, combined && (s.Sharing.Partition > 0 || s.Counts.Get("failed") == 0)
}

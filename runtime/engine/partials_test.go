package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Devices that exchange partial aggregates give the contents and counts of those that exchange rows, also for keys that are
// there or reserved. With more groups than slots, or too little memory, they exchange rows.
func TestPartials(t *testing.T) {
	before := leastCombined
	t.Cleanup(func() { leastCombined = before })
	leastCombined = 1
	ops := kernels.OpsThat(kernels.Operation.Combines)
	for i, name := range append(schemes.With("add"), "linear:resize=auto") {
		dev := openGroup(t, fmt.Sprint("cpu*", 2+i%2))
		for k, pair := range few(config(t, name).Caps.Pairs) {
			op := ops[(i+k)%len(ops)]
			want, exchanged := aggregated(t, dev, name, pair, op, 0)
			have, also := aggregated(t, dev, name, pair, op, 1<<40)
			must.Hold(t, exchanged && !also && slices.Equal(have, want), "%s %s %v: %v, rows %t; %v, rows %t", op, name, pair, have, also, want, exchanged)
		}
	}
}

// aggregated describes a table after three batches, and says whether they exchanged rows. One of more groups than slots does.
func aggregated(t *testing.T, dev device.Device, name string, pair schemes.Pair, op string, free int64) (list []string, rows bool) {
	const n = 100_000
	table := must.Get(New(dev, Spec{Config: config(t, name), Shape: schemes.Shape{Pair: pair, N: 150, Load: 0.5}, Seed: 1}))(t)
	defer table.Close()
	table.parts = lists.Map(table.parts, func(part device.Device) device.Device { return scarce{part, free} })
	batch := func(groups uint64) Sample {
		keys, values := make(List, n), make(List, n)
		for i := range keys {
			keys[i], values[i] = uint64(i/3)%groups, uint64(i)*0x9e3779b9>>7
		}
		keys[n/2], keys[n-1] = pair.EmptyKey(), pair.ErasedKey()
		in := must.Get(Load(dev, pair, Batch{Op: op, Keys: keys, Values: values}))(t)
		defer in.Release()
		return must.Get(table.Run(in))(t)
	}
	for _, groups := range []uint64{50, 50, 120} {
		s := batch(groups)
		list = append(list, fmt.Sprint(s.N, s.Size, s.Counts[:slices.Index(kernels.Counters, "probes")]))
		rows = rows || s.Sharing.Partition > 0
	}
	list = append(list, must.Get(table.Contents())(t).Digest)
	if strings.HasPrefix(name, "linear") { // others take long to find no room
		s := batch(3_000)
		must.Hold(t, s.Sharing.Partition > 0 && strings.HasPrefix(s.Notes[len(s.Notes)-1], "rows are exchanged"), "%s: notes %q", name, s.Notes)
	}
	if name == "linear:resize=auto" {
		list = append(list, must.Get(table.Contents())(t).Digest)
	}
	return list, rows
}

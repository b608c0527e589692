package engine

import (
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// retrieving gives a table with 100 keys, of which every third has many pairs if the scheme allows it, and a batch that
// retrieves them among absent ones, alone or mixed with finds.
func retrieving(t *testing.T, dev device.Device, scheme string, mixed bool) (*Table, *Input) {
	spec := Spec{Config: config(t, scheme), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 20_000}, Verify: true, Results: true}
	table, inserted := table(t, dev, spec), make(List, 0, 10_000)
	for key := range uint64(100) {
		inserted = append(inserted, key)
		for range 200 * (1 - min(1, key%3)) {
			if spec.Config.Caps.Duplicates {
				inserted = append(inserted, key)
			}
		}
	}
	run(t, table, Batch{Op: "insert", Keys: inserted, Values: from(5, len(inserted))})
	asked := Batch{Op: "retrieve", Keys: from(0, 150)}
	if mixed {
		ops := make(List, 150)
		asked.Op, asked.Values, asked.Ops, asked.Mixed = Mix, from(0, 150), ops, []string{"find", "retrieve"}
		for i := range ops {
			ops[i] = opCode([]string{"retrieve", "find"}[i%4/3])
		}
	}
	must.Need(t, table.Size() == uint64(len(inserted)), "%s: the table has %d of %d pairs", scheme, table.Size(), len(inserted))
	return table, load(t, dev, schemes.Pair4, asked)
}

// A retrieve that does not fit into memory is carried out in pieces, with the same results.
func TestRetrieveInPieces(t *testing.T) {
	for _, scheme := range []string{"csr", "slab:spare=200", "linear"} {
		for _, mixed := range []bool{false, true} {
			dev := &poor{Device: openCPU(t, 2)}
			table, in := retrieving(t, dev, scheme, mixed)
			whole := must.Get(table.Run(in))(t)
			dev.most = int64(max(300, 4*whole.Counts.Get("found")/5)) // the blocks of kernels take some, too
			pieces, err := table.Run(in)
			must.Need(t, err == nil, "%s: %v", scheme, err)
			if pieces.Result != whole.Result || pieces.Counts.Get("found") != whole.Counts.Get("found") {
				t.Errorf("%s: in pieces it gave %v with digest %s, at once %v with %s", scheme,
					pieces.Counts.Named(), pieces.Result, whole.Counts.Named(), whole.Result)
			}
			if notes := strings.Join(pieces.Notes, "\n"); !strings.Contains(notes, "retrieve gave its pairs in ") || len(whole.Notes) > 0 {
				t.Errorf("%s: notes %q, of a batch in one piece %q", scheme, notes, whole.Notes)
			}
		}
	}
}

// The pairs of one key are never cut: if they do not fit, the error says their size.
func TestRetrieveOfOneKeyTooLarge(t *testing.T) {
	dev := &poor{Device: openCPU(t, 2)}
	table, in := retrieving(t, dev, "csr", false)
	dev.most = 640
	must.Say(t, must.Err(table.Run(in)), "retrieve of 1 keys gives 201 pairs, which take 1608 bytes")
}

package engine

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// scarce is a device with little free memory.
type scarce struct {
	device.Device
	free int64
}

func (s scarce) Free() (int64, error) { return s.free, nil }

// titled is a part with a name.
type titled struct {
	device.Device
	name string
}

func (n titled) Info() device.Info { return device.Info{Name: n.name} }

// Of two parts, each has half of a chunk and copies of what it owns: in memory of its own, or in that of both.
func TestChunksOfSeveralDevices(t *testing.T) {
	const n = 1 << 22
	b := Batch{Op: "insert", Keys: from(0, n), Values: from(0, n)}
	all := int64(n * b.item(schemes.Pair4).bytes())
	for name, want := range map[string]uint64{"a": n / 16, "b": n / 8} {
		parts := []device.Device{titled{scarce{openCPU(t, 1), all}, "a"}, titled{scarce{openCPU(t, 1), all}, name}}
		cache := NewCache(device.NewGroup("both", parts), 0).Chunk(Chunked{AsNeeded: true})
		have, err := cache.chunkSize(schemes.Pair4, b)
		must.Hold(t, err == nil && have == want, "parts a and %s: chunks of %d, want %d: %v", name, have, want, err)
	}
}

// The memory that is free decides whether a batch is carried out in chunks, and of how many operations.
func TestChunksFollowFromFreeMemory(t *testing.T) {
	const n = 1 << 21
	b := Batch{Op: "insert", Keys: from(0, n), Values: from(0, n)}
	all := int64(n * b.item(schemes.Pair4).bytes())
	for _, c := range []struct {
		free int64
		size uint64 // 0: one piece
	}{{3 * all, 0}, {2 * all, 0}, {all, n / 8}, {all / 4, n / 32}, {1, leastChunk}} {
		cache := NewCache(scarce{openCPU(t, 2), c.free}, 0).Chunk(Chunked{AsNeeded: true})
		switch in := must.Get(cache.Load(schemes.Pair4, b))(t); {
		case c.size == 0 && in.chunks != nil:
			t.Errorf("%d bytes free for %d: chunks of %d", c.free, all, in.chunks.size)
		case c.size > 0 && (in.chunks == nil || in.chunks.size != c.size):
			t.Errorf("%d bytes free for %d: %+v, want chunks of %d", c.free, all, in.chunks, c.size)
		}
		must.OK(t, cache.Close())
	}
}

// A batch is read chunk by chunk: its columns and repeated keys, but no answers.
func TestChunksAreRead(t *testing.T) {
	dev := openCPU(t, 2)
	keys := append(from(1, 1000), from(501, 500)...)
	b := Batch{Op: "insert", Keys: keys, Values: keys}
	cache := NewCache(dev, 0).Chunk(Chunked{Most: 400})
	defer cache.Close()
	in := must.Get(cache.Load(schemes.Pair4, b))(t)
	whole := load(t, dev, schemes.Pair4, b)
	have, err := in.Columns()
	want, failed := whole.Columns()
	if err != nil || failed != nil || !slices.Equal(have.Keys, want.Keys) || !slices.Equal(have.Values, want.Values) {
		t.Errorf("columns of chunks differ: %v, %v", err, failed)
	}
	if in.repeats != whole.repeats || in.repeats.counted != 500 || in.Digest != whole.Digest {
		t.Errorf("%+v and digest %s, in one piece %+v and %s", in.repeats, in.Digest, whole.repeats, whole.Digest)
	}
	table := table(t, dev, Spec{Config: config(t, "slab"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 4000}, Results: true})
	s, err := table.Run(in)
	must.Hold(t, err == nil && s.Chunk == 400, "%v, chunks of %d", err, s.Chunk)
	must.Say(t, must.Err(in.Given()), "in chunks")
}

// The columns read back from a batch make the same batch again, wide values included.
func TestColumnsMakeTheBatchAgain(t *testing.T) {
	dev := openCPU(t, 1)
	for _, pair := range []schemes.Pair{{Key: 4, Value: 4}, {Key: 8, Value: 8}, {Key: 4, Value: 16}, {Key: 4, Value: 0}} {
		values := List{1, 1 << 31, 7}
		first := must.Get(Load(dev, pair, Batch{Op: Mix, Keys: List{5, 1 << 30, 9}, Values: values, Ops: List{0, 1, 0}}))(t)
		c := must.Get(first.Columns())(t)
		again := Batch{Op: Mix, Keys: Packed{"keys", c.KeyWidth, c.Keys}, Values: List{0, 0, 0}, Ops: Packed{"ops", 1, c.Ops}}
		if c.Values != nil {
			again.Values = Packed{"values", c.ValueWidth, c.Values}
			got := Number(c.Values, c.ValueWidth, 1)
			must.Hold(t, got == 1<<31, "%v: value %#x", pair, got)
		}
		second, err := Load(dev, pair, again)
		must.Hold(t, err == nil && second.Digest == first.Digest && (c.Values == nil) == (pair.Value == 0), "%v: %v, %s, %s", pair, err, first.Digest, second.Digest)
		must.Hold(t, bytes.Equal(c.Ops, []byte{0, 1, 0}) && Number(c.Keys, c.KeyWidth, 1) == 1<<30, "%v: %+v", pair, c)
	}
}

// retrieving gives a table with 100 keys, every third with many pairs if the scheme allows it, and a batch that
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

package engine

import (
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
	b := Batch{Op: "insert", Keys: first(n), Values: first(n)}
	all := int64(n * b.item(schemes.Pair4).bytes())
	for name, want := range map[string]uint64{"a": n / 16, "b": n / 8} {
		parts := []device.Device{titled{scarce{openCPU(t, 1), all}, "a"}, titled{scarce{openCPU(t, 1), all}, name}}
		cache := NewCache(device.NewGroup("both", parts), 0).Chunk(Chunked{AsNeeded: true})
		if have, err := cache.chunkSize(schemes.Pair4, b); err != nil || have != want {
			t.Errorf("parts a and %s: chunks of %d, want %d: %v", name, have, want, err)
		}
	}
}

// The memory that is free decides whether a batch is carried out in chunks, and of how many operations.
func TestChunksFollowFromFreeMemory(t *testing.T) {
	const n = 1 << 21
	b := Batch{Op: "insert", Keys: first(n), Values: first(n)}
	all := int64(n * b.item(schemes.Pair4).bytes())
	for _, c := range []struct {
		free int64
		size uint64 // 0: one piece
	}{{3 * all, 0}, {2 * all, 0}, {all, n / 8}, {all / 4, n / 32}, {1, leastChunk}} {
		cache := NewCache(scarce{openCPU(t, 2), c.free}, 0).Chunk(Chunked{AsNeeded: true})
		in := must.Get(cache.Load(schemes.Pair4, b))(t)
		switch {
		case c.size == 0 && in.chunks != nil:
			t.Errorf("%d bytes free for %d: chunks of %d", c.free, all, in.chunks.size)
		case c.size > 0 && (in.chunks == nil || in.chunks.size != c.size):
			t.Errorf("%d bytes free for %d: %+v, want chunks of %d", c.free, all, in.chunks, c.size)
		}
		if err := cache.Close(); err != nil {
			t.Error(err)
		}
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
	table := table(t, dev, Spec{Config: firstWith(t, "find_all"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 4000}, Results: true})
	s, err := table.Run(in)
	if err != nil || s.Chunk != 400 {
		t.Errorf("%v, chunks of %d", err, s.Chunk)
	}
	if _, err := in.Given(); err == nil || !strings.Contains(err.Error(), "in chunks") {
		t.Errorf("answers of chunks: %v", err)
	}
}

package engine

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// lookup is a Stream that reads numbers of the host from the first on.
type lookup struct {
	List
	name string
}

func (l lookup) ProgramWith(place func(string, []uint64) (uint64, error)) (kernels.Program, error) {
	at, err := place(l.name, l.List)
	if err != nil {
		return kernels.Program{}, err
	}
	a := kernels.NewAssembler()
	a.Step("load", at, l.Len())
	return a.Program()
}

func (l lookup) String() string { return l.name }

func numbered(n int) lookup { return lookup{from(uint64(n), 1000), fmt.Sprint("list ", n)} }

// stingy is a device with a limit on what is allocated, that counts large writes.
type stingy struct {
	device.Device
	left   int64
	bytes  map[device.Addr]int64
	copies int
	broken error // of writes
}

func newStingy(t *testing.T, limit int64) *stingy {
	return &stingy{Device: openCPU(t, 1), left: limit, bytes: map[device.Addr]int64{}}
}

func (s *stingy) Alloc(bytes int64) (device.Addr, error) {
	if bytes > s.left {
		return 0, fmt.Errorf("%d bytes asked for, %d free", bytes, s.left)
	}
	at, err := s.Device.Alloc(bytes)
	s.left -= bytes
	s.bytes[at] = bytes
	return at, err
}

func (s *stingy) Release(at device.Addr) error {
	s.left += s.bytes[at]
	delete(s.bytes, at)
	return s.Device.Release(at)
}

func (s *stingy) Write(at device.Addr, src []byte) error {
	if len(src) == 8000 {
		s.copies++
		if s.broken != nil {
			return s.broken
		}
	}
	return s.Device.Write(at, src)
}

func (s *stingy) check(t *testing.T, copies, held int) {
	t.Helper()
	must.Hold(t, s.copies == copies && len(s.bytes) == held, "%d arrays were copied, %d blocks are held; want %d and %d", s.copies, len(s.bytes), copies, held)
}

// Numbers read on the device equal those of a plain list.
func TestNumbersOfTheHost(t *testing.T) {
	dev := newStingy(t, 1<<30)
	in := load(t, dev, schemes.Pair8, Batch{Op: "insert", Keys: numbered(5), Values: numbered(5)})
	plain := load(t, dev, schemes.Pair8, Batch{Op: "insert", Keys: numbered(5).List, Values: numbered(5).List})
	must.Hold(t, in.Digest == plain.Digest, "digest %s, want %s", in.Digest, plain.Digest)
	dev.check(t, 3, 4) // one for both streams; two of the lists
}

func TestCacheKeepsWhatItMay(t *testing.T) {
	dev := newStingy(t, 1<<30)
	cache := NewCache(dev, 17_000) // two arrays
	for i, c := range []struct{ array, copies, held int }{
		{1, 1, 1}, {1, 1, 1}, {2, 2, 2}, {1, 2, 2}, {3, 3, 2}, {1, 3, 2}, {2, 4, 2}, {1, 4, 2},
	} {
		must.Get(cache.Load(schemes.Pair4, Batch{Op: "find", Keys: numbered(c.array)}))(t)
		cache.Clear()
		t.Log("batch ", i)
		dev.check(t, c.copies, c.held)
	}
	must.OK(t, cache.Close())
	dev.check(t, 4, 0)
}

// Equal batches are made once, and stay for the round after the one that used them.
func TestCacheMakesEqualBatchesOnce(t *testing.T) {
	dev := newStingy(t, 1<<30)
	cache := NewCache(dev, 0)
	get := func(op string, keys ...uint64) *Input {
		t.Helper()
		return must.Get(cache.Load(schemes.Pair4, Batch{Op: op, Keys: List(keys)}))(t)
	}
	one := get("find", 1, 2)
	must.Hold(t, get("find", 1, 2) == one && get("erase", 1, 2) != one && get("find", 2, 1) != one, "equal batches are not one, or others are")
	dev.check(t, 0, 3)
	cache.EndRound()
	must.Hold(t, get("find", 1, 2) == one, "a batch of the round before was made again")
	cache.EndRound()
	dev.check(t, 0, 1)
	must.OK(t, cache.Close())
	dev.check(t, 0, 0)
}

// Lists are shared if their numbers are the same, not if they are as many.
func TestIdentityOfLists(t *testing.T) {
	of := func(list List) string { return Batch{Op: "find", Keys: list}.identity(schemes.Pair4) }
	one := of(List{1, 23})
	must.Hold(t, one == of(slices.Clone(List{1, 23})) && one != of(List{12, 3}), "lists are not told apart by their numbers")
	keys := Batch{Op: "find", Keys: List(from(10, 0))}
	other := keys
	other.Op = "erase"
	if keys.identity(schemes.Pair4) == other.identity(schemes.Pair4) || keys.identity(schemes.Pair4) == keys.identity(schemes.Pair8) {
		t.Error("other operations or other widths are other inputs")
	}
}

// Cached arrays make room for a new batch.
func TestCacheMakesRoom(t *testing.T) {
	dev := newStingy(t, 45_000)
	cache := NewCache(dev, 1<<30)
	find := func(n int) error {
		_, err := cache.Load(schemes.Pair4, Batch{Op: "find", Keys: numbered(n)})
		cache.Clear()
		return err
	}
	for n := range 20 {
		must.OK(t, find(n%7))
	}
	dev.left -= 40_000
	must.Say(t, find(100), "bytes asked for")
	dev.left += 40_000
	must.OK(t, find(1))
}

// A batch that could not be made leaves nothing behind, and no half-written array.
func TestCacheAfterAnError(t *testing.T) {
	dev := newStingy(t, 1<<30)
	cache := NewCache(dev, 1<<30)
	dev.broken = errors.New("the cable came off")
	_, err := cache.Load(schemes.Pair4, Batch{Op: "find", Keys: numbered(1)})
	must.Hold(t, errors.Is(err, dev.broken), "error %v", err)
	dev.check(t, 1, 0)
	dev.broken = nil
	in := must.Get(cache.Load(schemes.Pair4, Batch{Op: "find", Keys: numbered(1)}))(t)
	r := reader{dev: dev}
	if have := r.numbers(nil, in.shares[0].keys, in.N, 4); !slices.Equal(have, numbered(1).List) {
		t.Error("the keys are not those that were given")
	}
}

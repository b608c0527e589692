package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Cache keeps batches on a device, or on its parts: equal batches are made once, and numbers of the host are copied once.
type Cache struct {
	dev      device.Device
	parts    []device.Device
	memories uint64            // how many parts have memory of their own
	keep     int64             // bytes of numbers to keep while no batch is made
	batches  map[string]*Input // by identity
	used     map[string]bool   // those of this round
	mutex    sync.Mutex        // of numbers, which the parts place at once
	numbers  []placed          // the least recently used first
	chunked  Chunked
}

type placed struct {
	name  string
	dev   device.Device
	at    device.Addr
	bytes int64
}

// maxUsed bounds the batches of a round: after that many, the cache drops those before them.
const maxUsed = 1024

// NewCache makes an empty cache that keeps up to that many bytes of numbers.
func NewCache(dev device.Device, keep int64) *Cache {
	parts := device.PartsOf(dev)
	names := lists.Unique(lists.Map(parts, func(dev device.Device) string { return dev.Info().Name })) // some may be parts of one
	return &Cache{dev: dev, parts: parts, memories: uint64(len(names)), keep: keep, batches: map[string]*Input{}, used: map[string]bool{}}
}

// Chunk has batches carried out in chunks.
func (c *Cache) Chunk(how Chunked) *Cache {
	c.chunked = how
	return c
}

// Load makes a batch on a device and digests it.
func Load(dev device.Device, pair schemes.Pair, b Batch) (*Input, error) {
	return NewCache(dev, 0).make(pair, b)
}

// Load returns a batch, which belongs to the cache. Without memory, it drops what this round has not used.
func (c *Cache) Load(pair schemes.Pair, b Batch) (*Input, error) {
	if len(c.used) >= maxUsed {
		c.EndRound()
	}
	name := b.identity(pair)
	c.used[name] = true
	if found := c.batches[name]; found != nil && !found.busy {
		return found, nil
	}
	in, err := c.make(pair, b)
	if before := len(c.batches) + len(c.numbers); err != nil {
		c.dropUnused()
		if c.shrink(0) == nil && len(c.batches) < before {
			in, err = c.make(pair, b)
		}
	}
	if err == nil {
		c.batches[name] = in
	}
	return in, err
}

// EndRound drops the batches that the round which ends has not used.
func (c *Cache) EndRound() {
	c.dropUnused()
	clear(c.used)
}

// Clear drops all batches.
func (c *Cache) Clear() {
	clear(c.used)
	c.dropUnused()
}

// Close drops everything.
func (c *Cache) Close() error {
	c.Clear()
	return c.shrink(0)
}

func (c *Cache) dropUnused() {
	for name, b := range c.batches {
		if !c.used[name] {
			_ = b.Release() // a device that cannot release memory fails elsewhere, too
			delete(c.batches, name)
		}
	}
}

func (c *Cache) make(pair schemes.Pair, b Batch) (*Input, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	in := &Input{Op: b.Op, N: b.Len(), pair: pair, mixed: b.Mixed, size: b.Capacity}
	size, err := c.chunkSize(pair, b)
	if err != nil {
		return nil, err
	}
	if size < in.N {
		in.chunks = &chunks{b, c, size}
	} else {
		in.shares = divided(0, in.N, c.parts)
		err = in.load(b, c)
	}
	if err == nil {
		err = in.survey()
	}
	if err = errors.Join(err, c.shrink(c.keep)); err != nil {
		return nil, errors.Join(err, in.Release())
	}
	return in, nil
}

// place returns the address of numbers on a device, and copies them if they are not there.
func (c *Cache) place(dev device.Device, name string, numbers []uint64) (_ uint64, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	at := slices.IndexFunc(c.numbers, func(p placed) bool { return p.name == name && p.dev == dev })
	if at >= 0 {
		found := c.numbers[at]
		c.numbers = append(slices.Delete(c.numbers, at, at+1), found)
		return uint64(found.at), nil
	}
	p := placed{name: name, dev: dev, bytes: int64(8 * len(numbers))}
	if p.at, err = dev.Alloc(max(p.bytes, 8)); err != nil {
		return 0, err
	}
	if err := dev.Write(p.at, kernels.BytesOf(numbers)); err != nil {
		return 0, errors.Join(err, dev.Release(p.at))
	}
	c.numbers = append(c.numbers, p)
	return uint64(p.at), nil
}

// shrink drops the least recently used numbers. The kernels that read them have ended: a batch is digested.
func (c *Cache) shrink(keep int64) error {
	bytes := lists.Sum(c.numbers, func(p placed) int64 { return p.bytes })
	for len(c.numbers) > 0 && (bytes > keep || keep == 0) {
		first := c.numbers[0]
		bytes, c.numbers = bytes-first.bytes, c.numbers[1:]
		if err := first.dev.Release(first.at); err != nil {
			return err
		}
	}
	return nil
}

// identity is equal for batches of the same numbers: expressions by their text, lists by their contents.
func (b Batch) identity(pair schemes.Pair) string {
	parts := append([]string{b.Op, pair.String(), fmt.Sprint(b.Capacity)}, b.Mixed...)
	for _, s := range []Stream{b.Keys, b.Values, b.Ops} {
		switch s := s.(type) {
		case nil:
			parts = append(parts, "")
		case List:
			parts = append(parts, fmt.Sprintf("list %d %x", len(s), xxh3.Hash128(kernels.BytesOf(s)).Bytes()))
		default:
			parts = append(parts, s.String())
		}
	}
	return strings.Join(parts, "\n")
}

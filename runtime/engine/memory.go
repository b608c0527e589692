package engine

import (
	"cmp"
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// The memory of a device. Tables are allocated first; batches take the rest, in chunks if need be.

// deviceBytes returns the table's device memory.
func deviceBytes(l schemes.Layout, shape schemes.Shape) (sum int64) {
	for _, r := range l.Regions {
		if !r.Table || !shape.Host {
			sum += r.Bytes
		}
	}
	return sum
}

// TableBytes returns the memory that a table will take of a device, or of each of its parts.
func TableBytes(dev device.Device, config schemes.Config, shape schemes.Shape) (int64, error) {
	if parts := len(device.PartsOf(dev)); parts > 1 {
		shape = shardOf(shape, parts)
	}
	l, err := config.Size(config, shape)
	return deviceBytes(l, shape), err
}

// item is the memory of an operation, in bytes.
type item struct{ input, answer, left int }

// itemOf is the most that an operation on such pairs takes: its key, value and number, an answer and an outcome, and
// room for a rejected pair.
func itemOf(pair schemes.Pair) item {
	return item{input: pair.Bytes() + 1, answer: pair.AnswerBytes() + 1, left: pair.Bytes()}
}

// item is the memory of an operation of the batch.
func (b Batch) item(pair schemes.Pair) item {
	most := itemOf(pair)
	if b.Values == nil {
		most.input -= pair.Value
	}
	if b.Ops == nil {
		most.input--
	}
	if !kernels.Op(b.Op).HandsBack() {
		most.left = 0
	}
	return most
}

func (i item) bytes() uint64 { return uint64(i.input + i.answer + i.left) }

// Fits refuses tables that leave no room for a batch on a device, or on one of its parts.
func Fits(dev device.Device, what string, tables int64, pair schemes.Pair) error {
	free, err := dev.Free()
	each := itemOf(pair)
	if err != nil || tables+int64(leastChunk*each.bytes()) <= free {
		return err
	}
	return fmt.Errorf("%s %d bytes, and device %s has %d free; beside that, %d operations at a time take %d each: %d of input, %d of answers, %d for pairs handed back",
		what, tables, dev.Info().Name, free, leastChunk, each.bytes(), each.input, each.answer, each.left)
}

// memory is a set of allocations that are released together.
type memory struct {
	dev  device.Device
	held []device.Addr
}

func (m *memory) alloc(bytes uint64) (device.Addr, error) {
	return m.keep(m.dev.Alloc(int64(max(bytes, 8))))
}

// arrays takes memory for n keys and n values.
func (m *memory) arrays(pair schemes.Pair, n uint64) (arrays [2]device.Addr, err error) {
	if arrays[0], err = m.alloc(n * uint64(pair.Key)); err == nil {
		arrays[1], err = m.alloc(n * uint64(pair.Value))
	}
	return arrays, err
}

func (m *memory) keep(at device.Addr, err error) (device.Addr, error) {
	if err != nil {
		return 0, schemes.NoMemory{Err: err}
	}
	m.held = append(m.held, at)
	return at, nil
}

func (m *memory) release() error { return m.releaseAfter(0) }

// releaseAfter releases everything allocated after the first kept blocks.
func (m *memory) releaseAfter(kept int) (err error) {
	for _, at := range m.held[min(kept, len(m.held)):] {
		err = cmp.Or(err, m.dev.Release(at))
	}
	m.held = m.held[:min(kept, len(m.held))]
	return err
}

package engine

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// What things take of a device's memory. Tables take it first; batches take what is left, in chunks if need be.

// onDevice is what a table takes of device memory.
func onDevice(l schemes.Layout, shape schemes.Shape) (sum int64) {
	for _, r := range l.Regions {
		if !r.Table || !shape.Host {
			sum += r.Bytes
		}
	}
	return sum
}

// TableBytes is what a table will take of the memory of a device, or of each of its parts.
func TableBytes(dev device.Device, config schemes.Config, shape schemes.Shape) (int64, error) {
	if parts := len(device.PartsOf(dev)); parts > 1 {
		shape = shardOf(shape, parts)
	}
	l, err := config.Size(config, shape)
	return onDevice(l, shape), err
}

// item is what an operation of a batch takes, in bytes.
type item struct{ input, answer, left int }

// item is the most that an operation on such pairs takes: its key, value and number, an answer and an outcome, and
// room to hand the pair back.
func itemOf(pair schemes.Pair) item {
	return item{input: pair.Bytes() + 1, answer: pair.AnswerBytes() + 1, left: pair.Bytes()}
}

// item is what an operation of the batch takes.
func (b Batch) item(pair schemes.Pair) item {
	most := itemOf(pair)
	if b.Values == nil {
		most.input -= pair.Value
	}
	if b.Ops == nil {
		most.input--
	}
	if !kernels.Op(b.Op).May("failed") {
		most.left = 0
	}
	return most
}

func (i item) bytes() uint64 { return uint64(i.input + i.answer + i.left) }

// Fits refuses tables that take so much of a device, or of each of its parts, that no batch fits beside them.
func Fits(dev device.Device, what string, tables int64, pair schemes.Pair) error {
	free, err := dev.Free()
	each := itemOf(pair)
	if err != nil || tables+int64(leastChunk*each.bytes()) <= free {
		return err
	}
	return fmt.Errorf("%s %d bytes, and device %s has %d free; beside that, %d operations at a time take %d each: %d of input, %d of answers, %d for pairs handed back",
		what, tables, dev.Info().Name, free, leastChunk, each.bytes(), each.input, each.answer, each.left)
}

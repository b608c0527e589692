package limits

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// Allocator is how fast kernels allocate units of 128 bytes.
type Allocator struct {
	Device    string `json:"device"`
	Allocator string `json:"allocator"`
	N         uint64 `json:"n"`                  // units of a run
	Allocated Rates  `json:"allocated"`          // units
	Released  Rates  `json:"released,omitempty"` // and given back; absent for one that takes nothing back
}

const (
	unitBytes    = 128     // kUnitBytes of kernels/allocate.h
	counterWords = 512     // the counters
	blockUnits   = 1 << 10 // the number of units is a multiple of that
)

// Allocate measures each allocator that the program has (kernels/allocate.h): n units, of twice as many.
func Allocate(dev device.Device, n uint64) (list []Allocator, err error) {
	if err := single(dev); err != nil {
		return nil, err
	}
	units := (2*n + blockUnits - 1) &^ (blockUnits - 1)
	if err := dev.SetHeap(int64(4 * unitBytes * n)); err != nil {
		return nil, err
	}
	for _, kernel := range names("hz_allocate_") {
		a, err := allocator(dev, strings.TrimPrefix(kernel, "hz_allocate_"), n, units)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// heap is the memory that the kernels of one allocator work with.
type heap struct {
	dev             device.Device
	memory, out     device.Addr
	counters, block device.Addr
	n, units        uint64
}

func allocator(dev device.Device, name string, n, units uint64) (a Allocator, err error) {
	h := heap{dev: dev, n: n, units: units}
	defer func() {
		for _, at := range []device.Addr{h.memory, h.out, h.counters, h.block} {
			if at != 0 {
				h.dev.Release(at)
			}
		}
	}()
	if err := h.open(); err != nil {
		return a, fmt.Errorf("limits of device %s: allocator %s: %w", dev.Info().Name, name, err)
	}
	a = Allocator{Device: dev.Info().Name, Allocator: name, N: n}
	for range Runs {
		if err := h.round(&a); err != nil {
			return a, err
		}
	}
	return a, nil
}

// round allocates all units of a run, and gives them back.
func (h *heap) round(a *Allocator) error {
	took, err := h.run("hz_allocate_" + a.Allocator)
	if err == nil {
		err = h.apart(a.Allocator)
	}
	if err != nil {
		return err
	}
	a.Allocated = append(a.Allocated, float64(h.n)/took.Seconds())
	release := "hz_release_" + a.Allocator
	if _, ok := kernels.FindHost(release); !ok {
		return h.empty()
	}
	took, err = h.run(release)
	a.Released = append(a.Released, float64(h.n)/took.Seconds())
	return err
}

func (h *heap) bytes() int64 { return int64(h.units*unitBytes + h.units/4) }

func (h *heap) open() (err error) {
	for _, part := range []struct {
		at    *device.Addr
		bytes int64
	}{{&h.memory, h.bytes()}, {&h.out, int64(8 * h.n)}, {&h.counters, 8 * counterWords}, {&h.block, int64(len(kernels.Bytes(&kernels.Batch{})))}} {
		if *part.at, err = h.dev.Alloc(part.bytes); err != nil {
			return err
		}
	}
	block := kernels.Batch{Out: uint64(h.out), Values: uint64(h.memory) + h.units/8, PairLimit: h.units, Counters: uint64(h.counters)}
	if err := h.dev.Write(h.block, kernels.Bytes(&block)); err != nil {
		return err
	}
	return h.empty()
}

// empty makes all units free.
func (h *heap) empty() error {
	if err := h.dev.Set(h.memory, 0xff, h.bytes()); err != nil {
		return err
	}
	return h.dev.Set(h.counters, 0, 8*counterWords)
}

func (h *heap) run(kernel string) (time.Duration, error) {
	if err := h.dev.Prepare(kernel); err != nil {
		return 0, err
	}
	return h.dev.Time(func() error { return h.dev.Launch(kernel, 0, h.block, h.n) })
}

// apart checks that no two units that were allocated overlap.
func (h *heap) apart(name string) error {
	raw, list := make([]byte, 8*h.n), make([]uint64, h.n)
	if err := h.dev.Read(raw, h.out); err != nil {
		return err
	}
	for i := range list {
		list[i] = binary.NativeEndian.Uint64(raw[8*i:])
	}
	slices.Sort(list)
	for i, at := range list {
		if at == 0 || i > 0 && at-list[i-1] < unitBytes {
			return fmt.Errorf("device %s: allocator %s gave %#x for one of %d units: no memory, or that of another", h.dev.Info().Name, name, at, h.n)
		}
	}
	return nil
}

// Package limits measures how fast a device's memory can be accessed, which no table can beat.
package limits

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/aclements/go-moremath/stats"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Limit is what was measured of one kind of access.
type Limit struct {
	Device string         `json:"device"`
	Memory string         `json:"memory"` // device, or host: memory of the host that a GPU reaches over its bus
	Access string         `json:"access"`
	Bytes  int            `json:"bytes"` // of an access
	Rates  `json:"rates"` // accesses, of each run
}

// Rates are how many things a second went on, one for each run.
type Rates []float64

// List is what was measured of a device.
type List []Limit

// Of returns how many operations a second the memory allows, where each needs an access at a random place of its own:
// one that changes the table a swap, any other a read of a bucket. It is 0 if the operation is not of that kind.
func (l List) Of(op kernels.Operation, host bool) float64 {
	if op.Kind != kernels.OnKeys || op.Combines() {
		return 0
	}
	a := lists.Either(op.Looks(), access{name: "read", bytes: 64}, access{name: "swap", bytes: 8})
	memory := lists.Either(host, "host", "device")
	i := slices.IndexFunc(l, func(m Limit) bool { return m.Memory == memory && m.Access == a.name && m.Bytes == a.bytes })
	if i < 0 {
		return 0
	}
	return l[i].Rate()
}

// access is a kind of access.
type access struct {
	kernel string // of kernels/limits.cc: hz_limits_<name>_<bytes>
	name   string
	bytes  int
	once   bool // each slot is accessed once at most, so a run ends with the array

	sharing uint64 // how many neighboring accesses share a slot, as a power of two
}

func accesses() (list []access) {
	for _, kernel := range names("hz_limits_") {
		name, bytes, _ := strings.Cut(strings.TrimPrefix(kernel, "hz_limits_"), "_")
		a := access{kernel: kernel, name: name, once: name == "copy"}
		a.bytes, _ = strconv.Atoi(bytes)
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b access) int { return cmp.Or(strings.Compare(a.name, b.name), a.bytes-b.bytes) })
	return list
}

// Rate returns the median.
func (r Rates) Rate() float64 { return r.at(0.5) }

// Noise is half the distance between the quartiles, in parts of the median.
func (r Rates) Noise() float64 { return (r.at(0.75) - r.at(0.25)) / 2 / r.Rate() }

func (r Rates) at(part float64) float64 { return stats.Sample{Xs: r}.Quantile(part) }

// Runs is how often every access is measured, and Usual the size of the array: larger than caches.
const (
	Runs  = 7
	Usual = 1 << 30
)

var least = 10 * time.Millisecond // of a run; tests take less

// Measure accesses an array of the given size in device memory and, on a GPU, one in host memory.
func Measure(dev device.Device, bytes int64) (List, error) {
	if err := single(dev); err != nil {
		return nil, err
	}
	list, err := inMemory(dev, "device", dev.Alloc, bytes)
	if err != nil || dev.Info().Driver == "" {
		return list, err
	}
	more, err := inMemory(dev, "host", dev.AllocHost, bytes)
	return append(list, more...), err
}

// single refuses groups of devices.
func single(dev device.Device) error {
	if len(device.PartsOf(dev)) > 1 {
		return fmt.Errorf("limits of device %s: memory is measured of one device; hint: --device cpu, or cuda:0", dev.Info().Name)
	}
	return nil
}

func inMemory(dev device.Device, memory string, alloc func(int64) (device.Addr, error), bytes int64) (list []Limit, _ error) {
	at, err := alloc(bytes)
	if err != nil {
		return nil, fmt.Errorf("limits of device %s: %d bytes of %s memory: %w", dev.Info().Name, bytes, memory, err)
	}
	defer dev.Release(at)
	if err := dev.Set(at, 0, bytes); err != nil {
		return nil, err
	}
	return lists.TryMap(accesses(), func(a access) (Limit, error) {
		rates, err := a.measure(dev, at, bytes)
		return Limit{dev.Info().Name, memory, a.name, a.bytes, rates}, err
	})
}

func (a access) measure(dev device.Device, at device.Addr, bytes int64) ([]float64, error) {
	where := kernels.Look{At: uint64(at), Slots: uint64(bytes) / uint64(a.bytes), Stride: uint64(a.bytes), Key: a.sharing}
	block, err := dev.Alloc(int64(unsafe.Sizeof(where)))
	if err != nil {
		return nil, err
	}
	defer dev.Release(block)
	if err := cmp.Or(dev.Write(block, kernels.Bytes(&where)), dev.Prepare(a.kernel)); err != nil {
		return nil, err
	}
	run := func(n uint64) (time.Duration, error) {
		return dev.Time(func() error { return dev.Launch(a.kernel, 0, block, n) })
	}
	n, err := a.enough(where.Slots, run)
	rates := make([]float64, Runs)
	for i := range rates {
		var took time.Duration
		if err == nil {
			took, err = run(n)
		}
		rates[i] = float64(n) / took.Seconds()
	}
	return rates, err
}

// enough is how many accesses make a run long enough.
func (a access) enough(slots uint64, run func(uint64) (time.Duration, error)) (uint64, error) {
	most := lists.Either(a.once, slots/2&^0xff, uint64(1)<<40)
	for n := min(1<<16, most); ; n = min(2*n, most) {
		if took, err := run(n); err != nil || took >= least || n == most {
			return n, err
		}
	}
}

// Contention is how often words of memory can be changed where several accesses share each.
type Contention struct {
	Device    string         `json:"device"`
	Access    string         `json:"access"`    // swap, compare (and swap), write; ordered: a write of each word, side by side
	Conflicts int            `json:"conflicts"` // accesses that share a word; they are neighbors
	Rates     `json:"rates"` // accesses, of each run
}

// Accesses share a word with 1, 4, 16, ... others: exponents of two, and the largest.
const eachConflicts, mostConflicts = 2, 20

const contending, ordered = "hz_contend_", "hz_ordered_write"

// Contend measures accesses to an array of `bytes` bytes, first to words of their own, then with more and more to the same ones.
func Contend(dev device.Device, bytes int64) (list []Contention, err error) {
	if err := single(dev); err != nil {
		return nil, err
	}
	at, err := dev.Alloc(bytes)
	if err != nil {
		return nil, fmt.Errorf("limits of device %s: %d bytes: %w", dev.Info().Name, bytes, err)
	}
	defer dev.Release(at)
	for _, kernel := range append(names(contending), ordered) {
		for shared := 0; shared <= mostConflicts && (kernel != ordered || shared == 0); shared += eachConflicts {
			if err := dev.Set(at, 0, bytes); err != nil {
				return nil, err
			}
			a := access{kernel: kernel, name: strings.TrimPrefix(kernel, contending), bytes: 8, once: kernel == ordered, sharing: uint64(shared)}
			if a.once {
				a.name = "ordered"
			}
			rates, err := a.measure(dev, at, bytes)
			if err != nil {
				return nil, err
			}
			list = append(list, Contention{dev.Info().Name, a.name, 1 << shared, rates})
		}
	}
	return list, nil
}

// names lists the kernels whose names begin with a prefix.
func names(prefix string) []string {
	list := lists.Filter(kernels.HostNames(), func(kernel string) bool { return strings.HasPrefix(kernel, prefix) })
	slices.Sort(list)
	return list
}

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
	return lists.TryMap(names("hz_allocate_"), func(kernel string) (Allocator, error) {
		return allocator(dev, strings.TrimPrefix(kernel, "hz_allocate_"), n, units)
	})
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
	for i := 0; i < Runs && err == nil; i++ {
		err = h.round(&a)
	}
	return a, err
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
	return cmp.Or(h.dev.Write(h.block, kernels.Bytes(&block)), h.empty())
}

// empty makes all units free.
func (h *heap) empty() error {
	return cmp.Or(h.dev.Set(h.memory, 0xff, h.bytes()), h.dev.Set(h.counters, 0, 8*counterWords))
}

func (h *heap) run(kernel string) (time.Duration, error) {
	if err := h.dev.Prepare(kernel); err != nil {
		return 0, err
	}
	return h.dev.Time(func() error { return h.dev.Launch(kernel, 0, h.block, h.n) })
}

// apart checks that no two units that were allocated overlap.
func (h *heap) apart(name string) error {
	list := make([]uint64, h.n)
	if err := h.dev.Read(kernels.BytesOf(list), h.out); err != nil {
		return err
	}
	slices.Sort(list)
	for i, at := range list {
		if at == 0 || i > 0 && at-list[i-1] < unitBytes {
			return fmt.Errorf("device %s: allocator %s gave %#x for one of %d units: no memory, or that of another", h.dev.Info().Name, name, at, h.n)
		}
	}
	return nil
}

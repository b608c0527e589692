package stream

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// eachDevice opens every device of this machine, the CPU with two thread counts.
func eachDevice(t *testing.T, f func(t *testing.T, dev device.Device)) {
	for _, found := range devices.List() {
		if found.Missing != "" {
			t.Logf("not compared: %s", found.Missing)
		}
	}
	for _, name := range devices.Names() {
		for _, threads := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s threads=%d", name, threads), func(t *testing.T) {
				dev := must.Get(devices.Open(name, device.Options{Threads: threads}))(t)
				defer dev.Close()
				f(t, dev)
			})
		}
	}
}

// place copies bytes to a device.
func place(t *testing.T, dev device.Device, bytes []byte) device.Addr {
	t.Helper()
	at, err := dev.Alloc(int64(len(bytes)))
	if err == nil {
		err = dev.Write(at, bytes)
	}
	must.OK(t, err)
	return at
}

// launch runs a kernel and reads n words.
func launch(t *testing.T, dev device.Device, kernel string, table, batch device.Addr, count uint64, out device.Addr, n int) []uint64 {
	t.Helper()
	err := dev.Prepare(kernel)
	if err == nil {
		err = dev.Launch(kernel, table, batch, count)
	}
	bytes := make([]byte, 8*n)
	if err == nil {
		err = dev.Read(bytes, out)
	}
	must.OK(t, err)
	words := make([]uint64, n)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(bytes[8*i:])
	}
	return words
}

func TestEveryDeviceMakesTheSameNumbers(t *testing.T) {
	eachDevice(t, func(t *testing.T, dev device.Device) {
		const n = 4096
		for _, g := range golden {
			s := must.Get(read(g.json))(t)
			p, err := s.ProgramWith(func(_ string, numbers []uint64) (uint64, error) {
				return uint64(place(t, dev, unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), 8*len(numbers)))), nil
			})
			must.OK(t, err)
			out := place(t, dev, make([]byte, 8*n))
			fill := place(t, dev, kernels.Bytes(&kernels.Fill{Out: uint64(out), Width: 8}))
			numbers := launch(t, dev, "hz_generate", place(t, dev, kernels.Bytes(&p)), fill, n, out, n)
			must.Match(t, fmt.Sprintf("%016x", hashOf(numbers)), g.digest, g.json)
		}
	})
}

// Streams use only a few real numbers. This test compares many, bit by bit, with those that
// kernels/gen_random_test.go checks against exact results.
func TestEveryDeviceComputesTheSameReals(t *testing.T) {
	const n = 100_000
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n)
	for i := range x {
		x[i] = []float64{r.Float64(), r.Float64()*1400 - 700, math.Exp(-40 * r.Float64()), 1 + 1e-3*r.NormFloat64()}[i%4]
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 8*n)
	want := make([]uint64, 3*n)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&x[0])
	pin.Pin(&want[0])
	host, _ := kernels.FindHost("hz_real")
	host.Run(uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&want[0])), 0, n)
	eachDevice(t, func(t *testing.T, dev device.Device) {
		out := place(t, dev, make([]byte, 3*8*n))
		have := launch(t, dev, "hz_real", place(t, dev, bytes), out, n, out, 3*n)
		for i := range have {
			if have[i] != want[i] {
				t.Fatalf("function %d of %g is %x, want %x", i%3, x[i/3], have[i], want[i])
			}
		}
	})
}

func TestEveryDeviceHasTheSameDigests(t *testing.T) {
	const n = 10_000
	numbers := firstOf(t, Random(1), n)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), 8*n)
	// The sums of one thread that adds in order.
	block := func(at device.Addr) *kernels.Digest {
		return &kernels.Digest{
			Part:      [4]uint64{uint64(at), uint64(at), uint64(at)},
			PartWidth: [4]uint64{8, 4, 1}, First: 3, Positional: 1,
		}
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&numbers[0])
	want := block(device.Addr(uintptr(unsafe.Pointer(&numbers[0]))))
	pin.Pin(want)
	host, _ := kernels.FindHost("hz_digest_run")
	host.Run(0, uintptr(unsafe.Pointer(want)), 0, n)
	eachDevice(t, func(t *testing.T, dev device.Device) {
		at := place(t, dev, kernels.Bytes(block(place(t, dev, bytes))))
		words := int(unsafe.Sizeof(kernels.Digest{}) / 8)
		have := launch(t, dev, "hz_digest_run", 0, at, n, at, words)
		must.Match(t, [2]uint64(have[words-2:]), want.Sum)
	})
}

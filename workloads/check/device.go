package check

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

func isCPU(dev device.Device) bool { return strings.HasPrefix(dev.Info().Name, "cpu") }

// available says whether the device can run some kernels, and if not, why. That a
// kernel is not there at all is an error: every one is compiled for the CPU, and
// the CPU can run all of them.
func available(dev device.Device, names ...string) (missing string, err error) {
	for _, name := range names {
		if _, ok := kernels.FindHost(name); !ok {
			return "", fmt.Errorf("kernel %s is declared and not compiled", name)
		}
	}
	err = dev.Prepare(names...)
	if err == nil || isCPU(dev) {
		return "", err
	}
	return err.Error(), nil
}

// arrays are numbers in device memory. After the first error nothing more is
// done, so that it need be looked at only once.
type arrays struct {
	dev  device.Device
	held []device.Addr
	err  error
}

func (a *arrays) try(f func() error) {
	if a.err == nil {
		a.err = f()
	}
}

// put copies words to the device.
func (a *arrays) put(words []uint64) uint64 {
	bytes := make([]byte, 0, 8*len(words))
	for _, word := range words {
		bytes = binary.LittleEndian.AppendUint64(bytes, word)
	}
	return uint64(a.putBytes(bytes))
}

func (a *arrays) putBytes(bytes []byte) (at device.Addr) {
	a.try(func() (err error) {
		if at, err = a.dev.Alloc(int64(max(8, len(bytes)))); err != nil {
			return err
		}
		a.held = append(a.held, at)
		return a.dev.Write(at, bytes)
	})
	return at
}

// get copies words from the device.
func (a *arrays) get(words []uint64, at uint64) {
	a.try(func() error {
		bytes := make([]byte, 8*len(words))
		if err := a.dev.Read(bytes, device.Addr(at)); err != nil {
			return err
		}
		for i := range words {
			words[i] = binary.LittleEndian.Uint64(bytes[8*i:])
		}
		return nil
	})
}

func (a *arrays) release() {
	for _, at := range a.held {
		if err := a.dev.Release(at); err != nil && a.err == nil {
			a.err = err
		}
	}
}

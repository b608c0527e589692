package check

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

func isCPU(dev device.Device) bool { return strings.HasPrefix(dev.Info().Name, "cpu") }

// available returns why the device cannot run some kernels. A missing kernel is an error:
// every kernel is compiled for the CPU, and the CPU can run all of them.
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

// arrays are numbers in device memory. After the first error nothing more is done.
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

// put copies words or bytes to the device.
func (a *arrays) put(data any) (at uint64) {
	a.try(func() error {
		bytes, err := binary.Append(nil, binary.LittleEndian, data)
		if err != nil {
			return err
		}
		to, err := a.dev.Alloc(int64(max(8, len(bytes))))
		if err != nil {
			return err
		}
		a.held, at = append(a.held, to), uint64(to)
		return a.dev.Write(to, bytes)
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
		_, err := binary.Decode(bytes, binary.LittleEndian, words)
		return err
	})
}

// launch runs a kernel.
func (a *arrays) launch(kernel string, table, batch uint64, count int) {
	a.try(func() error { return a.dev.Prepare(kernel) })
	a.try(func() error { return a.dev.Launch(kernel, device.Addr(table), device.Addr(batch), uint64(count)) })
}

func (a *arrays) release() {
	for _, at := range a.held {
		if err := a.dev.Release(at); err != nil && a.err == nil {
			a.err = err
		}
	}
}

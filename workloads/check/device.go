package check

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

func isCPU(dev device.Device) bool { return strings.HasPrefix(dev.Info().Name, "cpu") }

// available returns why the device cannot run some kernels. The CPU can run all of them.
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

// put copies words or bytes to the device, until the end of the rung.
func (c *climb) put(data any) uint64 {
	bytes, err := binary.Append(nil, binary.LittleEndian, data)
	c.must(err)
	at, err := c.dev.Alloc(int64(max(8, len(bytes))))
	c.must(err)
	c.held = append(c.held, func() error { return c.dev.Release(at) })
	c.must(c.dev.Write(at, bytes))
	return uint64(at)
}

func (c *climb) get(words []uint64, at uint64) {
	bytes := make([]byte, 8*len(words))
	c.must(c.dev.Read(bytes, device.Addr(at)))
	_, err := binary.Decode(bytes, binary.LittleEndian, words)
	c.must(err)
}

func (c *climb) launch(kernel string, table, batch uint64, count int) {
	c.must(c.dev.Prepare(kernel))
	c.must(c.dev.Launch(kernel, device.Addr(table), device.Addr(batch), uint64(count)))
}

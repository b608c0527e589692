package engine

import (
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/digest"
)

// part is an array of numbers in device memory. Without an address or width it is skipped.
type part struct {
	at    device.Addr
	width int
}

// addUp adds parallel arrays of n numbers to the sums of a digest, on the device so that they need not be copied.
func addUp(dev device.Device, n uint64, block *kernels.Digest, parts ...part) error {
	for i, p := range parts {
		if p.width > 0 {
			block.Part[i], block.PartWidth[i] = uint64(p.at), uint64(p.width)
		}
	}
	return runOwn(dev, digest.Kernel, nil, kernels.Bytes(block), n)
}

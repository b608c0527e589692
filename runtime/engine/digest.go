package engine

import (
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/digest"
)

// digestOf says what to digest: parallel arrays of n numbers in device memory. A
// part without an address is not there.
type digestOf struct {
	what       string
	n          uint64
	positional bool
	parts      []device.Addr
	widths     []int
}

// sum has the device add up the numbers, so that they need not be copied, and
// finishes the digest here.
func sum(dev device.Device, d digestOf) (string, error) {
	block := kernels.Digest{}
	if d.positional {
		block.Positional = 1
	}
	for i, at := range d.parts {
		block.Part[i], block.PartWidth[i] = uint64(at), uint64(d.widths[i])
	}
	scratch := memory{dev: dev}
	defer scratch.release()
	at, err := place(&scratch, &block)
	if err != nil {
		return "", err
	}
	if err := dev.Prepare(digest.Kernel); err != nil {
		return "", err
	}
	if err := dev.Launch(digest.Kernel, 0, at, d.n); err != nil {
		return "", err
	}
	if err := dev.Read(kernels.Bytes(&block), at); err != nil {
		return "", err
	}
	return digest.Finish(d.what, d.n, &block), nil
}

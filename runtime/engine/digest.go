package engine

import (
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/digest"
)

// digestOf says what to digest: parallel arrays of n numbers in device memory.
type digestOf struct {
	what       string
	n          uint64
	positional bool
}

// part is one of the arrays: where it is, and the bytes of a number. Without an address or
// bytes it is left out.
type part struct {
	at    device.Addr
	width int
}

// sum has the device add up the numbers, so that they need not be copied, and finishes the
// digest here.
func (d digestOf) sum(dev device.Device, parts ...part) (string, error) {
	block := kernels.Digest{}
	if d.positional {
		block.Positional = 1
	}
	for i, p := range parts {
		if p.width > 0 {
			block.Part[i], block.PartWidth[i] = uint64(p.at), uint64(p.width)
		}
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

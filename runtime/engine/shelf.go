package engine

import (
	"slices"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Reader is a Stream whose program reads numbers that the host has: from a file,
// say. They are copied to the device for it.
type Reader interface {
	Stream
	// ProgramWith is Program, with place called for the numbers that are read. It
	// returns their address; numbers of the same name are the same.
	ProgramWith(place func(name string, numbers []uint64) (uint64, error)) (kernels.Program, error)
}

// Shelf makes batches on a device, and keeps numbers of the host there, so that
// batches which read the same ones copy them once.
type Shelf struct {
	dev  device.Device
	keep int64
	held []shelved // the one used last is last
}

type shelved struct {
	name  string
	at    device.Addr
	bytes int64
}

// NewShelf makes an empty shelf. What no batch is being made of, it keeps up to so
// many bytes of.
func NewShelf(dev device.Device, keep int64) *Shelf { return &Shelf{dev: dev, keep: keep} }

// Load makes a batch and digests it. If that fails, what the shelf keeps may be in
// the way, so it is tried again without.
func (s *Shelf) Load(pair schemes.Pair, b Batch) (*Input, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	kept := len(s.held) > 0
	in, err := s.load(pair, b)
	if err != nil && kept {
		in, err = s.load(pair, b)
	}
	return in, err
}

func (s *Shelf) load(pair schemes.Pair, b Batch) (*Input, error) {
	in := &Input{Op: b.Op, N: b.Len(), pair: pair, mixed: b.Mixed, size: b.Capacity, mem: memory{dev: s.dev}}
	err := in.load(b, s)
	if err == nil {
		err = s.shrink(s.keep)
	}
	if err != nil {
		in.Release()
		s.shrink(0)
		return nil, err
	}
	return in, nil
}

// Close gives the memory back.
func (s *Shelf) Close() error { return s.shrink(0) }

// program is a stream's program for this device.
func (s *Shelf) program(of Stream) (kernels.Program, error) {
	if reader, ok := of.(Reader); ok {
		return reader.ProgramWith(s.place)
	}
	return of.Program()
}

// place puts numbers on the shelf, or finds them there.
func (s *Shelf) place(name string, numbers []uint64) (uint64, error) {
	i := slices.IndexFunc(s.held, func(h shelved) bool { return h.name == name })
	if i < 0 {
		return s.put(name, numbers)
	}
	found := s.held[i]
	s.held = append(slices.Delete(s.held, i, i+1), found)
	return uint64(found.at), nil
}

func (s *Shelf) put(name string, numbers []uint64) (uint64, error) {
	bytes := int64(8 * len(numbers))
	at, err := s.dev.Alloc(max(bytes, 8))
	if err != nil {
		return 0, err
	}
	if err := s.dev.Write(at, bytesOf(numbers)); err != nil {
		s.dev.Release(at)
		return 0, err
	}
	s.held = append(s.held, shelved{name, at, bytes})
	return uint64(at), nil
}

// shrink drops what was not used for longest until the rest is no larger than
// that. The kernels that read it have ended: a batch is done when it is digested.
func (s *Shelf) shrink(keep int64) error {
	bytes := int64(0)
	for _, h := range s.held {
		bytes += h.bytes
	}
	for len(s.held) > 0 && (bytes > keep || keep == 0) {
		bytes -= s.held[0].bytes
		if err := s.drop(); err != nil {
			return err
		}
	}
	return nil
}

// drop gives back the memory of the numbers that were not used for longest.
func (s *Shelf) drop() error {
	at := s.held[0].at
	s.held = s.held[1:]
	return s.dev.Release(at)
}

// bytesOf is the numbers' own memory; hosts and devices have the low byte first.
func bytesOf(numbers []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), 8*len(numbers))
}

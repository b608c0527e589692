package engine

import (
	"cmp"
	"fmt"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// A batch that inserts a key twice is a mistake on a scheme with unique keys, which few schemes notice. So repeated keys
// are counted when a batch is loaded, outside measured time: in all of a small one, and in a sample of a large one, which
// has either all copies of a key or none.

// repeats is the number of repeated keys of a batch, estimated from 1 in `sample` keys.
type repeats struct{ counted, sample uint64 }

// sampleSize is about the largest number of keys in the sample.
const sampleSize = 1 << 16

// seen is a set of the keys of a batch that are in the sample (kernels/repeats.h).
type seen struct {
	mem  memory
	set  device.Addr
	args kernels.Look
}

// newSeen is the set for a batch of n keys.
func newSeen(dev device.Device, width int, n uint64) *seen {
	sample := uint64(1) << max(0, bits.Len64(n)-bits.Len(sampleSize))
	return &seen{mem: memory{dev: dev}, args: kernels.Look{Key: uint64(width), Stride: sample, Bucket: 2 << bits.Len64(n/sample)}}
}

// add adds keys to the set, and counts those that were in it.
func (s *seen) add(keys device.Addr, n uint64) (err error) {
	dev, words := s.mem.dev, s.args.Bucket
	if s.set == 0 {
		if s.set, err = s.mem.alloc(8*words + uint64(unsafe.Sizeof(s.args))); err != nil {
			return err
		}
		if err := dev.Set(s.set, 0xff, int64(8*words)); err != nil {
			return err
		}
	}
	s.args.At, s.args.Slots = uint64(keys), n
	block := s.set + device.Addr(8*words)
	return cmp.Or(dev.Prepare("hz_repeats"), dev.Write(block, kernels.Bytes(&s.args)),
		dev.Launch("hz_repeats", s.set, block, n), dev.Read(kernels.Bytes(&s.args), block))
}

func (s *seen) repeats() repeats { return repeats{s.args.Bin[0] * s.args.Stride, s.args.Stride} }

// noteRepeats notes that keys were inserted twice into a scheme that keeps one pair of each.
func (s *Sample) noteRepeats(config schemes.Config, in *Input) {
	r := in.repeats
	if r.counted == 0 || config.Caps.Duplicates {
		return
	}
	about := ""
	if r.sample > 1 {
		about = fmt.Sprintf("about (from 1 in %d keys) ", r.sample)
	}
	several := schemes.Where(func(s *schemes.Scheme) bool { return s.Caps.Duplicates })
	s.Notes = append(s.Notes, fmt.Sprintf("%s%d of %d keys were in the batch before, and this scheme keeps one pair of a key; several are kept by %s",
		about, min(r.counted, in.N), in.N, strings.Join(several, ", ")))
}

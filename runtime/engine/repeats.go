package engine

import (
	"bytes"
	"fmt"
	"math/bits"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// A batch of inserts with a key twice is a mistake on a scheme with unique keys, which few schemes notice. So the keys
// of every such batch are looked at when it is loaded, outside measured time: all of a small one, and of a large one a
// sample, in which a key is with all of its copies.

// repeats says how many keys of a batch were in it before, as 1 in `sample` keys tells.
type repeats struct{ counted, sample uint64 }

// sampleSize bounds the keys that are looked at, about.
const sampleSize = 1 << 16

// repeatsOf counts the repeated keys of a batch, by kernels/repeats.h.
func repeatsOf(dev device.Device, keys device.Addr, width int, n uint64) (repeats, error) {
	sample := uint64(1) << max(0, bits.Len64(n)-bits.Len(sampleSize))
	words := uint64(2) << bits.Len64(n/sample)
	look := kernels.Look{At: uint64(keys), Slots: n, Key: uint64(width), Stride: sample, Bucket: words}
	err := runOwn(dev, "hz_repeats", bytes.Repeat([]byte{0xff}, int(8*words)), kernels.Bytes(&look), n)
	return repeats{look.Bin[0] * sample, sample}, err
}

// noteRepeats says in the sample that keys were given twice to a scheme that keeps one pair of each.
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

package stream

import (
	"errors"

	"github.com/hashzoo/hashzoo/kernels"
)

// Constructors that only tests need.

// Sub is a - b.
func (s Stream) Sub(b Stream) Stream { return s.on("sub", nil, b) }

// Xor is a exclusive-or b.
func (s Stream) Xor(b Stream) Stream { return s.on("xor", nil, b) }

// Sample is count numbers of the stream, from different indices.
func (s Stream) Sample(count, seed uint64) Stream {
	return s.on("sample", Params{"count": count, "seed": seed})
}

// Cycle repeats the numbers forever.
func (s Stream) Cycle() Stream { return s.on("cycle", nil) }

// YCSBZipfian is YCSB's zipfian.
func YCSBZipfian(n, seed uint64) Stream {
	return New("ycsb_zipfian", nil, Params{"n": n, "seed": seed})
}

// Fnv is YCSB's hash of each number. It is at most 2^63.
func (s Stream) Fnv() Stream { return s.on("fnv", nil) }

// Hits are the parameters of hits.
type Hits struct {
	Of    Stream
	Ratio float64
	N     uint64
	Width int
	Seed  uint64
}

// Stream is the queries.
func (h Hits) Stream() Stream {
	return New("hits", []Stream{h.Of}, Params{"ratio": h.Ratio, "n": h.N, "width": h.Width, "seed": h.Seed})
}

// Doubt is the probability that a key which should be absent is present.
func (h Hits) Doubt() float64 {
	if h.Stream().Err() != nil || h.Ratio == 1 {
		return 0
	}
	keys, n := uint64(1)<<(8*h.Width-1)*2-2, h.N
	if n == 0 {
		n = h.Of.Len()
	}
	pool, _ := absent(h.Of.node, keys, max(n, 1), Derive(h.Seed, "hits absent"))
	return pool.doubt
}

// Pairs are the parameters of pairs.
type Pairs struct {
	Pairs, Unique, MaxDuplicates uint64
	Skew                         float64
	Width                        int
	Seed                         uint64
}

// Stream is the keys.
func (p Pairs) Stream() Stream {
	return New("pairs", nil, Params{"pairs": p.Pairs, "unique": p.Unique, "max_duplicates": p.MaxDuplicates,
		"skew": p.Skew, "width": p.Width, "seed": p.Seed})
}

// Affine is a i + b at index i, modulo 2^64.
func Affine(a, b uint64) Stream { return New("affine", nil, Params{"a": a, "b": b}) }

// Hotspot is random numbers below n: a share of them is uniform below n * hot, the others are uniform in the rest.
func Hotspot(n uint64, hot, share float64, seed uint64) Stream {
	return New("hotspot", nil, Params{"n": n, "hot": hot, "share": share, "seed": seed})
}

// Latest counts back from the newest number by a zipfian rank below n. The newest number is
// n-1 at index 0 and grows by growth per index, rounded down.
func Latest(n uint64, theta, growth float64, seed uint64) Stream {
	return New("latest", nil, Params{"n": n, "theta": theta, "growth": growth, "seed": seed})
}

// Normal is normally distributed numbers, rounded and clamped to low and high.
func Normal(mean, stddev float64, low, high, seed uint64) Stream {
	return New("normal", nil, Params{"mean": mean, "stddev": stddev, "low": low, "high": high, "seed": seed})
}

// Program returns the program of a stream without Data.
func (s Stream) Program() (kernels.Program, error) {
	return s.ProgramWith(func(string, []uint64) (uint64, error) {
		return 0, errors.New("they must be copied to a device first")
	})
}

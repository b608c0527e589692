package host

import (
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// evenWeight is the largest weight.
const evenWeight = 1 << 20

// sampled is the number of buckets per subtable whose pairs are counted to weigh it.
var sampled = schemes.ReadConstants(schemes.Folders, "dycuckoo/resize.h").Of("kSampled")

// weigh chooses the weights with which the new pairs of a batch fill all subtables to the same share. Where that is so
// already, the weights follow from the sizes, and nothing needs to be counted until the next resize. Elsewhere pairs are
// counted anew when their number has changed by an eighth, since batches may be small.
func (s *subtables) weigh(asked uint64) error {
	last := s.block.Arg[argWeighed]
	if s.balanced() || last > 0 && max(s.size, last)-min(s.size, last) <= last/8 {
		return nil
	}
	pairs, err := s.pairsOfEach()
	if err != nil {
		return err
	}
	s.setWeights(s.wanted(pairs, max(float64(asked), float64(s.size)/8)))
	s.block.Arg[argWeighed] = max(1, s.size)
	s.t.SetBlock(s.block)
	return nil
}

// balanced reports whether the weights follow from the sizes alone.
func (s *subtables) balanced() bool { return slices.Equal(s.weights(), s.weightsFor(s.shares())) }

// pairsOfEach estimates the number of pairs in each subtable.
func (s *subtables) pairsOfEach() ([]float64, error) {
	pairs := make([]float64, s.count())
	for i := range s.count() {
		sample := min(sampled, s.buckets(i))
		done, err := s.t.Launch(schemes.Batch{Op: "weigh", N: sample * s.bucket, Block: kernels.Batch{Select: i}})
		if err != nil {
			return nil, err
		}
		pairs[i] = float64(done.Counts.Get("pairs")) * float64(s.buckets(i)) / float64(sample)
	}
	return pairs, nil
}

// shares returns the share that each subtable has of all slots.
func (s *subtables) shares() []float64 {
	shares := make([]float64, s.count())
	for i := range s.count() {
		shares[i] = float64(s.slots(i)) / float64(s.capacity())
	}
	return shares
}

// wanted returns the share of the next pairs that each subtable lacks to be as full as the others after them.
func (s *subtables) wanted(pairs []float64, next float64) []float64 {
	sum, all := next, s.shares()
	for _, n := range pairs {
		sum += n
	}
	lacks := make([]float64, len(pairs))
	for i, n := range pairs {
		lacks[i] = max(all[i]*sum-n, 0.01*all[i]*next)
	}
	return toOne(lacks)
}

// setWeights sets weights with which subtables get shares of the pairs: those of their sizes if these are alike.
func (s *subtables) setWeights(shares []float64) {
	alike := true
	for i, size := range s.shares() {
		alike = alike && math.Abs(shares[i]-size) < 0.1*size
	}
	if alike {
		shares = s.shares()
	}
	copy(s.weights(), s.weightsFor(shares))
}

// weightsFor scales weights to whole numbers.
func (s *subtables) weightsFor(shares []float64) []uint64 {
	weights := shares
	if s.t.Config().Settings()["places"] == "two" {
		weights = weightsOfTwo(shares)
	}
	scaled, most := make([]uint64, len(weights)), slices.Max(weights)
	for i, w := range weights {
		scaled[i] = max(1, uint64(math.Round(evenWeight*w/most)))
	}
	return scaled
}

// weightsOfTwo returns weights with which subtables get shares of keys that have places in two of them each. Every two
// have equally many keys, which go to i rather than j with probability w[i] / (w[i] + w[j]). The weights are the fixed
// point of w[i] = share[i] / sum over j of 2 / (d (d - 1)) / (w[i] + w[j]), known from the model of Bradley and Terry.
func weightsOfTwo(shares []float64) []float64 {
	d := float64(len(shares))
	shares = feasible(shares, 2/d)
	w := slices.Clone(shares)
	for range 64 {
		next := make([]float64, len(w))
		for i := range w {
			sum := 0.0
			for j := range w {
				if j != i {
					sum += 2 / (d * (d - 1)) / (w[i] + w[j])
				}
			}
			next[i] = shares[i] / sum
		}
		w = toOne(next)
	}
	return w
}

// feasible returns shares of which none exceeds the keys that have a place in its subtable.
func feasible(shares []float64, most float64) []float64 {
	limited := slices.Clone(shares)
	for i := range limited {
		limited[i] = min(limited[i], 0.98*most)
	}
	return toOne(limited)
}

func toOne(list []float64) []float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	for i := range list {
		list[i] /= sum
	}
	return list
}

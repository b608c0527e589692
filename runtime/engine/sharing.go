package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Sharing is how several devices shared a batch, or several batches. Each of the four times is that of the slowest
// device. They add up to the service time, unless copies overlapped with kernels.
type Sharing struct {
	Partition time.Duration // by shards
	Exchange  time.Duration // copies to the shards
	Operation time.Duration
	Return    time.Duration // of outcomes and answers, back into order
	Service   time.Duration // from the first to the last of these

	mean time.Duration // of the devices' operation times
	most uint64        // operations of the shard that had most
	even float64       // operations of each, if all had as many
}

// Overlap is how much of the four times overlapped with another.
func (s *Sharing) Overlap() time.Duration {
	return max(0, s.Partition+s.Exchange+s.Operation+s.Return-s.Service)
}

// SkewOfTime is the operation time of the slowest device, divided by the mean of all.
func (s *Sharing) SkewOfTime() float64 { return ratio(float64(s.Operation), float64(s.mean)) }

// SkewOfKeys is the number of operations of the shard that had most, divided by the mean of all.
func (s *Sharing) SkewOfKeys() float64 { return ratio(float64(s.most), s.even) }

func ratio(a, b float64) float64 { return lists.Either(b == 0, 1, a/b) }

// Plus adds other batches; nil is none.
func (s *Sharing) Plus(more *Sharing) *Sharing {
	if s == nil || more == nil {
		return cmp.Or(s, more)
	}
	return &Sharing{s.Partition + more.Partition, s.Exchange + more.Exchange, s.Operation + more.Operation, s.Return + more.Return,
		s.Service + more.Service, s.mean + more.mean, s.most + more.most, s.even + more.even}
}

// measure takes the times of the shards.
func (s *Sharing) measure(done []*result) {
	slowest := func(lap int) time.Duration {
		return slices.Max(lists.Map(done, func(r *result) time.Duration { return r.sample.laps[lap] }))
	}
	var sum time.Duration
	for _, r := range done {
		sum += r.sample.laps[lapOperation]
		s.Service = max(s.Service, r.sample.Service)
	}
	s.mean = sum / time.Duration(len(done))
	s.Partition, s.Exchange, s.Operation, s.Return = slowest(lapPartition), slowest(lapExchange), slowest(lapOperation), slowest(lapReturn)
}

// addReturn adds time after the slowest shard was done.
func (s *Sharing) addReturn(took time.Duration) {
	s.Return += took
	s.Service += took
}

// add adds the samples of the shards to that of a batch.
func (s *Sharing) add(all Sample, done []*result) Sample {
	for q, r := range done {
		all.Upkeep = max(all.Upkeep, r.sample.Upkeep)
		all.Counts.Add(r.sample.Counts)
		for _, note := range r.sample.Notes {
			all.Notes = append(all.Notes, fmt.Sprintf("shard %d: %s", q, note))
		}
	}
	all.Sharing, all.Service = s, s.Service
	return all
}

var _ [device.MostLaps - lapReturn - 1]struct{} // there is a lap for each time

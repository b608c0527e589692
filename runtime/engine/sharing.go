package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Sharing is how several devices shared a batch, or several batches. Each of the four times is that of the device that
// took longest. They add up to the service time, unless copies went on beside kernels.
type Sharing struct {
	Partition time.Duration // by owners of keys
	Exchange  time.Duration // copies to the owners
	Operation time.Duration
	Return    time.Duration // of outcomes and answers, back into order
	Service   time.Duration // from the first to the last of these

	mean time.Duration // of the devices' operation times
	most uint64        // operations of the owner that had most
	even float64       // operations of each, if all had as many
}

// Overlap is how much of the four times went on at once with another.
func (s *Sharing) Overlap() time.Duration {
	return max(0, s.Partition+s.Exchange+s.Operation+s.Return-s.Service)
}

// SkewOfTime is the operation time of the slowest device, divided by the mean of all.
func (s *Sharing) SkewOfTime() float64 { return ratio(float64(s.Operation), float64(s.mean)) }

// SkewOfKeys is the number of operations of the owner that had most, divided by the mean of all.
func (s *Sharing) SkewOfKeys() float64 { return ratio(float64(s.most), s.even) }

func ratio(a, b float64) float64 {
	if b == 0 {
		return 1
	}
	return a / b
}

// Plus adds other batches; nil is none.
func (s *Sharing) Plus(more *Sharing) *Sharing {
	if s == nil || more == nil {
		return cmp.Or(s, more)
	}
	return &Sharing{s.Partition + more.Partition, s.Exchange + more.Exchange, s.Operation + more.Operation, s.Return + more.Return,
		s.Service + more.Service, s.mean + more.mean, s.most + more.most, s.even + more.even}
}

// operated notes the operation times of the devices.
func (s *Sharing) operated(times []time.Duration) {
	var sum time.Duration
	for _, t := range times {
		sum += t
	}
	s.Operation, s.mean = slices.Max(times), sum/time.Duration(len(times))
	s.inTurn()
}

// inTurn notes that the steps came one after the other.
func (s *Sharing) inTurn() { s.Service = s.Partition + s.Exchange + s.Operation + s.Return }

// flowed notes the laps of the devices and how long each took for all, and what came after that.
func (s *Sharing) flowed(samples []Sample, after time.Duration) {
	slowest := func(lap int) time.Duration {
		return slices.Max(lists.Map(samples, func(s Sample) time.Duration { return s.laps[lap] }))
	}
	s.operated(lists.Map(samples, func(s Sample) time.Duration { return s.laps[lapOperation] }))
	s.Partition, s.Exchange, s.Return = slowest(lapPartition), slowest(lapExchange), slowest(lapReturn)+after
	s.Service = slices.Max(lists.Map(samples, func(s Sample) time.Duration { return s.Service })) + after
}

// owns notes how many operations each device owns.
func (s *Sharing) owns(n uint64, shards []*Input) {
	s.even = float64(n) / float64(len(shards))
	for _, o := range shards {
		s.most = max(s.most, o.N)
	}
}

var _ [device.MostLaps - lapReturn - 1]struct{} // there is a lap for each time

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

// flowed notes what each device did for how long.
func (s *Sharing) flowed(samples []Sample) {
	slowest := func(lap int) time.Duration {
		return slices.Max(lists.Map(samples, func(s Sample) time.Duration { return s.laps[lap] }))
	}
	var sum time.Duration
	for _, sample := range samples {
		sum += sample.laps[lapOperation]
		s.Service = max(s.Service, sample.Service)
	}
	s.mean = sum / time.Duration(len(samples))
	s.Partition, s.Exchange, s.Operation, s.Return = slowest(lapPartition), slowest(lapExchange), slowest(lapOperation), slowest(lapReturn)
}

// returned notes what came after all that.
func (s *Sharing) returned(took time.Duration) {
	s.Return += took
	s.Service += took
}

// owns notes how many operations each device owns.
func (s *Sharing) owns(n uint64, shards []*Input) {
	s.even = float64(n) / float64(len(shards))
	for _, o := range shards {
		s.most = max(s.most, o.N)
	}
}

var _ [device.MostLaps - lapReturn - 1]struct{} // there is a lap for each time

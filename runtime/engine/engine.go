// Package engine runs batches of operations on tables: it makes the input on the device, launches the scheme's kernels,
// times them by the device's clock, reads the counters, and checks the results if asked to.
//
// An Input is a batch in device memory, made once and run on any number of tables; a Table is a scheme with memory, on
// one device or in shards on several; a Sample is the result of one batch on one table.
//
// A batch is carried out by 12 functions in two files, each called by the one before it:
//
//	run.go     Table.Run         in one piece, or in chunks (chunks.go)
//	           Table.run         plan, load, launch, verify, account
//	           Table.launch      on every shard; of several, together (pipeline.go)
//	           shard.run         phase by phase
//	           shard.runPhase    by the host side (hostside.go), or by a launch
//	           shard.carryOut    and the values that it lists (listed.go)
//	launch.go  shard.Launch      plan, load, run, check, account
//	           kernelLaunch.run
//	           shard.within      the watchdog; or withinDevice
//	           kernelLaunch.start  as it is, pipelined, streamed or pre-aggregated (preaggregate.go)
//	           kernelLaunch.call
//	           device.Device.Call
//
// Above them are seven functions in three files: host.batchMethod and host.do (workloads/lua/batch.go), member.Do and
// member.run (workloads/run/member.go), caller.do, point.serve and point.batch (workloads/run/batch.go).
package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Stream is a sequence of numbers: List, Packed, or Generated.
type Stream interface {
	Len() uint64
	String() string
}

// Generated is a stream that a device generates (workloads/stream). Its program may read numbers of the host: place
// returns their address on the device; numbers of the same name are the same.
type Generated interface {
	Stream
	ProgramWith(place func(name string, numbers []uint64) (uint64, error)) (kernels.Program, error)
}

// Sample is the result of one batch on one table.
type Sample struct {
	Op      string         // mix for a mixed batch
	N       uint64         // operations in the batch
	Chunk   uint64         // operations in a chunk; 0: it was carried out in one piece
	Launch  uint64         // operations in a launch; 0: none was cut into smaller ones
	Service time.Duration  // device time of all its launches, and of the fills and copies of its host side
	laps    device.Laps    // of a shard: the parts of the service time (pipeline.go)
	Upkeep  time.Duration  // the part of it in which the host side moved pairs, filled and copied
	Counts  schemes.Counts // by kernels.Counters
	Input   string         // digest of the input
	Result  string         // digest of all results; empty without Spec.Results
	Phases  []string       // of a mixed batch, if it was split into several
	Notes   []string       // unusual events
	Size    uint64         // pairs in the table afterwards
	Load    float64        // load factor afterwards
	Sharing *Sharing       // nil on one device
	Listed  Listed         // by find_all and retrieve, with Spec.Keep

	leftKeys, leftValues []uint64 // pairs that a verified table rejected in the last phase

	found []found // by find_all and retrieve, for each phase
}

// Add adds the counts and times of another batch of the operation, after which the table has its size.
func (s *Sample) Add(more Sample) {
	if s.Counts == nil {
		*s = more
		s.Counts = slices.Clone(more.Counts)
		return
	}
	s.N += more.N
	s.Service += more.Service
	s.Upkeep += more.Upkeep
	s.Size, s.Load, s.Launch = more.Size, more.Load, max(s.Launch, more.Launch)
	s.Counts.Add(more.Counts)
	s.Sharing = s.Sharing.Plus(more.Sharing)
}

// Completed is the number of operations that neither failed nor were rejected.
func (s Sample) Completed() uint64 { return s.N - s.Counts.Get("failed") - s.Counts.Get("rejected") }

// Hits are how many lookups found their key, and how many did not.
func (s Sample) Hits() (hits, misses uint64) {
	if !kernels.Op(s.Op).LooksUp() {
		return 0, 0
	}
	return s.Counts.Get("ok"), s.Counts.Get("missing")
}

// HandsBack reports whether pairs were handed back. Which ones depends on the scheme and on timing.
func (s Sample) HandsBack() bool { return s.Counts.Get("failed")+s.Counts.Get("evicted") > 0 }

// Mops is the rate of completed operations, in millions a second.
func (s Sample) Mops() float64 {
	return lists.Either(s.Service <= 0, 0, float64(s.Completed())/s.Service.Seconds()/1e6)
}

// PerOp is a count divided by the operations of the batch.
func (s Sample) PerOp(counter string) float64 {
	return float64(s.Counts.Get(counter)) / float64(max(s.N, 1))
}

// HangError says that a batch did not end in time. The device is still busy with it.
type HangError struct {
	Scheme string
	Op     string
	N      uint64
	Limit  time.Duration
	Full   bool // of tombstones, perhaps (TombstoneError)
}

func (e *HangError) Error() string {
	why := lists.Either(e.Full, "erased pairs may occupy all slots, which t:flush() frees; or ", "") + "the kernel hangs, or batch_timeout is too short"
	return fmt.Sprintf("scheme %s: a batch of %d %s operations did not end within %v: %s", e.Scheme, e.N, e.Op, e.Limit, why)
}

// Supports says whether a scheme has an operation, naming those that do if not. Its errors are a *schemes.Lack.
func Supports(s schemes.Config, op string) error {
	if s.Caps.Has(op) {
		return nil
	}
	lack, has := &schemes.Lack{What: "no operation " + op}, strings.Join(s.Caps.Ops, ", ")
	switch with := schemes.With(op); {
	case s.Scheme.Caps.Has(op):
		lack.What += " with these parameters"
		lack.Text = fmt.Sprintf("scheme %s has no operation %s: it has %s, and with other parameters %s too", s, op, has, op)
	case len(with) == 0:
		lack.Text = fmt.Sprintf("scheme %s has no operation %s: it has %s; no scheme of this zoo has %s", s.Name, op, has, op)
	default:
		lack.Text = fmt.Sprintf("scheme %s has no operation %s: it has %s; try %s", s.Name, op, has, strings.Join(with, ", "))
	}
	return lack
}

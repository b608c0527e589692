// Package engine runs batches of operations on tables: it makes the input on the device,
// launches what the scheme asks for, times it by the device's clock, reads the counters, and
// checks the results if asked to.
//
// An Input is a batch in device memory, made once and run on any number of tables; a Table is
// a scheme with memory; a Sample is the result of one batch on one table.
package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Stream is a sequence of numbers: List, Packed, or Generated.
type Stream interface {
	Len() uint64
	String() string
}

// Generated is a stream that a device makes by itself (workloads/stream). Its program may read numbers of the host:
// place returns their address on the device; numbers of the same name are the same.
type Generated interface {
	Stream
	ProgramWith(place func(name string, numbers []uint64) (uint64, error)) (kernels.Program, error)
}

// Sample is the result of one batch on one table.
type Sample struct {
	Op      string         // what was done; mix for a mixed batch
	N       uint64         // operations in the batch
	Chunk   uint64         // and in a chunk of it; 0: it was carried out in one piece
	Launch  uint64         // and in a launch; 0: none was cut into smaller ones
	Service time.Duration  // device time of all its launches, and of what the host side fills and copies
	laps    device.Laps    // of a shard: what the service time is made of (flow.go)
	Upkeep  time.Duration  // the part of it in which the host side did not launch the batch: it moved pairs, filled and copied
	Counts  schemes.Counts // by kernels.Counters
	Input   string         // digest of the input
	Result  string         // digest of what every operation gave; empty if not asked for
	Phases  []string       // a mixed batch: the phases that it was split into, if it was
	Notes   []string       // what happened out of the ordinary
	Size    uint64         // pairs in the table afterwards
	Load    float64        // load factor afterwards
	Sharing *Sharing       // how several devices shared it; nil on one
	Listed  Listed         // what find_all and retrieve gave, of a table that keeps it

	leftKeys, leftValues []uint64 // pairs that a verified table handed back in the last phase

	found []found // by phase, the values that find_all and retrieve gave
}

// Add adds another batch of the operation: what it counted, and its time.
func (s *Sample) Add(more Sample) {
	if s.N == 0 {
		*s = more
		s.Counts = slices.Clone(more.Counts)
		return
	}
	s.N += more.N
	s.Service += more.Service
	s.Upkeep += more.Upkeep
	s.Counts.Add(more.Counts)
	s.Sharing = s.Sharing.Plus(more.Sharing)
}

// Completed is the number of operations that neither failed nor were rejected.
func (s Sample) Completed() uint64 {
	return s.N - s.Counts.Get("failed") - s.Counts.Get("rejected")
}

// Mops is the rate of completed operations, in millions a second.
func (s Sample) Mops() float64 {
	if s.Service <= 0 {
		return 0
	}
	return float64(s.Completed()) / s.Service.Seconds() / 1e6
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
	Choked bool // erased pairs may have taken the slots (choked.go)
}

func (e *HangError) Error() string {
	why := "the kernel hangs, or batch_timeout is too short"
	if e.Choked {
		why = "erased pairs may occupy all slots, which t:flush() frees; or " + why
	}
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

// memory is what was allocated together and is released together.
type memory struct {
	dev  device.Device
	held []device.Addr
}

func (m *memory) alloc(bytes uint64) (device.Addr, error) {
	return m.keep(m.dev.Alloc(int64(max(bytes, 8))))
}

// touched is memory whose pages exist: otherwise the first batch that writes there would pay for them.
func (m *memory) touched(bytes uint64) (device.Addr, error) {
	at, err := m.alloc(bytes)
	if err != nil {
		return 0, err
	}
	return at, m.dev.Set(at, 0, int64(bytes))
}

// arrays makes room for n pairs, keys and values apart.
func (m *memory) arrays(pair schemes.Pair, n uint64) (arrays [2]device.Addr, err error) {
	if arrays[0], err = m.alloc(n * uint64(pair.Key)); err == nil {
		arrays[1], err = m.alloc(n * uint64(pair.Value))
	}
	return arrays, err
}

func (m *memory) keep(at device.Addr, err error) (device.Addr, error) {
	if err != nil {
		return 0, schemes.NoMemory{Err: err}
	}
	m.held = append(m.held, at)
	return at, nil
}

func (m *memory) free(at device.Addr) error {
	i := slices.Index(m.held, at)
	if i < 0 {
		return fmt.Errorf("address %#x is given back, and was not taken", at)
	}
	m.held = slices.Delete(m.held, i, i+1)
	return m.dev.Release(at)
}

func (m *memory) release() error { return m.releaseAfter(0) }

// releaseAfter releases everything allocated after the first kept blocks.
func (m *memory) releaseAfter(kept int) (err error) {
	for _, at := range m.held[min(kept, len(m.held)):] {
		err = cmp.Or(err, m.dev.Release(at))
	}
	m.held = m.held[:min(kept, len(m.held))]
	return err
}

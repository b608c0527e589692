// Package host carries out what schemes do on the host (kernels/host_side.h): their operations that take more than one launch,
// and the sizes of their tables. It also has the gauges that schemes share.
package host

/*
#cgo CFLAGS: -I${SRCDIR}/../../kernels
#include "side.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"strings"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Side is the host side of a scheme.
type Side struct {
	c   *C.hz_host
	Ops []string // that it carries out, by their kernels
}

// setup is what Ops has for the preparation of a new table.
const setup = "setup"

// Of returns the host side of a scheme. One of a scheme without kernels is empty.
func Of(scheme string) Side {
	c := (*C.hz_host)(kernels.HostSide(scheme))
	if c == nil {
		return Side{}
	}
	return Side{c, strings.Fields(C.GoString(c.ops))}
}

// Add gives a scheme what its host side has.
func (h Side) Add(s *schemes.Scheme, able []string) {
	ops := map[string]schemes.HostOp{}
	for _, op := range able {
		kernel := kernels.Op(op).Kernel()
		for _, own := range h.Ops {
			if own == kernel {
				ops[op] = func(t schemes.Table, b schemes.Batch) (schemes.Result, error) { return h.carryOut(t, own, b) }
			}
		}
	}
	if len(ops) > 0 {
		s.Host = ops
	}
	if len(h.Ops) > 0 && h.Ops[0] == setup {
		s.Setup = func(t schemes.Table) error {
			_, err := h.carryOut(t, setup, schemes.Batch{})
			return err
		}
	}
	h.addSizes(s)
}

// MaxParams is how many parameters a scheme may have.
const MaxParams = C.HZ_MAX_PARAMS

func (h Side) addSizes(s *schemes.Scheme) {
	if h.c != nil && h.c.size != nil {
		s.Size = h.size
	}
	if h.c != nil && h.c.max_load != nil {
		s.MaxLoad = func(c schemes.Config) float64 {
			values := paramsOf(c)
			return float64(C.hz_max_load(h.c, &values[0]))
		}
	}
	if h.c != nil && h.c.arguments != nil {
		s.Arguments = func(c schemes.Config, l schemes.Layout, arg []uint64) {
			values, layout := paramsOf(c), cLayout(l)
			C.hz_arguments(h.c, &values[0], &layout, (*C.uint64_t)(&arg[0]))
		}
	}
}

// paramsOf are the values of all parameters, in their order.
func paramsOf(c schemes.Config) (values [C.HZ_MAX_PARAMS]C.int64_t) {
	for i, p := range c.Params {
		values[i] = C.int64_t(c.Get(p.Name))
	}
	return values
}

// carryOut runs an operation. Its requests come to answer, on the same goroutine.
func (h Side) carryOut(t schemes.Table, op string, b schemes.Batch) (schemes.Result, error) {
	c, l, p, block := t.Config(), t.Layout(), t.Pair(), t.Block()
	b.Block.Op = uint64(max(0, kernels.OpNumber(b.Op)))
	w := &work{table: t, batch: b}
	who := cgo.NewHandle(w)
	defer who.Delete()
	name := C.CString(op)
	defer C.free(unsafe.Pointer(name))
	call := C.hz_operation{who: C.uint64_t(who), op: name, param: paramsOf(c.For(p)), max_load: C.double(c.MaxLoad(c)),
		key: C.uint64_t(p.Key), value: C.uint64_t(p.Value), answer: C.uint64_t(p.AnswerBytes()), pairs: C.uint64_t(t.Size()),
		table: *as[C.hz_table](&block), layout: cLayout(l), batch: *as[C.hz_batch](&b.Block), n: C.uint64_t(b.N)}
	ended := C.hz_run(h.c, &call)
	C.free(w.text)
	if w.panicked != nil {
		panic(w.panicked)
	}
	w.set(&call)
	switch ended {
	case C.HZ_NO_MEMORY:
		return schemes.Result{}, schemes.NoMemory{Err: errors.New(C.GoString(&call.wrong[0]))}
	case C.HZ_FAILED:
		if w.failed == nil {
			w.failed = errors.New(C.GoString(&call.wrong[0]))
		}
		return schemes.Result{}, w.failed
	}
	done := b
	done.Block, done.N = *as[kernels.Batch](&call.batch), uint64(call.n)
	r := schemes.Result{Counts: countsOf(&call.counts), Batch: done}
	if call.file != nil {
		r.At = fmt.Sprintf("%s:%d", C.GoString(call.file), int(call.line))
	}
	return r, nil
}

// as reads a struct of C as its twin in Go, or the other way round (kernels/abi_generated.go).
func as[To, From any](from *From) *To { return (*To)(unsafe.Pointer(from)) }

func countsOf(counts *[C.HZ_COUNTER_STRIDE]C.uint64_t) schemes.Counts {
	return lists.Map(counts[:len(kernels.Counters)], func(n C.uint64_t) uint64 { return uint64(n) })
}

func layoutOf(l *C.hz_layout) schemes.Layout {
	made := schemes.Layout{Capacity: uint64(l.capacity), Buckets: uint64(l.buckets)}
	for i := range l.regions {
		made.Regions = append(made.Regions, regionOf(&l.region[i]))
	}
	return made
}

func regionOf(r *C.hz_region) schemes.Region {
	return schemes.Region{Name: C.GoString(&r.name[0]), Bytes: int64(r.bytes), Fill: byte(r.fill), Table: r.table != 0, Raw: r.raw != 0}
}

func cLayout(l schemes.Layout) C.hz_layout {
	made := C.hz_layout{capacity: C.uint64_t(l.Capacity), buckets: C.uint64_t(l.Buckets), regions: C.uint64_t(len(l.Regions))}
	for i, r := range l.Regions {
		to := &made.region[i]
		for j, letter := range []byte(r.Name)[:min(len(r.Name), len(to.name)-1)] {
			to.name[j] = C.char(letter)
		}
		to.bytes, to.fill = C.uint64_t(r.Bytes), C.uint8_t(r.Fill)
		if r.Table {
			to.table = 1
		}
	}
	return made
}

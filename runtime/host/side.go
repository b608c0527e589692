// Package host runs the host sides of schemes (kernels/host_side.h): operations that take more than one launch, the sizes
// of tables, gauges and rows.
package host

/*
#cgo CFLAGS: -I${SRCDIR}/../../kernels
#include "side.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/cgo"
	"slices"
	"sort"
	"strings"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Side is the host side of a scheme.
type Side struct {
	c      *C.hz_host
	Ops    []string // that it carries out, by their kernels
	Gauges []string // that it reads
}

// In Ops, setup prepares a new table and rows shows it.
const (
	setup = "setup"
	rows  = "rows"
)

// Of returns the host side of a scheme. One of a scheme without kernels is empty.
func Of(scheme string) Side {
	c := (*C.hz_host)(kernels.HostSide(scheme))
	if c == nil {
		return Side{}
	}
	gauges := strings.FieldsFunc(C.GoString(c.gauges), func(letter rune) bool { return letter == '\n' })
	return Side{c, strings.Fields(C.GoString(c.ops)), gauges}
}

// Add adds the functions of a host side to its scheme.
func (h Side) Add(s *schemes.Scheme, able []string) {
	s.Host = map[string]schemes.HostOp{}
	for _, op := range able {
		if own := kernels.Op(op).Kernel(); slices.Contains(h.Ops, own) {
			s.Host[op] = func(t schemes.Table, b schemes.Batch) (schemes.Result, error) { return h.carryOut(t, own, b) }
		}
	}
	if slices.Contains(h.Ops, rows) {
		s.Rows = func(t schemes.Table) ([]schemes.Row, error) {
			seen, err := h.show(t, rows)
			return seen.rows, err
		}
	}
	if slices.Contains(h.Ops, setup) {
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

// carryOut runs an operation.
func (h Side) carryOut(t schemes.Table, op string, b schemes.Batch) (schemes.Result, error) {
	b.Block.Op = uint64(max(0, kernels.OpNumber(b.Op)))
	call, err := h.run(&work{table: t, batch: b}, op)
	if err != nil {
		return schemes.Result{}, err
	}
	done := b
	done.Block, done.N = *as[kernels.Batch](&call.batch), uint64(call.n)
	counts := lists.Map(call.counts[:len(kernels.Counters)], func(n C.uint64_t) uint64 { return uint64(n) })
	r := schemes.Result{Counts: counts, Batch: done}
	if call.file != nil {
		r.At = fmt.Sprintf("%s:%d", C.GoString(call.file), int(call.line))
	}
	return r, nil
}

// run calls the host side. Its requests come to answer, on the same goroutine.
func (h Side) run(w *work, op string) (*C.hz_operation, error) {
	t, b := w.table, w.batch
	c, p, block := t.Config(), t.Pair(), t.Block()
	who := cgo.NewHandle(w)
	defer who.Delete()
	name := C.CString(op)
	defer C.free(unsafe.Pointer(name))
	call := &C.hz_operation{who: C.uint64_t(who), op: name, param: paramsOf(c.For(p)), max_load: C.double(c.MaxLoad(c)),
		key: C.uint64_t(p.Key), value: C.uint64_t(p.Value), answer: C.uint64_t(p.AnswerBytes()), pairs: C.uint64_t(t.Size()), bulk: C.uint64_t(t.Bulk()),
		table: *as[C.hz_table](&block), layout: cLayout(t.Layout()), batch: *as[C.hz_batch](&b.Block), n: C.uint64_t(b.N)}
	ended := C.hz_run(h.c, call)
	C.free(w.text)
	if w.panicked != nil {
		panic(w.panicked)
	}
	w.set(call)
	switch wrong := errors.New(C.GoString(&call.wrong[0])); {
	case ended == C.HZ_NO_MEMORY:
		return nil, schemes.NoMemory{Err: wrong}
	case ended == C.HZ_FAILED && w.failed != nil:
		return nil, w.failed
	case ended == C.HZ_FAILED:
		return nil, wrong
	}
	return call, nil
}

// as reads a struct of C as its twin in Go, or the other way round (kernels/abi_generated.go).
func as[To, From any](from *From) *To { return (*To)(unsafe.Pointer(from)) }

func layoutOf(l *C.hz_layout) schemes.Layout {
	regions := lists.Map(l.region[:l.regions], func(r C.hz_region) schemes.Region { return regionOf(&r) })
	return schemes.Layout{Capacity: uint64(l.capacity), Buckets: uint64(l.buckets), Regions: regions}
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

// size returns the layout of a table.
func (h Side) size(c schemes.Config, s schemes.Shape) (schemes.Layout, error) {
	switch slots, err := s.Slots(); {
	case err != nil:
		return schemes.Layout{}, err
	case s.Capacity > 0 || s.N > 0:
		return h.layout(c, s.Pair, slots, s.N)
	}
	return h.within(c, s)
}

// within returns the largest table that fits into the memory allowed.
func (h Side) within(c schemes.Config, s schemes.Shape) (schemes.Layout, error) {
	of := func(slots int) (schemes.Layout, error) { return h.layout(c, s.Pair, uint64(slots), 0) }
	least, err := of(1)
	if err != nil {
		return least, err
	}
	most := int(min(s.Bytes, mostSlots)) // a slot takes at least a byte
	over := sort.Search(most, func(i int) bool {
		l, err := of(i + 1)
		return err != nil || uint64(l.Bytes()) > s.Bytes
	})
	if over == 0 {
		return least, fmt.Errorf("%d bytes are too few: the smallest table takes %d", s.Bytes, least.Bytes())
	}
	if over < most { // the limit may be something other than memory
		if l, err := of(over + 1); err != nil {
			return l, err
		}
	}
	return of(over)
}

// mostSlots keeps sizes in bytes within 64 bits.
const mostSlots = 1 << 52

// layout asks the host side for the layout of a table with at least `slots` slots.
func (h Side) layout(c schemes.Config, p schemes.Pair, slots, n uint64) (l schemes.Layout, err error) {
	if slots > mostSlots {
		return l, fmt.Errorf("capacity is %d: hash functions range over fewer than 2^32 buckets", slots)
	}
	s := C.hz_sizing{param: paramsOf(c.For(p)), key: C.uint64_t(p.Key), value: C.uint64_t(p.Value),
		slots: C.uint64_t(slots), n: C.uint64_t(n)}
	if C.hz_size(h.c, &s) != C.HZ_DONE {
		return l, errors.New(C.GoString(&s.wrong[0]))
	}
	l = layoutOf(&s.layout)
	switch {
	case l.Buckets == 0 || l.Capacity < slots:
		return l, fmt.Errorf("the layout has %d slots in %d buckets: %d slots were asked for", l.Capacity, l.Buckets, slots)
	case l.Buckets >= 1<<32:
		return l, fmt.Errorf("capacity is %d: %d buckets, and hash functions range over fewer than 2^32; take larger buckets", slots, l.Buckets)
	}
	return l, nil
}

// The table of a library (kernels/reference.h) lies outside of the program's allocations: one region has its address, and
// another the bytes that it has allocated, in several words.
const (
	booksBytes    = 4096
	makeReference = "make"
	dropReference = "drop"
)

// ReferenceKernels make such a table, and destroy it.
var ReferenceKernels = []string{makeReference, dropReference}

// Reference makes and destroys a scheme's tables by these kernels.
func Reference(s *schemes.Scheme) {
	launch := func(kernel string) func(schemes.Table) error {
		return func(t schemes.Table) error {
			_, err := t.Launch(schemes.Batch{Op: kernel, N: 1})
			return err
		}
	}
	s.Reference, s.Setup, s.Drop, s.Outside = true, launch(makeReference), launch(dropReference), booked
	s.Size = sizeOfReference
}

// sizeOfReference gives a library's table its address and its books. Everything else is up to the library.
func sizeOfReference(c schemes.Config, s schemes.Shape) (schemes.Layout, error) {
	if s.Bytes > 0 {
		return schemes.Layout{}, &schemes.Lack{What: "no size in bytes, which its library decides",
			Text: fmt.Sprintf("scheme %s: its library decides how many bytes a table takes; hint: give n or capacity", c.Name)}
	}
	slots, err := s.Slots()
	return schemes.Layout{Capacity: slots, Buckets: cmp.Or(s.N, slots), Regions: []schemes.Region{
		{Name: "table", Bytes: 8}, {Name: "books", Bytes: booksBytes},
	}}, err
}

// booked adds up the bytes that a library's table has taken.
func booked(t schemes.Table) (sum int64, err error) {
	books := make([]uint64, booksBytes/8)
	err = t.Read(kernels.BytesOf(books), device.Addr(t.Block().Region[1]))
	return lists.Sum(books, func(bytes uint64) int64 { return int64(bytes) }), err
}

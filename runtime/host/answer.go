package host

// #include "side.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// work is an operation under way: its table, and why it cannot go on.
type work struct {
	table    schemes.Table
	batch    schemes.Batch // that is carried out
	failed   error
	panicked any
	text     unsafe.Pointer // of the last lack of memory
	shown
}

// hz_answer carries out a request of a host side. The table's block is always that of the call: it is set before, and
// read after a change.
//
//export hz_answer
func hz_answer(who C.uint64_t, call *C.hz_operation, a *C.hz_ask) (ended C.int) {
	w := cgo.Handle(who).Value().(*work)
	defer func() {
		if p := recover(); p != nil { // it goes on when C++ has returned
			w.panicked, ended = p, C.HZ_FAILED
		}
	}()
	w.set(call)
	switch err := w.answer(call, a); {
	case errors.Is(err, schemes.ErrNoMemory):
		C.free(w.text)
		w.text = unsafe.Pointer(C.CString(err.Error()))
		a.name = (*C.char)(w.text)
		return C.HZ_NO_MEMORY
	case err != nil:
		w.failed = err
		return C.HZ_FAILED
	}
	return C.HZ_DONE
}

// set gives the table the block of a call, if it was changed. Where its copy is, the engine knows.
func (w *work) set(call *C.hz_operation) {
	b, now := *as[kernels.Table](&call.table), w.table.Block()
	b.Here = now.Here
	if b != now {
		w.table.SetBlock(b)
	}
}

func (w *work) answer(call *C.hz_operation, a *C.hz_ask) error {
	t, at, bytes := w.table, device.Addr(a.at), int64(a.bytes)
	memory := func() []byte { return unsafe.Slice((*byte)(a.memory), bytes) }
	switch a.what {
	case C.HZ_LAUNCH:
		return w.launch(a)
	case C.HZ_SHARED:
		return t.Own(C.GoString(a.name), memory(), uint64(a.n))
	case C.HZ_ALLOCATE:
		return gives(a)(t.AllocRegion(regionOf((*C.hz_region)(a.memory))))
	case C.HZ_RELEASE:
		return t.Release(at)
	case C.HZ_SCRATCH:
		return gives(a)(t.Scratch(bytes))
	case C.HZ_FILL:
		return t.Set(at, byte(a.n), bytes)
	case C.HZ_COPY:
		return w.copy(at, device.Addr(a.n), bytes)
	case C.HZ_READ:
		return t.Read(memory(), at)
	case C.HZ_WRITE:
		return t.Write(at, memory())
	case C.HZ_NOTE:
		t.Note(C.GoString(a.name))
		return nil
	case C.HZ_LAID:
		t.SetLayout(layoutOf(&call.layout))
		return nil
	case C.HZ_SIZED:
		return w.sized(a)
	case C.HZ_RESEED:
		err := t.Reseed()
		call.table, call.layout = *as[C.hz_table](new(t.Block())), cLayout(t.Layout())
		return err
	}
	return w.show(a)
}

// gives returns a function that passes an address to the host side.
func gives(a *C.hz_ask) func(device.Addr, error) error {
	return func(at device.Addr, err error) error {
		a.at = C.uint64_t(at)
		return err
	}
}

// launch runs a kernel. That of a family carries out the operation of the batch.
func (w *work) launch(a *C.hz_ask) error {
	b := schemes.Batch{Op: C.GoString(a.name), N: uint64(a.n), Block: *as[kernels.Batch](&a.batch), Keyed: a.keyed != 0, Moved: a.moved != 0}
	if op := kernels.Op(b.Op); op.Kind == kernels.Family {
		b.Op = kernels.Ops[b.Block.Op]
	}
	done, err := w.table.Launch(b)
	for i, n := range done.Counts {
		a.counts[i] = C.uint64_t(n)
	}
	return err
}

// copyBytes is how much is copied at a time.
const copyBytes = 1 << 24

// copy copies within the device's memory.
func (w *work) copy(to, from device.Addr, bytes int64) error {
	piece := make([]byte, min(bytes, copyBytes))
	for done := int64(0); done < bytes; done += int64(len(piece)) {
		piece = piece[:min(int64(len(piece)), bytes-done)]
		if err := w.table.Read(piece, from+device.Addr(done)); err != nil {
			return err
		}
		if err := w.table.Write(to+device.Addr(done), piece); err != nil {
			return err
		}
	}
	return nil
}

// sized describes an empty table with other slots and the same hash functions.
func (w *work) sized(a *C.hz_ask) error {
	c, now := w.table.Config(), w.table.Block()
	l, err := c.Size(c, schemes.Shape{Pair: w.table.Pair(), Capacity: uint64(a.n)})
	if err != nil {
		return schemes.NoMemory{Err: err}
	}
	b := c.Block(l, 0, nil)
	b.Seed, b.Hash, b.Host = now.Seed, now.Hash, now.Host
	body := (*C.hz_whole)(a.memory)
	body.block, body.layout = *as[C.hz_table](&b), cLayout(l)
	return nil
}

// Host sides show a table between batches (kernels/host_show.h).

// Shared reads the gauges that all schemes share (kernels/host_gauges.h).
func Shared() Side { return Of("shared_gauges") }

// shown collects the bars and rows of a host side.
type shown struct {
	bars          []schemes.Bar
	rows          []schemes.Row
	ticket, board int // the bits of a ticket, and the region of tickets
}

// Read reads a gauge.
func (h Side) Read(t schemes.Table, gauge string) ([]schemes.Bar, error) {
	seen, err := h.show(t, "gauge "+gauge)
	return seen.bars, err
}

// TicketBits returns how many bits a ticket has, and in which region tickets are; 0 if the table has none.
func TicketBits(t schemes.Table) (bits, region int, err error) {
	seen, err := Shared().show(t, "board")
	return seen.ticket, seen.board, err
}

func (h Side) show(t schemes.Table, what string) (shown, error) {
	if h.c == nil {
		return shown{}, errNoZoo
	}
	w := &work{table: t}
	_, err := h.run(w, what)
	return w.shown, err
}

var errNoZoo = errors.New("this program has no host sides: import _ \"github.com/hashzoo/hashzoo/runtime/zoo\"")

// Fits returns why a gauge cannot be read for a layout; nil if it can.
func (h Side) Fits(gauge string, l schemes.Layout, p schemes.Pair) error {
	if h.c == nil {
		return errNoZoo
	}
	name := C.CString(gauge)
	defer C.free(unsafe.Pointer(name))
	sizing := C.hz_sizing{key: C.uint64_t(p.Key), value: C.uint64_t(p.Value), layout: cLayout(l)}
	if C.hz_fits(h.c, name, &sizing) != C.HZ_DONE {
		return errors.New(C.GoString(&sizing.wrong[0]))
	}
	return nil
}

// show carries out a request that shows a table.
func (w *work) show(a *C.hz_ask) error {
	if a.what == C.HZ_SPAN || a.what == C.HZ_CELL || a.what == C.HZ_SLOT {
		if len(w.rows) == 0 {
			return errors.New("a host side shows a part of a row, and no row is begun")
		}
		w.part(&w.rows[len(w.rows)-1], a)
		return nil
	}
	switch a.what {
	case C.HZ_LOOK:
		where := as[kernels.Look]((*C.hz_look)(a.memory))
		bins, err := w.table.Look(C.GoString(a.name), uint64(a.n), *where)
		copy(where.Bin[:], bins)
		return err
	case C.HZ_BAR:
		w.bars = append(w.bars, schemes.Bar{Label: C.GoString(a.name), Value: float64(a.value), Of: float64(a.of)})
	case C.HZ_ROW:
		w.rows = append(w.rows, schemes.Row{Name: C.GoString(a.name), Cell: C.GoString((*C.char)(a.memory))})
	case C.HZ_BOARD:
		w.ticket, w.board = int(a.n), int(a.at)
	default:
		return fmt.Errorf("a host side asks for something unknown: %d", a.what)
	}
	return nil
}

// part adds to a row.
func (w *work) part(row *schemes.Row, a *C.hz_ask) {
	if a.what == C.HZ_SPAN {
		row.At = append(row.At, schemes.Span{At: device.Addr(a.at), Bytes: uint64(a.bytes)})
		return
	}
	cell := schemes.Cell{Text: C.GoString(a.name)}
	if a.what == C.HZ_SLOT {
		cell.Text = w.table.Pair().SlotText(uint64(a.at), uint64(a.bytes))
	}
	for _, s := range unsafe.Slice((*C.hz_span)(a.memory), a.n) {
		cell.At = append(cell.At, schemes.Span{At: device.Addr(s.at), Bytes: uint64(s.bytes)})
	}
	row.Cells = append(row.Cells, cell)
}

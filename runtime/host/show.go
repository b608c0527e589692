package host

// #include "side.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

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

// rows shows the buckets or lists of a table.
func (h Side) rows(t schemes.Table) ([]schemes.Row, error) {
	seen, err := h.show(t, rows)
	return seen.rows, err
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

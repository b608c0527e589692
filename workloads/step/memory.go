package step

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// image is a copy of the memory of a table.
type image struct {
	rows   []schemes.Row
	memory []engine.Memory
	bytes  [][]byte // of each memory

	ticket, board int // the bits of a ticket, and the region of tickets; 0: there are none
}

// maxRead bounds the bytes that are read of a region.
const maxRead = 1 << 14

func readImage(t *engine.Table) (image, error) {
	rows, err := t.Rows()
	if err != nil {
		return image{}, err
	}
	m := image{rows: rows, memory: t.Memory()}
	if m.ticket, m.board, err = host.TicketBits(t); err != nil {
		return image{}, err
	}
	m.bytes, err = lists.TryMap(m.memory, func(region engine.Memory) ([]byte, error) {
		bytes := make([]byte, min(region.Bytes, maxRead))
		return bytes, t.Read(bytes, region.At)
	})
	return m, err
}

// covered reports whether a piece of memory belongs to a row.
func (m image) covered(s schemes.Span) bool {
	return slices.ContainsFunc(m.rows, func(r schemes.Row) bool { return slices.ContainsFunc(r.At, s.Overlaps) })
}

// boardBytes bounds what is shown of the memory next to the rows.
const boardBytes = 64

// state is the image as users see it.
func (m image) state() (s State) {
	for i, r := range m.rows {
		row := Row{Title: r.Title(i), Cells: []string{}}
		for _, c := range r.Cells {
			row.Cells = append(row.Cells, c.Text)
		}
		s.Rows = append(s.Rows, row)
	}
	for i, region := range m.memory {
		if region.Table || m.covered(region.Span) {
			continue
		}
		words := hexadecimal(m.bytes[i][:min(len(m.bytes[i]), boardBytes)])
		if m.ticket > 0 && i == m.board {
			words = m.tickets()
		}
		s.Boards = append(s.Boards, Board{region.Name, words})
	}
	return s
}

// hexadecimal returns words of 4 bytes.
func hexadecimal(bytes []byte) (words []string) {
	for at := 0; at+4 <= len(bytes); at += 4 {
		words = append(words, fmt.Sprintf("%08x", binary.LittleEndian.Uint32(bytes[at:])))
	}
	return words
}

// tickets are shown one by one, up to the number of slots.
func (m image) tickets() (list []string) {
	for slot := range min(len(m.rows), 8*boardBytes/m.ticket) {
		list = append(list, m.ticketOf(slot, m.boardWord(slot)))
	}
	return list
}

// boardWord returns the word of the ticket of a slot; ticketOf is the ticket in it, in binary.
func (m image) boardWord(slot int) uint32 {
	return binary.LittleEndian.Uint32(m.bytes[m.board][slot*m.ticket/32*4:])
}

func (m image) ticketOf(slot int, word uint32) string {
	return fmt.Sprintf("%0*b", m.ticket, word>>(slot*m.ticket%32)&(1<<m.ticket-1))
}

// ticketIn returns the first slot whose ticket has changed in a word.
func (m image) ticketIn(w word) int {
	return (32*w.index + bits.TrailingZeros32(w.old^w.now)) / m.ticket
}

// change is a cell whose text has changed.
type change struct {
	Place
	old, now string
}

// unused is the text of a slot that was never used.
const unused = "."

// live reports whether the text of a cell is a pair.
func live(text string) bool { return text != "" && text != unused && text != "x" && text != "|" }

// cells compares the cells of two images by where they are in memory. Cells of nodes that
// were taken out of a list are gone.
func (m image) cells(before image) (changed []change, gone []string) {
	old, now := before.texts(), m.texts()
	for i, r := range m.rows {
		for j, c := range r.Cells {
			was, there := old[address(c)]
			if !there {
				was = unused
			}
			if c.Text != was && len(c.At) > 0 {
				changed = append(changed, change{Place{i, j}, was, c.Text})
			}
		}
	}
	for _, r := range before.rows {
		for _, c := range r.Cells {
			if _, there := now[address(c)]; !there && len(c.At) > 0 && c.Text != unused {
				gone = append(gone, c.Text)
			}
		}
	}
	return changed, gone
}

func (m image) texts() map[device.Addr]string {
	texts := map[device.Addr]string{}
	for _, r := range m.rows {
		for _, c := range r.Cells {
			texts[address(c)] = c.Text
		}
	}
	return texts
}

func address(c schemes.Cell) device.Addr {
	if len(c.At) == 0 {
		return 0
	}
	return c.At[0].At
}

// word is a changed word of 4 bytes outside the rows.
type word struct {
	region, index int
	at            device.Addr
	old, now      uint32
}

// in reports whether the word is in a piece of memory.
func (w word) in(s schemes.Span) bool { return s.Overlaps(schemes.Span{At: w.at, Bytes: 4}) }

// words compares the memory outside the rows of two images.
func (m image) words(before image) (changed []word) {
	for i, region := range m.memory {
		if i >= len(before.memory) || before.memory[i].At != region.At || len(before.bytes[i]) != len(m.bytes[i]) {
			continue
		}
		for at := 0; at+4 <= len(m.bytes[i]); at += 4 {
			old, now := binary.LittleEndian.Uint32(before.bytes[i][at:]), binary.LittleEndian.Uint32(m.bytes[i][at:])
			here := schemes.Span{At: region.At + device.Addr(at), Bytes: 4}
			if old != now && !m.covered(here) && !before.covered(here) {
				changed = append(changed, word{i, at / 4, here.At, old, now})
			}
		}
	}
	return changed
}

// target is the place that an access touches.
type target struct {
	name   string
	places []Place
	region int  // of memory outside the rows; -1: it is in rows
	head   bool // it is the pointer to the cells of a row
}

// target names a piece of memory: a row, a slot of it, or words of a region.
func (m image) target(s schemes.Span) target {
	for i, r := range m.rows {
		if !slices.ContainsFunc(r.At, s.Overlaps) {
			continue
		}
		t := target{name: r.Title(i), region: -1}
		for j, c := range r.Cells {
			if slices.ContainsFunc(c.At, s.Overlaps) {
				t.places = append(t.places, Place{i, j})
			}
		}
		switch whole := slices.Contains(r.At, s); {
		case len(t.places) == 1 && (!whole || slices.Contains(r.Cells[t.places[0].Cell].At, s)):
			t.name = r.CellTitle(i, t.places[0].Cell)
		case len(t.places) == 0 && s.Bytes <= 8:
			t.name, t.head = "the head of "+t.name, true
			fallthrough
		default:
			t.places = []Place{{i, -1}}
		}
		return t
	}
	for i, region := range m.memory {
		if region.Overlaps(s) {
			return target{name: wordsOf(region, s), region: i}
		}
	}
	return target{name: fmt.Sprintf("%d bytes", s.Bytes), region: -1}
}

// wordsOf names the words of a region that a piece of memory covers.
func wordsOf(region engine.Memory, s schemes.Span) string {
	first, last := (s.At-region.At)/4, (s.At-region.At+device.Addr(max(s.Bytes, 1))-1)/4
	switch {
	case region.Bytes <= max(s.Bytes, 8):
		return region.Name
	case first == last:
		return fmt.Sprintf("word %d of %s", first, region.Name)
	}
	return fmt.Sprintf("words %d to %d of %s", first, last, region.Name)
}

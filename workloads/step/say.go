package step

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// listed joins the parts of a sentence after a sign; without parts it is empty.
func listed(sign string, parts []string) string {
	const most = 8
	if len(parts) > most {
		parts = append(parts[:most], "...")
	}
	return lists.Either(len(parts) == 0, "", sign+strings.Join(parts, "; "))
}

// name is the name of a cell.
func (w *watcher) name(p Place) string { return w.last.rows[p.Row].CellTitle(p.Row, p.Cell) }

// contents lists the cells or words that were read.
func (w *watcher) contents(to target, s schemes.Span) string {
	var words []string
	switch {
	case w.last.ticket > 0 && to.region == w.last.board:
		slot := w.slotOfTicket(difference{}, s)
		words = append(words, w.last.ticketOf(slot, w.last.boardWord(slot)))
	case to.region >= 0:
		region := w.last.memory[to.region]
		bytes := w.last.bytes[to.region]
		from := min(int(s.At-region.At), len(bytes))
		words = hexadecimal(bytes[from:min(from+int(s.Bytes), len(bytes))])
	case len(to.places) > 0 && !to.head:
		row := w.last.rows[to.places[0].Row]
		for i, c := range row.Cells {
			if to.places[0].Cell < 0 || slices.Contains(to.places, Place{to.places[0].Row, i}) {
				words = append(words, c.Text)
			}
		}
	}
	return lists.Either(len(words) == 0, "", ": "+List(words[:min(len(words), maxListed)]))
}

// maxListed bounds the cells or words of a read that are listed.
const maxListed = 32

// List joins cells, with runs of unused slots as one word: .*14.
func List(words []string) string {
	var short []string
	for i := 0; i < len(words); {
		n := 1
		for i+n < len(words) && words[i] == unused && words[i+n] == unused {
			n++
		}
		word := words[i]
		if n > 2 {
			word, i = fmt.Sprintf(".*%d", n), i+n-1
		}
		short = append(short, word)
		i++
	}
	return strings.Join(short, " ")
}

// becomes describes the change of the target of an access.
func (w *watcher) becomes(d difference, to target, s schemes.Span) string {
	var parts []string
	for _, c := range d.cells {
		text := transition(c, w.hand != "")
		if len(to.places) != 1 || c.Place != to.places[0] {
			text = w.name(c.Place) + ": " + text
		}
		parts = append(parts, text)
	}
	parts = append(parts, lists.Map(d.gone, func(text string) string { return text + " leaves the list" })...)
	for _, o := range d.words {
		if !o.in(s) {
			continue
		}
		old, now := fmt.Sprintf("%08x", o.old), fmt.Sprintf("%08x", o.now)
		if w.last.ticket > 0 && o.region == w.last.board {
			slot := w.last.ticketIn(o)
			old, now = w.last.ticketOf(slot, o.old), w.last.ticketOf(slot, o.now)
		}
		parts = append(parts, old+" becomes "+now)
	}
	return listed(": ", parts)
}

// transition says how a cell has changed; in a walk, a pair that had to leave is evicted.
func transition(c change, walks bool) string {
	key := func(text string) string { key, _, _ := strings.Cut(text, "="); return key }
	switch {
	case walks && live(c.old) && live(c.now) && key(c.old) != key(c.now):
		return c.now + " goes in, " + c.old + " is evicted"
	case c.now == unused && live(c.old):
		return c.old + " goes out"
	case c.now == unused:
		return c.old + " becomes unused"
	case live(c.old):
		return c.old + " becomes " + c.now
	}
	return c.now + " goes in"
}

const givesBack = "gives back"

// beside describes the other changes outside the rows.
func (w *watcher) beside(words []word, except schemes.Span) string {
	var parts []string
	released := 0
	for _, o := range words {
		switch region := w.last.memory[o.region]; {
		case strings.HasPrefix(region.Name, locks) && o.now == 0:
			released++
		case strings.HasPrefix(region.Name, locks): // whoever takes it says so
		case !o.in(except):
			parts = append(parts, fmt.Sprintf("%s: %x becomes %x", wordsOf(region, schemes.Span{At: o.at, Bytes: 4}), o.old, o.now))
		}
	}
	switch {
	case released == 1:
		parts = append(parts, givesBack+" the lock")
	case released > 1:
		parts = append(parts, fmt.Sprintf("%s %d locks", givesBack, released))
	}
	return listed("; ", parts)
}

package step

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// watcher turns the events of a batch into steps.
type watcher struct {
	table *engine.Table
	op    string
	last  image
	steps []Step

	hand     string       // the key of the walk
	at       engine.Event // its last visit
	walk     int          // the first step since then
	there    []Place      // where that is
	launches int          // of kernels, so far
	kernel   string       // the operation of the last one
}

// watch carries out a batch and returns its steps.
func watch(player *engine.Player, op string, words []string, do func() error) (done Operation, err error) {
	w := &watcher{table: player.Table, op: op}
	done.Text = strings.Join(append([]string{op}, words...), " ")
	if w.last, err = readImage(w.table); err != nil {
		return done, err
	}
	done.Before = w.last.state()
	if err = w.table.Watch(w.see, false); err != nil {
		return done, err
	}
	err = do()
	w.table.Watch(nil, false)
	if err != nil {
		return done, err
	}
	w.hostSide(w.last, w.update())
	w.hand, done.Gave = "", strings.Join(player.Gave, " ")
	w.add(Step{Kind: End, Text: op + ": " + cmp.Or(done.Gave, "done")}, difference{}) // operations on the whole table give nothing
	done.Steps = w.steps
	return done, nil
}

// difference is the changes since the last event.
type difference struct {
	cells []change
	gone  []string
	words []word
}

// update takes a new image of the table, and returns what has changed. A host side may leave the table in a state that
// cannot be read while it works; then it counts as unchanged.
func (w *watcher) update() (d difference) {
	now, err := readImage(w.table)
	if err != nil {
		return difference{}
	}
	d.cells, d.gone = now.cells(w.last)
	d.words = now.words(w.last)
	w.last = now
	return d
}

// see turns an event into a step, or into none if it shows nothing new. Kernels report an access after it.
func (w *watcher) see(e engine.Event) {
	before := w.last
	d := w.update()
	switch e.What {
	case "launch":
		w.hostSide(before, d)
		w.launch(e)
	case "launched", "stepped":
		w.stepped(d)
	case "visit":
		w.stepped(d)
		w.visit(e)
	case "evict":
		w.evict(d)
	case "read":
		w.stepped(d)
		w.access(e, difference{})
	default:
		w.access(e, d)
	}
}

// add appends a step that makes a difference.
func (w *watcher) add(s Step, d difference) {
	s.Changed = lists.Map(d.cells, func(c change) Place { return c.Place })
	s.Hand, s.State = w.hand, w.last.state()
	w.steps = append(w.steps, s)
}

// hostSide shows the changes that the host side made between launches.
func (w *watcher) hostSide(before image, d difference) {
	was, is := len(before.rows), len(w.last.rows)
	if len(d.cells)+len(d.gone)+len(d.words) == 0 && is == was {
		return
	}
	text := "the host side changes the table"
	switch {
	case is != was:
		text += fmt.Sprintf(": it has %d buckets now, after %d", is, was)
	case len(d.cells)+len(d.gone) > 0:
		text += fmt.Sprintf(": %s change", slots(len(d.cells)+len(d.gone)))
	}
	w.hand = ""
	w.add(Step{Kind: Host, Text: text}, d)
}

// launch shows the launches of the host side. The first one of the operation itself is no
// step, since every operation has it.
func (w *watcher) launch(e engine.Event) {
	w.launches++
	w.kernel = e.Op
	w.hand, w.at, w.walk = "", engine.Event{}, len(w.steps)
	if w.launches > 1 || e.Op != w.op {
		w.add(Step{Kind: Launch, Text: fmt.Sprintf("the host side launches %s for %s", e.Op, items(e.Op, e.N))}, difference{})
	}
}

// items names the work of a kernel: 3 keys.
func items(op string, n uint64) string {
	what := "item"
	switch kernels.Op(op).Kind {
	case kernels.OnKeys:
		what = "key"
	case kernels.OnSlots:
		what = "slot"
	}
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func slots(n int) string { return items("count", uint64(n)) }

// visit shows where a walk goes, unless it stays.
func (w *watcher) visit(e engine.Event) {
	hand := fmt.Sprint(e.Key)
	if hand == w.hand && e.Place == w.at.Place && e.At == w.at.At {
		return
	}
	first := w.at.What == "" || hand != w.hand && e.Step.Step == 0
	to, row := w.last.target(schemes.Span{At: e.At, Bytes: 1}), -1
	switch {
	case to.region < 0 && len(to.places) > 0:
		at := w.last.rows[to.places[0].Row].At
		if len(at) > 0 && at[0].At == e.At { // a walk visits a row as a whole: its first byte
			row = to.places[0].Row
		}
	case to.region >= 0 && !w.last.memory[to.region].Table && int(e.Place) < len(w.last.rows) && w.hashed():
		row = int(e.Place)
	}
	if row >= 0 {
		to.name, to.places = w.last.rows[row].Title(row), []Place{{row, -1}}
	}
	w.hand, w.at, w.walk, w.there = hand, e, len(w.steps), to.places
	if to.region >= 0 && w.last.memory[to.region].Table {
		return // past the end of a list
	}
	verb := lists.Either(first, "begins at", "goes on to")
	w.add(Step{Kind: Visit, Text: fmt.Sprintf("key %s %s %s%s", hand, verb, to.name, w.function(row, e.Key)), At: to.places}, difference{})
}

// hashed reports whether hash functions map keys to rows, which the lines `places` of the scheme's vectors say.
func (w *watcher) hashed() bool { return strings.Contains(w.table.Config().Vectors, "\nplaces ") }

// function names the hash function that sends a key to a row, if one does.
func (w *watcher) function(row int, key uint64) string {
	block := w.table.Block()
	if row < 0 || !w.hashed() {
		return ""
	}
	for f := range int(block.Hashes) {
		if engine.PlaceOf(block, f, key, w.table.Pair().Key) == uint64(row) {
			return fmt.Sprintf(" = H_%d(%d)", f, key)
		}
	}
	return ""
}

// access shows an access to memory.
func (w *watcher) access(e engine.Event, d difference) {
	if e.What == "allocate" {
		w.add(Step{Kind: Allocate, Text: "a unit of memory is allocated" + w.beside(d.words, schemes.Span{})}, d)
		return
	}
	span := schemes.Span{At: e.At, Bytes: e.Bytes}
	to := w.last.target(span)
	s := Step{At: to.places}
	lock := to.region >= 0 && strings.HasPrefix(w.last.memory[to.region].Name, locks)
	if lock {
		to.name = fmt.Sprintf("lock %d%s", (e.At-w.last.memory[to.region].At)/4, strings.TrimPrefix(w.last.memory[to.region].Name, locks))
	}
	if to.region >= 0 {
		s.At = w.there
	}
	if w.last.ticket > 0 && to.region == w.last.board {
		to.name = fmt.Sprintf("ticket %d", w.slotOfTicket(d, span))
	}
	switch {
	case e.What == "read":
		s.Kind, s.Text = Read, "reads "+to.name+w.contents(to, span)
	case e.What == "lost" && lock:
		s.Kind, s.Text = Lost, to.name+" is held by another"
	case e.What == "lost":
		s.Kind, s.Text = Lost, "the compare-and-swap on "+to.name+" fails: it has changed"
	case e.What == "swap" && lock:
		s.Kind, s.Text = Lock, "takes "+to.name
	case e.What == "swap":
		s.Kind, s.Text = Swap, "compare-and-swap on "+to.name+w.becomes(d, to, span)
	case len(d.cells) > 0 || len(d.words) > 0:
		s.Kind, s.Text = Write, "writes "+to.name+w.becomes(d, to, span)
	case w.justChanged(to):
		return // the value of a pair whose key was shown with it
	case to.region >= 0 || !w.writes():
		s.Kind, s.Text = Read, "reads "+to.name+w.contents(to, span)
	default:
		s.Kind, s.Text = Write, "writes "+to.name+", which stays as it was"
	}
	s.Text += w.beside(d.words, span)
	w.add(s, d)
}

// slotOfTicket returns the slot whose ticket an access to a word of tickets is for: the one
// that has changed, or that of the walk's place.
func (w *watcher) slotOfTicket(d difference, s schemes.Span) int {
	for _, o := range d.words {
		if !o.in(s) {
			continue
		}
		slot, n := w.last.ticketIn(o), len(w.steps)
		if read := "reads ticket "; n > 0 && slot != int(w.at.Place) && strings.HasPrefix(w.steps[n-1].Text, read) {
			// The kernel went back to a slot that it had passed, before it read.
			w.steps[n-1].Text = fmt.Sprintf("%s%d: %s", read, slot, w.last.ticketOf(slot, o.old))
		}
		return slot
	}
	return int(w.at.Place) % len(w.last.rows)
}

// writes reports whether the operation may change slots.
func (w *watcher) writes() bool {
	op := kernels.Op(w.op)
	return op.Kind != kernels.OnKeys || op.Value || op.Removes != kernels.RemovesNone
}

// locks begins the name of a region of locks, a word each.
const locks = "locks"

// justChanged reports whether the last step has changed the target of an access.
func (w *watcher) justChanged(to target) bool {
	n := len(w.steps)
	return n > 0 && len(to.places) > 0 && slices.Contains(w.steps[n-1].Changed, to.places[0])
}

// evict turns the write of this walk's step that replaced a pair into an exchange.
func (w *watcher) evict(d difference) {
	for i := len(w.steps) - 1; i >= w.walk && len(d.cells) == 0; i-- {
		if s := &w.steps[i]; s.Kind == Write && len(s.Changed) > 0 {
			s.Kind = Exchange
			s.Text = strings.Replace(s.Text, "writes", "exchanges", 1)
			return
		}
	}
	w.exchange(d)
}

// exchange shows changes that no access has told of: kernels that exchange a slot without
// reading it count that as their read.
func (w *watcher) exchange(d difference) {
	if len(d.cells) == 0 {
		return
	}
	if n := len(w.steps); n > w.walk && w.steps[n-1].Kind == Read && slices.Contains(w.steps[n-1].At, d.cells[0].Place) {
		w.steps = w.steps[:n-1]
	}
	to := target{name: w.name(d.cells[0].Place), region: -1, places: []Place{d.cells[0].Place}}
	w.add(Step{Kind: Exchange, Text: "exchanges " + to.name + w.becomes(d, to, schemes.Span{}) + w.beside(d.words, schemes.Span{})}, d)
	last := &w.steps[len(w.steps)-1]
	last.At = last.Changed
}

// stepped shows the remaining changes when a step of a walk or a launch ends.
func (w *watcher) stepped(d difference) {
	switch {
	case len(d.cells) > 0 && w.hand != "":
		w.exchange(d)
	case len(d.cells) > 0 || len(d.gone) > 0:
		text := fmt.Sprintf("%s has changed %s", w.kernel, slots(len(d.cells)+len(d.gone)))
		w.add(Step{Kind: Write, Text: text + w.beside(d.words, schemes.Span{})}, d)
	case len(d.words) > 0:
		s := Step{Kind: Write, Text: strings.TrimPrefix(w.beside(d.words, schemes.Span{}), "; "), At: w.there}
		if strings.HasPrefix(s.Text, givesBack) {
			s.Kind = Lock
		} else {
			s.Text = "changes " + s.Text
		}
		w.add(s, d)
	}
}

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
	return manyUnused.ReplaceAllStringFunc(strings.Join(words, " "), func(run string) string { return fmt.Sprintf(".*%d", (len(run)+1)/2) })
}

var manyUnused = regexp.MustCompile(`\.( \.){2,}`)

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

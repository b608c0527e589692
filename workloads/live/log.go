package live

import (
	"time"

	"github.com/hashzoo/hashzoo/workloads/run"
)

// logged is how many entries are kept.
const logged = 400

// log is what happened, the last of it.
type log struct {
	entries   []Entry
	forgotten int
}

// add returns the entry's number, which it keeps.
func (l *log) add(e Entry) (number int) {
	if len(l.entries) == logged {
		l.entries = append(l.entries[:0], l.entries[1:]...)
		l.forgotten++
	}
	l.entries = append(l.entries, e)
	return l.forgotten + len(l.entries) - 1
}

// replace gives an entry another text, and says whether it is still there.
func (l *log) replace(number int, text string) bool {
	i := number - l.forgotten
	if i < 0 {
		return false
	}
	l.entries[i].Text = text
	return true
}

// maxKinds bounds the kinds of notes that are told apart for one scheme in one phase.
const maxKinds = 40

// notes are those of one scheme in one phase. Those that differ in numbers alone are one
// entry of the log, which says how often.
type notes struct {
	run.Notes
	entries []int // of each kind
}

// more is what is said instead of the notes of further kinds.
const more = "it says more than is kept here"

// note puts a note into the log, or into the entry of its kind.
func (r *Run) note(scheme int, batch uint64, text string) {
	l := r.lanes[scheme]
	if len(l.notes.entries) >= maxKinds {
		text = more
	}
	kind := l.notes.Add(text)
	if kind == len(l.notes.entries) {
		l.notes.entries = append(l.notes.entries, -1)
	}
	text = l.notes.Kind(kind)
	if entry := &l.notes.entries[kind]; *entry < 0 || !r.log.replace(*entry, text) {
		*entry = r.entry(Note, scheme, batch, text)
	}
}

// entry puts something into the log.
func (r *Run) entry(kind EntryKind, scheme int, batch uint64, text string) int {
	return r.log.add(Entry{At: r.elapsed(), Where: r.where(), Batch: batch, Scheme: scheme, Kind: kind, Text: text})
}

// where is the point and the phase of the present.
func (r *Run) where() string {
	if r.progress.Phase.Name == "" && len(r.progress.Point.Point) == 0 {
		return ""
	}
	return r.progress.Where()
}

// elapsed is the time since the run began, without pauses.
func (r *Run) elapsed() time.Duration {
	now := r.Now()
	if !r.halted.IsZero() {
		now = r.halted
	}
	return now.Sub(r.began) - r.waited
}

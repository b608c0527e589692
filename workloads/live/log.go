package live

import (
	"time"

	"github.com/hashzoo/hashzoo/workloads/run"
)

const logged = 400 // entries

type log struct {
	entries   []Entry
	forgotten int
}

// add returns the entry's number, which never changes.
func (l *log) add(e Entry) (number int) {
	if len(l.entries) == logged {
		l.entries = append(l.entries[:0], l.entries[1:]...)
		l.forgotten++
	}
	l.entries = append(l.entries, e)
	return l.forgotten + len(l.entries) - 1
}

// replace changes the text of an entry, and reports whether it is still in the log.
func (l *log) replace(number int, text string) bool {
	i := number - l.forgotten
	if i < 0 {
		return false
	}
	l.entries[i].Text = text
	return true
}

// maxKinds bounds the kinds of notes of one scheme in one phase.
const maxKinds = 40

// notes are those of one scheme in one phase. Notes that differ only in numbers share an entry
// of the log, which counts them.
type notes struct {
	run.Notes
	entries []int // of each kind
}

// more stands for all notes of further kinds.
const more = "further notes are not shown"

// note adds a note to the log, or to the entry of its kind.
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

func (r *Run) entry(kind EntryKind, scheme int, batch uint64, text string) int {
	return r.log.add(Entry{At: r.elapsed(), Where: r.where(), Batch: batch, Scheme: scheme, Kind: kind, Text: text})
}

// where is the present point and phase.
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

package live

import (
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/workloads/run"
)

const logged = 400 // entries

// maxKinds bounds the kinds of notes of one scheme in one phase.
const maxKinds = 40

// notes are those of one scheme in one phase. Notes that differ only in numbers share an entry
// of the log, which counts them.
type notes struct {
	run.Notes
	entries []*Entry // of each kind
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
		l.notes.entries = append(l.notes.entries, nil)
	}
	text = l.notes.Kind(kind)
	if entry := l.notes.entries[kind]; slices.Contains(r.log, entry) {
		entry.Text = text
	} else {
		l.notes.entries[kind] = r.entry(Note, scheme, batch, text)
	}
}

func (r *Run) entry(kind EntryKind, scheme int, batch uint64, text string) *Entry {
	if len(r.log) == logged {
		r.log = slices.Delete(r.log, 0, 1)
		r.now.Forgotten++
	}
	e := &Entry{At: r.elapsed(), Where: r.progress.Where(), Batch: batch, Scheme: scheme, Kind: kind, Text: text}
	r.log = append(r.log, e)
	return e
}

// elapsed is the time since the run began, without pauses.
func (r *Run) elapsed() time.Duration {
	now := r.Now()
	if !r.halted.IsZero() {
		now = r.halted
	}
	return now.Sub(r.began) - r.waited
}

package tui

import (
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// entryKinds are the words and looks of what is in the log.
var entryKinds = map[live.EntryKind]struct {
	word  string
	style style
}{
	live.Began:     {"began", faint},
	live.Note:      {"note", warn},
	live.Failure:   {"FAILED", bold | bad},
	live.Threshold: {"THRESHOLD", bold | bad},
	live.Mismatch:  {"MISMATCH", bold | bad},
	live.Command:   {"you", accent},
}

// logged are the entries that the filter leaves, the oldest first.
func logged(sc *scene) (list []*live.Entry) {
	wanted := strings.ToLower(sc.filter)
	for i := range sc.Log {
		e := &sc.Log[i]
		text := e.Text + " " + e.Where + " " + entryKinds[e.Kind].word
		if e.Scheme >= 0 && e.Scheme < len(sc.Schemes) {
			text += " " + sc.Schemes[e.Scheme].Name
		}
		if strings.Contains(strings.ToLower(text), wanted) {
			list = append(list, e)
		}
	}
	return list
}

func extentLog(a area, sc *scene) (lines, seen int) { return len(logged(sc)), a.h - 2 }

// drawLog draws the newest entries at the bottom, or those to which was scrolled.
func drawLog(a area, sc *scene) {
	list := logged(sc)
	columns := place(logColumns(sc), a.w-1)
	inner := a.part(1, 0, a.w-1, a.h)
	drawHead(inner, columns)
	body := inner.rows(1, a.h-2)
	if len(list) == 0 {
		body.text(0, 0, faint, "nothing has happened")
	}
	to := len(list) - min(sc.scroll[onLog], max(len(list)-body.h, 0))
	from := max(0, to-body.h)
	for i, e := range list[from:to] {
		for _, p := range columns {
			p.draw(body.part(p.x, i, p.w, 1), normal, e)
		}
	}
	scrollMarks(inner, from+sc.Forgotten, len(list)-to)
}

// logColumns are the columns of the log.
func logColumns(sc *scene) []column[*live.Entry] {
	where, name := 0, 0
	for i := range sc.Log {
		where = max(where, len(sc.Log[i].Where))
	}
	for i := range sc.Schemes {
		name = max(name, len(sc.Schemes[i].Name)+2)
	}
	return []column[*live.Entry]{
		{titles: []string{"time"}, rank: 0, least: 6, number: true, draw: func(a area, _ style, e *live.Entry) { a.right(a.w, 0, faint, clock(e.At)) }},
		{titles: []string{"where"}, rank: 5, least: 10, want: min(where, 30), draw: func(a area, _ style, e *live.Entry) { a.text(0, 0, faint, a.c.fit(e.Where, a.w)) }},
		{titles: []string{"batch"}, rank: 4, least: 6, number: true, draw: drawBatch},
		{titles: []string{"scheme"}, rank: 1, least: 10, want: min(name, 30), draw: func(a area, _ style, e *live.Entry) { drawWho(a, sc, e) }},
		{titles: []string{""}, rank: 3, least: 9, draw: func(a area, _ style, e *live.Entry) { a.text(0, 0, entryKinds[e.Kind].style, entryKinds[e.Kind].word) }},
		{titles: []string{"what"}, rank: 2, least: 20, grows: true, draw: func(a area, st style, e *live.Entry) { a.text(0, 0, st, a.c.fit(e.Text, a.w)) }},
	}
}

func drawBatch(a area, _ style, e *live.Entry) {
	if e.Batch > 0 {
		a.right(a.w, 0, faint, fmt.Sprint(e.Batch))
	}
}

// drawWho draws the scheme that an entry is about.
func drawWho(a area, sc *scene, e *live.Entry) {
	if e.Scheme >= 0 && e.Scheme < len(sc.Schemes) {
		st := schemeStyle(e.Scheme)
		a.text(0, 0, bold|st, mark(e.Scheme))
		a.text(2, 0, st, a.c.fit(sc.Schemes[e.Scheme].Name, a.w-2))
	}
}

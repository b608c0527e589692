package tui

import (
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/workloads/live"
)

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

func drawLog(a area, sc *scene) {
	list := logged(sc)
	columns := place(logColumns(sc), a.w-1)
	inner := a.part(1, 0, a.w-1, a.h)
	drawHead(inner, columns)
	body := inner.rows(1, a.h-2)
	if len(list) == 0 {
		body.text(0, 0, faint, "nothing has happened")
	}
	a.c.hidden = len(list) - body.h
	to := len(list) - clamp(sc.scroll[onLog], 0, a.c.hidden)
	from := max(0, to-body.h)
	for i, e := range list[from:to] {
		drawRow(body.rows(i, 1), columns, faint, e)
	}
	scrollMarks(inner, from+sc.Forgotten, len(list)-to)
}

func logColumns(sc *scene) []column[*live.Entry] {
	where := lists.Max(sc.Log, func(e live.Entry) int { return len(e.Where) })
	name := lists.Max(sc.Schemes, func(s live.Scheme) int { return len(s.Name) + 2 })
	return []column[*live.Entry]{
		figures("time", 0, 6, func(e *live.Entry) string { return clock(e.At) }),
		texts("where", 5, 10, min(where, 30), func(e *live.Entry) string { return e.Where }),
		figures("batch", 4, 6, func(e *live.Entry) string { return either(e.Batch > 0, fmt.Sprint(e.Batch), "") }),
		{titles: []string{"scheme"}, rank: 1, least: 10, want: min(name, 30), draw: func(a area, _ style, e *live.Entry) {
			if e.Scheme >= 0 && e.Scheme < len(sc.Schemes) {
				x := a.text(0, 0, bold|schemeStyle(e.Scheme), mark(e.Scheme))
				a.text(x+1, 0, schemeStyle(e.Scheme), sc.Schemes[e.Scheme].Name)
			}
		}},
		{titles: []string{""}, rank: 3, least: 9, draw: func(a area, _ style, e *live.Entry) {
			a.text(0, 0, entryKinds[e.Kind].style, entryKinds[e.Kind].word)
		}},
		{titles: []string{"what"}, rank: 2, least: 20, grows: true, draw: func(a area, _ style, e *live.Entry) {
			a.text(0, 0, normal, e.Text)
		}},
	}
}

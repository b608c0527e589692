package tui

import (
	"fmt"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawFooter draws the screens there are, what batches consist of, and below it what is
// asked, a message, or the keys.
func (m *Model) drawFooter(a area) {
	if m.ruled() {
		a.fill(0, 0, a.w, frame, "─")
	}
	if m.prompt.kind == commandPrompt {
		m.prompt.drawHint(a.rows(a.h-2, 1), m.hint(m.prompt.input.Value()))
	} else {
		a.line(a.h-2, 2, m.tabs(), m.mix())
	}
	last := a.rows(a.h-1, 1)
	switch {
	case m.prompt.kind == filterPrompt || m.prompt.kind == commandPrompt:
		m.prompt.draw(last)
	case m.message.text != "":
		st := accent
		if m.message.bad {
			st = bold | bad
		}
		last.text(1, 0, st, a.c.fit(m.message.text, a.w-2))
	case m.ended() && m.screen != onStart:
		last.line(0, 2, []piece{{0, good, "the run has ended", ""}}, m.hints())
	default:
		last.line(0, 2, m.hints(), nil)
	}
}

func (m *Model) tabs() (list []piece) {
	if m.session == nil {
		return []piece{{0, bold | accent, "start", ""}}
	}
	for i, s := range runs {
		st := faint
		if s == m.screen {
			st = bold | accent
		}
		name := fmt.Sprintf("%d %s", i+1, panes[s].name)
		if s == m.screen {
			name = "▸" + name
		}
		list = append(list, piece{0, st, name, panes[s].name})
	}
	return list
}

// mix is what the last batch consisted of.
func (m *Model) mix() (list []piece) {
	if m.scene.Snapshot == nil || m.screen == onStart {
		return nil
	}
	for i, share := range m.scene.Mix {
		list = append(list, piece{i + 1, faint, fmt.Sprintf("%s %.0f %%", share.Op, 100*share.Part), ""})
	}
	return list
}

// hints are the keys of the screen, as many as have room: the last ones of the table, by
// which all others are found, stay longest.
func (m *Model) hints() (list []piece) {
	for i := range m.bindings {
		b := &m.bindings[i]
		if b.Word == "" || !m.useful(b) {
			continue
		}
		rank := len(list) + 1
		if b.Name == "quit" || b.Name == "keys" {
			rank = 0
		}
		list = append(list, piece{rank, faint, keyName(b.Keys[0]) + " " + m.word(b), b.Name})
	}
	return list
}

// useful is whether a binding does something on this screen of this run.
func (m *Model) useful(b *Binding) bool {
	replay := m.latest != nil && m.latest.Replay
	return b.on.has(m.screen) && len(b.Keys) > 0 && (replay || !b.replay)
}

// word is what a binding does at present.
func (m *Model) word(b *Binding) string {
	switch {
	case b.Name == "expand" && m.expanded:
		return "one line"
	case b.Name == "freeze" && m.frozen:
		return "follow"
	case b.Name == "pause" && m.latest != nil && m.latest.State == live.Paused:
		return "go on"
	case b.Name == "record" && m.latest != nil && m.latest.Recording != "":
		return "no more recording"
	}
	return b.Word
}

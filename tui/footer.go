package tui

import (
	"slices"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// drawFooter draws the screens and the mix of the batches, and below them a prompt, a message,
// or the keys.
func (m *Model) drawFooter(a area) {
	if m.ruled() {
		a.fill(0, 0, a.w, frame, "─")
	}
	if m.prompt.sign == ":" {
		m.prompt.drawHint(a.rows(a.h-2, 1))
	} else {
		a.line(a.h-2, m.tabs(), m.mix())
	}
	last := a.rows(a.h-1, 1)
	switch {
	case m.prompt.sign != "":
		m.prompt.draw(last)
	case m.message.text != "":
		last.part(0, 0, last.w-1, 1).text(1, 0, either(m.message.bad, bold|bad, accent), m.message.text)
	case m.ended() && m.screen != onStart:
		last.line(0, pieces{{0, good, "the run has ended", nil}}, m.hints())
	default:
		last.line(0, m.hints(), nil)
	}
}

func (m *Model) tabs() (list pieces) {
	if m.session == nil {
		return pieces{{0, bold | accent, "start", nil}}
	}
	for i, s := range inRun {
		b, here := &m.bindings[i], s == m.screen
		text := b.Name
		if len(b.Keys) > 0 {
			text = keyNames.Replace(b.Keys[0]) + " " + text
		}
		list = append(list, piece{0, either(here, bold|accent, faint), either(here, "▸", "") + text, b.do})
	}
	return list
}

func (m *Model) mix() (list pieces) {
	if m.Snapshot != nil && m.screen != onStart {
		for i, share := range m.Mix {
			list.add(true, i+1, faint, "%s %.0f %%", share.Op, 100*share.Part)
		}
	}
	return list
}

// hints returns the most useful keys of the screen. If there is little room, the keys that lead
// to all others stay longest.
func (m *Model) hints() (list pieces) {
	for i := range m.bindings {
		b := &m.bindings[i]
		if b.Word == "" || !m.useful(b) {
			continue
		}
		rank := either(b.Name == "quit" || b.Name == "keys", 0, len(list)+1)
		list = append(list, piece{rank, faint, keyNames.Replace(b.Keys[0]) + " " + m.word(b), b.do})
	}
	return list
}

// useful reports whether a binding does something on this screen of this run.
func (m *Model) useful(b *Binding) bool {
	if !b.isOn(m.screen) || len(b.Keys) == 0 || b.replay && (m.latest == nil || !m.latest.Replay) {
		return false
	}
	return m.session != nil || !slices.Contains(screenNames(m), b.Name)
}

func (m *Model) word(b *Binding) string {
	switch {
	case b.Name == "expand" && m.expanded:
		return "one line"
	case b.Name == "freeze" && m.frozen:
		return "follow"
	case b.Name == "pause" && m.latest != nil && m.latest.State == live.Paused:
		return "continue"
	case b.Name == "record" && m.latest != nil && m.latest.Recording != "":
		return "end recording"
	}
	return b.Word
}

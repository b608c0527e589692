package tui

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// prompt is the last line while the user types a command or a filter.
type prompt struct {
	sign    string // ":" before a command, "/" before a filter; empty: closed
	input   textinput.Model
	matches []string // completions of the last word
	match   int      // the one that is shown
	head    string   // the line before that word
	failure error
	history []string
	back    int // steps back in the history; 0: a new line
}

func newInput(sign, text string) textinput.Model {
	input := textinput.New()
	input.SetStyles(textinput.Styles{}) // plain, also with NO_COLOR
	input.Prompt = sign
	input.SetValue(text)
	input.Focus()
	return input
}

func (p *prompt) open(sign, text string) {
	*p = prompt{sign: sign, input: newInput(sign, text), history: p.history}
}

func (p *prompt) close() { p.sign = "" }

func (p *prompt) set(text string) {
	p.input.SetValue(text)
	p.input.CursorEnd()
}

func (p *prompt) draw(a area) {
	p.input.SetWidth(a.w - 4)
	a.styled(1, 0, a.w, p.input.View())
}

// drawHint draws the completions of a command, what it takes, or what is wrong with it.
func (p *prompt) drawHint(a area) {
	a = a.part(0, 0, a.w-1, 1)
	switch {
	case p.failure != nil:
		a.text(1, 0, bold|bad, p.failure.Error())
	case len(p.matches) > 1:
		x := 1
		from, to := visible(len(p.matches), max(1, a.w/16), p.match)
		for i := from; i < to; i++ {
			x = a.text(x, 0, either(i == p.match, bold|accent, faint), p.matches[i]) + 2
		}
	default:
		a.text(1, 0, faint, hint(p.input.Value()))
	}
}

func (m *Model) promptKey(name string, msg tea.Msg) {
	p, commands := &m.prompt, m.prompt.sign == ":"
	switch {
	case name == "esc":
		if p.close(); !commands {
			m.filter = ""
		}
	case name == "enter":
		m.accept()
	case name == "tab" || name == "shift+tab":
		if commands {
			m.complete(either(name == "tab", 1, -1))
		}
	case name == "up" || name == "down":
		if commands {
			p.recall(either(name == "up", 1, -1))
		}
	default:
		p.input, _ = p.input.Update(msg)
		p.matches, p.match, p.failure = nil, 0, nil
		if !commands {
			m.filter = p.input.Value()
		}
	}
}

func (m *Model) accept() {
	p := &m.prompt
	line := strings.TrimSpace(p.input.Value())
	if p.sign == ":" && line != "" {
		p.failure = nil
		if m.command(line); p.failure != nil {
			return
		}
		p.history = append(p.history, line)
	}
	p.close()
}

func (p *prompt) recall(step int) {
	n := len(p.history)
	p.failure, p.back = nil, clamp(p.back+step, 0, n)
	p.set(append(p.history[:n:n], "")[n-p.back])
}

func (m *Model) complete(step int) {
	p := &m.prompt
	if n := len(p.matches); n > 0 {
		p.match = (p.match + step + n) % n
	} else if p.head, p.matches = m.completions(p.input.Value()); len(p.matches) == 0 {
		return
	}
	p.set(p.head + p.matches[p.match])
	if len(p.matches) == 1 {
		p.matches = nil
	}
}

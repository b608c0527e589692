package tui

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// prompt is the last line while the user types a command or a filter.
type prompt struct {
	kind    promptKind
	input   textinput.Model
	matches []string // completions of the last word
	match   int      // the one that is shown
	head    string   // the line before that word
	failure error
	history []string
	back    int // steps back in the history; 0: a new line
}

type promptKind int

const (
	noPrompt promptKind = iota
	filterPrompt
	commandPrompt
)

// newInput returns a focused one-line editor.
func newInput(sign, text string) textinput.Model {
	input := textinput.New()
	input.SetStyles(textinput.Styles{}) // plain, also with NO_COLOR
	input.Prompt = sign
	input.SetValue(text)
	input.Focus()
	return input
}

func (p *prompt) open(kind promptKind, sign, text string) {
	*p = prompt{kind: kind, input: newInput(sign, text), history: p.history}
}

func (p *prompt) set(text string) {
	p.input.SetValue(text)
	p.input.CursorEnd()
}

func (p *prompt) close() { p.kind = noPrompt }

func (p *prompt) draw(a area) {
	p.input.SetWidth(a.w - 4)
	a.styled(1, 0, a.w, p.input.View())
}

// drawHint draws above a command its completions, what it takes, or what was wrong with it.
func (p *prompt) drawHint(a area, hint string) {
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
		a.text(1, 0, faint, hint)
	}
}

// promptKey gives a key, or what was pasted, to the prompt.
func (m *Model) promptKey(msg tea.Msg) tea.Cmd {
	p, name := &m.prompt, ""
	if key, ok := msg.(tea.KeyPressMsg); ok {
		name = key.String()
	}
	switch name {
	case "esc":
		if p.kind == filterPrompt {
			m.filter = ""
		}
		p.close()
	case "enter":
		return m.accept()
	case "tab", "shift+tab":
		m.complete(map[string]int{"tab": 1, "shift+tab": -1}[name])
	case "up", "down":
		p.recall(map[string]int{"up": 1, "down": -1}[name])
	default:
		p.input, _ = p.input.Update(msg)
		p.matches, p.match, p.failure = nil, 0, nil
		if p.kind == filterPrompt {
			m.filter = p.input.Value()
		}
	}
	return nil
}

func (m *Model) accept() tea.Cmd {
	p := &m.prompt
	line := strings.TrimSpace(p.input.Value())
	if p.kind == filterPrompt || line == "" {
		p.close()
		return nil
	}
	do, err := m.command(line)
	if p.failure = err; err != nil {
		return nil
	}
	p.history = append(p.history, line)
	p.close()
	return do
}

// recall shows an earlier command, or a later one.
func (p *prompt) recall(step int) {
	if p.kind != commandPrompt || len(p.history) == 0 {
		return
	}
	p.failure, p.back = nil, clamp(p.back+step, 0, len(p.history))
	p.set(append(p.history[:len(p.history):len(p.history)], "")[len(p.history)-p.back])
}

// complete shows the next completion of the last word.
func (m *Model) complete(step int) {
	p := &m.prompt
	if p.kind != commandPrompt {
		return
	}
	if len(p.matches) > 0 {
		p.match = (p.match + step + len(p.matches)) % len(p.matches)
	} else if p.head, p.matches = m.completions(p.input.Value()); len(p.matches) == 0 {
		return
	}
	p.set(p.head + p.matches[p.match])
	if len(p.matches) == 1 {
		p.matches = nil
	}
}

func (m *Model) askFilter() tea.Cmd {
	m.prompt.open(filterPrompt, "/", m.filter)
	return nil
}

func (m *Model) askCommand() tea.Cmd {
	m.prompt.open(commandPrompt, ":", "")
	return nil
}

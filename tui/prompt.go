package tui

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// prompt is a text that the user is writing: a command or a filter in the last line, or a
// value in its place.
type prompt struct {
	kind    promptKind
	input   textinput.Model
	matches []string // what the last word can be completed to, and which of them it is
	match   int
	head    string // before that word
	failure error
	history []string
	back    int // in the history, from its end
}

type promptKind int

const (
	noPrompt promptKind = iota
	filterPrompt
	commandPrompt
	valuePrompt
)

// signs stand before what is written.
var signs = map[promptKind]string{filterPrompt: "/", commandPrompt: ":"}

func (p *prompt) open(kind promptKind, text string) {
	p.kind, p.input = kind, textinput.New()
	p.input.Prompt, p.matches, p.failure, p.back = "", nil, nil, 0
	p.set(text)
	p.input.Focus()
}

func (p *prompt) set(text string) {
	p.input.SetValue(text)
	p.input.CursorEnd()
}

func (p *prompt) close() { p.kind = noPrompt }

func (p *prompt) paste(msg tea.PasteMsg) tea.Cmd {
	if p.kind != noPrompt {
		p.input, _ = p.input.Update(msg)
	}
	return nil
}

// visible is what of the text has room in so many cells, and where the cursor is in it.
func (p *prompt) visible(c *canvas, w int) (text string, x int) {
	runes := []rune(p.input.Value())
	at := min(p.input.Position(), len(runes))
	from := 0
	for c.width(string(runes[from:at])) > w-1 {
		from++
	}
	return string(runes[from:]), c.width(string(runes[from:at]))
}

// draw draws the prompt as a line.
func (p *prompt) draw(a area) {
	text, _ := p.visible(a.c, a.w-4)
	x := a.text(1, 0, bold|accent, signs[p.kind])
	a.text(x, 0, normal, text)
}

// cursor is where the cursor is in the last line of a terminal that is so wide.
func (p *prompt) cursor(w int) (x int, ok bool) {
	if p.kind != filterPrompt && p.kind != commandPrompt {
		return 0, false
	}
	_, x = p.visible(&canvas{}, w-4)
	return x + 2, true
}

// drawHint draws above a command what it can be, or what was wrong with it.
func (p *prompt) drawHint(a area, hint string) {
	switch {
	case p.failure != nil:
		a.text(1, 0, bold|bad, a.c.fit(p.failure.Error(), a.w-2))
	case len(p.matches) > 1:
		x := 1
		from, to := visible(len(p.matches), max(1, a.w/16), p.match)
		for i := from; i < to; i++ {
			st := faint
			if i == p.match {
				st = bold | accent
			}
			x = a.text(x, 0, st, p.matches[i]) + 2
		}
	default:
		a.text(1, 0, faint, a.c.fit(hint, a.w-2))
	}
}

// promptKey gives a key to the prompt.
func (m *Model) promptKey(msg tea.KeyPressMsg) tea.Cmd {
	p := &m.prompt
	switch msg.String() {
	case "esc":
		if p.kind == filterPrompt {
			m.filter = ""
		}
		p.close()
		return nil
	case "enter":
		return m.accept()
	case "tab", "shift+tab":
		m.complete(msg.String() == "tab")
		return nil
	case "up", "down":
		p.recall(msg.String() == "up")
		return nil
	}
	p.input, _ = p.input.Update(msg)
	p.matches, p.failure = nil, nil
	if p.kind == filterPrompt {
		m.filter = p.input.Value()
	}
	return nil
}

// accept takes what was written.
func (m *Model) accept() tea.Cmd {
	p := &m.prompt
	switch p.kind {
	case valuePrompt:
		m.form.set(p.input.Value())
		p.close()
	case filterPrompt:
		p.close()
	case commandPrompt:
		line := strings.TrimSpace(p.input.Value())
		if line == "" {
			p.close()
			return nil
		}
		do, err := m.command(line)
		if err != nil {
			p.failure = err
			return nil
		}
		p.history = append(p.history, line)
		p.close()
		return do
	}
	return nil
}

// recall writes a former command.
func (p *prompt) recall(before bool) {
	if p.kind != commandPrompt || len(p.history) == 0 {
		return
	}
	if p.back--; before {
		p.back += 2
	}
	p.back = min(max(p.back, 0), len(p.history))
	if p.failure = nil; p.back == 0 {
		p.set("")
		return
	}
	p.set(p.history[len(p.history)-p.back])
}

// complete writes the next thing that the last word can be.
func (m *Model) complete(forward bool) {
	p := &m.prompt
	if p.kind != commandPrompt {
		return
	}
	step := 1
	if !forward {
		step = -1
	}
	if p.matches != nil {
		p.match = (p.match + step + len(p.matches)) % len(p.matches)
	} else if p.head, p.matches = m.completions(p.input.Value()); len(p.matches) == 0 {
		p.matches = nil
		return
	} else {
		p.match = 0
	}
	p.set(p.head + p.matches[p.match])
	if len(p.matches) == 1 {
		p.matches = nil
	}
}

func (m *Model) askFilter() tea.Cmd {
	m.prompt.open(filterPrompt, m.filter)
	return nil
}

func (m *Model) askCommand() tea.Cmd {
	m.prompt.open(commandPrompt, "")
	return nil
}

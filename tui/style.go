package tui

import (
	"fmt"
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// style is how a cell looks: a role, of which the theme knows the colour, and marks.
type style uint8

// The roles. Those from hue on are the colours of schemes.
const (
	normal style = iota
	faint        // what is there but not looked for: labels, units
	title
	good
	bad
	warn
	accent // what can be done, what has the focus
	frame  // lines, axes
	hue
	hues = 14

	chosen style = 0x40 // on the line of the selection
	bold   style = 0x80
	role   style = 0x3f
)

// schemeStyle is the colour of a scheme. Marks tell apart those that share one.
func schemeStyle(scheme int) style { return hue + style(scheme%hues) }

// theme has the colours of the roles, and for each style the sequence that switches to it.
type theme struct {
	colours    [hue + hues]color.Color
	background color.Color // of what is chosen
	profile    colorprofile.Profile
	begin      [256]string
}

// palettes are the colours by what the terminal can show, in the order of the roles.
var palettes = map[string][hue + hues]string{
	"dark": {"", "#8a8f98", "#e6e6e6", "#7bc86c", "#ff6b6b", "#f0b429", "#62b6ff", "#5c6370",
		"#4fc3f7", "#ffb74d", "#81c784", "#e57373", "#ba9cf5", "#fff176", "#f48fb1",
		"#4db6ac", "#bcaaa4", "#aed581", "#7f9cf5", "#ff8a65", "#c5cae9", "#dce775"},
	"light": {"", "#6a6f78", "#1a1a1a", "#2e7d32", "#c62828", "#a85b00", "#0b5cad", "#9aa0a6",
		"#0277bd", "#b85c00", "#2e7d32", "#c62828", "#6a3fc0", "#857000", "#ad1457",
		"#00796b", "#6d4c41", "#558b2f", "#303f9f", "#bf360c", "#455a64", "#7b6f00"},
	"dark16": {"", "8", "15", "10", "9", "11", "12", "8",
		"14", "11", "10", "9", "13", "12", "7", "6", "3", "2", "1", "5", "4", "15"},
	"light16": {"", "8", "0", "2", "1", "3", "4", "8",
		"4", "3", "2", "1", "5", "6", "8", "12", "9", "10", "13", "14", "0", "11"},
}

var chosenBackground = map[string]string{"dark": "#2a2f3a", "light": "#e3e8f0"}

// newTheme makes the theme for light or dark terminals and what they can show. Without
// colours there is none, bold least of all: NO_COLOR asks for plain text.
func newTheme(dark bool, profile colorprofile.Profile) *theme {
	name := "light"
	if dark {
		name = "dark"
	}
	t := &theme{profile: profile}
	if profile <= colorprofile.ASCII {
		return t
	}
	if profile <= colorprofile.ANSI {
		name += "16"
	} else {
		t.background = lipgloss.Color(chosenBackground[name])
	}
	for i, text := range palettes[name] {
		if text != "" {
			t.colours[i] = lipgloss.Color(text)
		}
	}
	for i := range t.begin {
		t.begin[i] = t.sequence(style(i))
	}
	return t
}

// sequence is what lipgloss writes before a text in a style.
func (t *theme) sequence(st style) string {
	look := lipgloss.NewStyle().Bold(st&bold != 0)
	if st&role >= style(len(t.colours)) {
		return ""
	}
	if c := t.colours[st&role]; c != nil {
		look = look.Foreground(t.profile.Convert(c))
	}
	if st&chosen != 0 && t.background != nil {
		look = look.Background(t.profile.Convert(t.background))
	}
	before, _, _ := strings.Cut(look.Render("x"), "x")
	return before
}

// hex is the colour of a style as SVG has it; of none it is empty.
func (t *theme) hex(c color.Color) string {
	if c == nil {
		return ""
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// write writes cells that stand side by side: a sequence wherever the look changes. It ends
// in the plain look.
func (t *theme) write(out *strings.Builder, row []cell) {
	now := ""
	for i := range row {
		if begin := t.begin[row[i].style]; begin != now {
			if now != "" {
				out.WriteString("\x1b[m")
			}
			out.WriteString(begin)
			now = begin
		}
		out.WriteString(row[i].text)
	}
	if now != "" {
		out.WriteString("\x1b[m")
	}
}

// String is the canvas as plain text, without spaces at the ends of lines.
func (c *canvas) String() string {
	var out strings.Builder
	for y := range c.h {
		var line strings.Builder
		for _, cell := range c.cells[y*c.w : (y+1)*c.w] {
			line.WriteString(cell.text)
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return out.String()
}

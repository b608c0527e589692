package tui

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// style is the look of a cell: a role, whose color the theme chooses, and marks.
type style uint8

// The roles. Those from hue on are the colors of schemes.
const (
	normal style = iota
	faint        // labels, units
	title
	good
	bad
	warn
	accent // the focus, and what can be done
	frame  // lines, axes
	hue
	hues = 14

	chosen style = 0x40 // on the selected line
	bold   style = 0x80
	role   style = 0x3f
)

// schemeStyle is the color of a scheme. Schemes that share a color have different letters.
func schemeStyle(scheme int) style { return hue + style(scheme%hues) }

type theme [256]uv.Style

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

// newTheme returns the theme for a terminal. Without colors nothing is bold either: NO_COLOR asks for plain text.
func newTheme(dark bool, profile colorprofile.Profile) *theme {
	t, name := &theme{}, either(dark, "dark", "light")
	if profile <= colorprofile.ASCII {
		return t
	}
	background := chosenBackground[name]
	if profile <= colorprofile.ANSI {
		name, background = name+"16", ""
	}
	for i := range t {
		st := style(i)
		if st&bold != 0 {
			t[i].Attrs = uv.AttrBold
		}
		if st&chosen != 0 && background != "" {
			t[i].Bg = lipgloss.Color(background)
		}
		if r := int(st & role); r < len(palettes[name]) && palettes[name][r] != "" {
			t[i].Fg = lipgloss.Color(palettes[name][r])
		}
	}
	return t
}

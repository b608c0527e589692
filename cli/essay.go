package cli

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// typeset lays out the lines of an essay: paragraphs are wrapped, and what is indented
// (pictures and lists) stays as it is, except lists that are too wide.
func typeset(lines []string, width int) string {
	var b strings.Builder
	for _, block := range blocks(lines) {
		switch indented := strings.HasPrefix(block[0], "  "); {
		case block[0] == "":
			b.WriteString("\n")
		case indented && (widest(block) <= width || !isList(block)):
			b.WriteString(strings.Join(block, "\n") + "\n")
		case indented:
			b.WriteString(hang(block, width))
		default:
			b.WriteString(wrap(strings.Join(block, " "), width) + "\n")
		}
	}
	return b.String()
}

// blocks splits lines into empty ones, indented ones and paragraphs.
func blocks(lines []string) (list [][]string) {
	kind := func(line string) string {
		switch {
		case line == "":
			return ""
		case strings.HasPrefix(line, "  "):
			return "indented"
		}
		return "paragraph"
	}
	for i, line := range lines {
		if i == 0 || line == "" || kind(line) != kind(lines[i-1]) {
			list = append(list, nil)
		}
		last := len(list) - 1
		list[last] = append(list[last], line)
	}
	return list
}

func widest(lines []string) (width int) {
	for _, line := range lines {
		width = max(width, ansi.StringWidth(line))
	}
	return width
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// isList reports whether indented lines are items whose further lines begin where the text
// of the first does.
func isList(lines []string) bool {
	at := 0
	for _, line := range lines {
		if indent(line) > indent(lines[0]) {
			at = indent(line)
			break
		}
	}
	return at > 0 && !slices.ContainsFunc(lines, func(line string) bool {
		further := indent(line) == at
		item := indent(line) == indent(lines[0]) && len(line) > at && line[at-1] == ' ' && line[at] != ' '
		return !further && !item || strings.Contains(line[at:], "  ")
	})
}

// hang wraps the items of a list.
func hang(lines []string, width int) string {
	var items []string
	at := 0
	for _, line := range lines {
		if indent(line) > indent(lines[0]) {
			at = indent(line)
			items[len(items)-1] += " " + strings.TrimSpace(line)
		} else {
			items = append(items, line)
		}
	}
	var b strings.Builder
	for _, item := range items {
		b.WriteString(hanging(item[:at], item[at:], width))
	}
	return b.String()
}

// hanging wraps a text behind a label.
func hanging(label, text string, width int) string {
	at := ansi.StringWidth(label)
	lines := strings.Split(wrap(text, max(20, width-at)), "\n")
	return label + strings.Join(lines, "\n"+strings.Repeat(" ", at)) + "\n"
}

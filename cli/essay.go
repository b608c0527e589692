package cli

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// typeset lays out the lines of an essay: paragraphs are wrapped, and what is indented
// (pictures and lists) stays as it is, except lists that are too wide.
func typeset(lines []string, width int) string {
	var b strings.Builder
	for _, block := range blocks(lines) {
		list, at := items(block)
		switch {
		case block[0] == "":
			b.WriteString("\n")
		case !isIndented(block[0]):
			b.WriteString(wrap(strings.Join(block, " "), width) + "\n")
		case list == nil || slices.Max(lists.Map(block, ansi.StringWidth)) <= width:
			b.WriteString(strings.Join(block, "\n") + "\n")
		default:
			for _, item := range list {
				b.WriteString(hanging(item[:at], item[at:], width))
			}
		}
	}
	return b.String()
}

// blocks splits lines into empty ones, indented ones and paragraphs.
func blocks(lines []string) (list [][]string) {
	for i, line := range lines {
		if i == 0 || line == "" || lines[i-1] == "" || isIndented(line) != isIndented(lines[i-1]) {
			list = append(list, nil)
		}
		last := len(list) - 1
		list[last] = append(list[last], line)
	}
	return list
}

func isIndented(line string) bool { return strings.HasPrefix(line, "  ") }

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// items returns the items of a list, each in one line, and where their texts begin: the further lines of an item begin
// there, too. It returns nil if the lines are something else, such as a picture.
func items(lines []string) (list []string, at int) {
	deeper := func(line string) bool { return indent(line) > indent(lines[0]) }
	i := slices.IndexFunc(lines, deeper)
	if i <= 0 {
		return nil, 0
	}
	at = indent(lines[i])
	for _, line := range lines {
		isItem := indent(line) == indent(lines[0]) && len(line) > at && line[at-1] == ' ' && line[at] != ' '
		switch {
		case !isItem && indent(line) != at || strings.Contains(line[at:], "  "):
			return nil, 0
		case isItem:
			list = append(list, line)
		default:
			list[len(list)-1] += " " + strings.TrimSpace(line)
		}
	}
	return list, at
}

// hanging wraps a text behind a label.
func hanging(label, text string, width int) string {
	at := ansi.StringWidth(label)
	lines := strings.Split(wrap(text, max(20, width-at)), "\n")
	return label + strings.Join(lines, "\n"+strings.Repeat(" ", at)) + "\n"
}

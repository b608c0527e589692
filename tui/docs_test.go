package tui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// TestDocs checks the tables of docs/tui.md against the bindings and commands; -update writes them.
func TestDocs(t *testing.T) {
	const path = "../docs/tui.md"
	text := must.Get(os.ReadFile(path))(t)
	page := withPart(t, string(text), "keys", keyTable())
	must.Golden(t, path, withPart(t, page, "commands", commandTable()))
}

// withPart replaces the text between two comments of a page.
func withPart(t *testing.T, page, name, text string) string {
	t.Helper()
	before, rest, found := strings.Cut(page, "<!-- "+name+":")
	head, rest, found2 := strings.Cut(rest, "-->\n")
	_, after, found3 := strings.Cut(rest, "<!-- end -->")
	must.Need(t, found && found2 && found3, "no place for the %s", name)
	return before + "<!-- " + name + ":" + head + "-->\n" + text + "<!-- end -->" + after
}

func keyTable() string {
	var order, text []string
	for _, b := range Bindings() {
		on := "\n**" + screensText(b.on) + "**\n\n"
		i := slices.Index(order, on)
		if i < 0 {
			i, order, text = len(order), append(order, on), append(text, on)
		}
		text[i] += fmt.Sprintf("- `%s` %s (`%s`)\n", strings.Join(b.Keys, "` `"), b.Help, b.Name)
	}
	return strings.Join(text, "") + "\n"
}

// screensText names the screens of a binding.
func screensText(on []screen) string {
	switch len(on) {
	case len(everywhere):
		return "All screens"
	case len(withRuns):
		return "All screens but step"
	case len(inRun):
		return "All screens of a run"
	}
	return strings.Join(lists.Map(on, func(s screen) string { return panes[s].name }), ", ")
}

func commandTable() string {
	var text strings.Builder
	text.WriteString("| command | does |\n|---|---|\n")
	for _, c := range Commands() {
		args := strings.ReplaceAll(c.Args, "|", "\\|")
		fmt.Fprintf(&text, "| `%s` | %s |\n", strings.TrimSpace(c.Name+" "+args), c.Help)
	}
	return text.String()
}

// Every binding has a name of its own, a short help and an action.
func TestBindingsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range Bindings() {
		must.Hold(t, b.Name != "" && b.Help != "" && len(b.Help) <= 28 && b.on != nil && b.do != nil && !seen[b.Name], "%+v", b)
		seen[b.Name] = true
	}
	must.OK(t, conflict(Bindings()))
}

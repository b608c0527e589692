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

// commanded types a command and returns the last two lines of the screen.
func commanded(s *stage, line string) string {
	s.keys(":").typed(line).keys("enter")
	lines := strings.Split(strings.TrimRight(s.screen(), "\n"), "\n")
	return strings.Join(lines[len(lines)-2:], "\n")
}

func TestCommandsSayWhatIsWrong(t *testing.T) {
	for line, want := range map[string]string{
		"windw 3s":     `unknown command "windw": did you mean window?`,
		"window 3":     `window "3": write a time of a second or more, such as 45s or 2m, or all`,
		"seed -1":      `seed is "-1": it takes a whole number, 0 to 2^63-1`,
		"op fnd":       `unknown operation "fnd": did you mean find?`,
		"sort rate":    `unknown column "rate"`,
		"baseline":     "baseline: it takes SCHEME",
		"quit now":     `quit: it takes nothing, not "now"`,
		"schemes bch":  `unknown scheme "bch": did you mean bcht`,
		"speed -2":     `speed "-2": it is a factor above 0, such as 0.5 or 4`,
		"axis batch=5": "batch is an option of ycsb/a; hint: :set batch=5",
		"phase 0":      `phase "0": write how many phases to move, such as +1 or -1`,
	} {
		s := withRun(t, 120, 30, fakeRun{schemes: fewSchemes})
		got := commanded(s, line)
		must.Hold(t, strings.Contains(got, want) && strings.Contains(got, ":"+line), "%s:\n%s\nwant %s, and the line to be there still", line, got, want)
	}
}

// A command can be cut short where that is unambiguous.
func TestCommandsAreAbbreviated(t *testing.T) {
	s := withRun(t, 120, 30, fakeRun{schemes: fewSchemes})
	commanded(s, "filter bcht")
	commanded(s, "filter")
	must.Match(t, s.m.filter, "")
	if commanded(s, "help"); !s.m.help.open {
		t.Error("no help")
	}
	s.keys("esc")
	commanded(s, "s iht")
	s.shows(`unknown command "s"`)
	s.keys("esc")
	if commanded(s, "q"); !s.m.quits {
		t.Error("it goes on")
	}
}

func TestCommandsRunAgain(t *testing.T) {
	s := withRun(t, 120, 30, fakeRun{schemes: fewSchemes})
	commanded(s, "schemes bcht:bucket=4,hashes=2,slab:alloc=super fks")
	commanded(s, "load 0.5,0.7")
	commanded(s, "load 0.9")
	commanded(s, "seed 7")
	got := s.host.started[len(s.host.started)-1]
	must.Hold(t, strings.Join(got.Schemes, " ") == "bcht:bucket=4,hashes=2 slab:alloc=super fks" && strings.Join(got.Axis, " ") == "load=0.9" && got.Seed == 7,
		"%+v", got)
}

// Where the load factor is an option, :load says how to set it.
func TestLoadPointsToSet(t *testing.T) {
	s := withRun(t, 120, 30, fakeRun{schemes: fewSchemes})
	s.m.form.options["ycsb/a"][0].name = "load"
	commanded(s, "load 0.5")
	s.shows("load is an option of ycsb/a; hint: :set load=0.5")
	s.keys("esc")
	must.Match(t, len(s.host.started), 1, s.host.started)
	commanded(s, "set load=0.5")
	must.Match(t, s.host.started[len(s.host.started)-1].Set, []string{"load=0.5"})
}

func TestCompletion(t *testing.T) {
	s := withRun(t, 120, 30, fakeRun{schemes: fewSchemes})
	s.keys(":").typed("ba").keys("tab")
	must.Match(t, s.m.prompt.input.Value(), "baseline")
	s.typed(" ").keys("tab", "tab", "shift+tab", "tab", "tab", "tab")
	must.Match(t, s.m.prompt.input.Value(), "baseline dycuckoo:hashes=3")
}

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

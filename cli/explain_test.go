package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Every scheme is explained: its essay with its picture, each of its operations and
// parameters, and each operation of its vectors with steps.
func TestExplainEveryScheme(t *testing.T) {
	for _, s := range schemes.All() {
		t.Run(s.Name, func(t *testing.T) {
			text := explained(t, s.Name, "--all")
			essays := must.Get(s.Essays())(t)
			wants := []string{"\n" + s.Name + ".h\n", "Idea. ", "\nOperations\n", "\nStep by step\n"}
			for _, e := range essays {
				wants = append(wants, pictures(e.Lines)...)
			}
			for _, op := range s.Caps.Ops {
				wants = append(wants, "\n"+op+" ")
			}
			for _, p := range s.Params {
				wants = append(wants, "\n"+p.Name+" ")
			}
			for _, want := range wants {
				must.Hold(t, strings.Contains(text, want), "explain %s does not show %q", s.Name, want)
			}
			wantOperations(t, s, text)
		})
	}
}

func explained(t *testing.T, args ...string) string {
	t.Helper()
	env, out := testEnv(t)
	root := newRoot(env)
	root.SetArgs(append([]string{"explain"}, args...))
	must.OK(t, root.Execute())
	return out.String()
}

// pictures are indented lines with boxes.
func pictures(lines []string) (list []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, "  ") && strings.Contains(line, "[ ") && strings.Contains(line, " ]") {
			list = append(list, line)
		}
	}
	return list
}

// wantOperations checks that the operations of the vectors are played in order, each with steps and its outcome.
func wantOperations(t *testing.T, s *schemes.Scheme, text string) {
	t.Helper()
	played := strings.Split(text, "\n> ")[1:]
	for _, l := range engine.VectorLines(s.Vectors) {
		if slices.Contains([]string{"table", "places", "slots", "counts", "words", "clear"}, l.Words[0]) {
			continue
		}
		must.Need(t, len(played) != 0, "line %d, %v, is not played", l.Number, l.Words)
		said := strings.Join(strings.Fields(played[0]), " ")
		must.Hold(t, strings.HasPrefix(said, strings.Join(l.Words, " ")+" ") && strings.Contains(said, " "+l.Words[0]+": "),
			"line %d, %v, is played as %.200s", l.Number, l.Words, said)
		played = played[1:]
	}
}

// Text fits into 80 columns when it is not shown on a terminal; pictures and tables stay.
func TestExplainIsWrapped(t *testing.T) {
	_, steps, _ := strings.Cut(explained(t, schemes.Names()[1]), "Step by step")
	for line := range strings.Lines(steps) {
		must.Hold(t, ansi.StringWidth(line) <= 81, "%d columns: %s", ansi.StringWidth(line), line)
	}
}

func TestTypeset(t *testing.T) {
	lines := strings.Split(`One two three four five six seven.

  [ picture that is wider than the rest ]
     ^-- stays

  insert  takes effect when it writes
          a slot
  find    when it reads`, "\n")
	want := `One two three four five six
seven.

  [ picture that is wider than the rest ]
     ^-- stays

  insert  takes effect when it
          writes a slot
  find    when it reads
`
	must.Match(t, typeset(lines, 30), want)
}

package tui

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// withSteps is a stage that shows a scheme step by step.
func withSteps(t testing.TB, w, h int, scheme string) *stage {
	t.Helper()
	config := must.Get(schemes.Parse(scheme))(t)
	host := &fakeHost{run: fakeRun{schemes: fewSchemes}}
	m := must.Get(newModel(context.Background(), host, Options{Step: &config, Theme: "dark"}))(t)
	t.Cleanup(m.leave)
	m.profile = colorprofile.ASCII
	m.paint()
	m.after = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	s := &stage{t: t, m: m, host: host}
	s.send(tea.WindowSizeMsg{Width: w, Height: h})
	return s
}

// Every scheme can be walked through, to and fro, and each step shows what it touches.
func TestStepsOfEverySchemeFit(t *testing.T) {
	for i, scheme := range schemes.All() {
		for j, size := range [][2]int{{80, 24}, {140, 44}} {
			if testing.Short() && (i+j)%2 > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", scheme.Name, size[0]), func(t *testing.T) {
				s := withSteps(t, size[0], size[1], scheme.Name)
				for _, key := range append(slices.Repeat([]string{"space"}, 40), slices.Repeat([]string{"enter"}, 12)...) {
					s.keys(key)
					wantStep(t, s)
				}
				for range 30 {
					s.keys("left")
					wantStep(t, s)
				}
				for range s.m.stepper.ops { // each of them, on random keys
					s.keys("o", "enter", "enter", "u", "end")
					wantStep(t, s)
				}
			})
		}
	}
}

// wantStep checks that the screen shows the step.
func wantStep(t *testing.T, s *stage) {
	t.Helper()
	screen := s.screen()
	for _, line := range strings.Split(screen, "\n") {
		must.Need(t, ansi.StringWidth(line) <= s.m.w, "a line of %d cells:\n%s", ansi.StringWidth(line), screen)
	}
	st := s.m.stepper.shown()
	must.Need(t, !s.m.message.bad, "%+v\n%s", s.m.message, screen)
	if s.m.stepper.at == 0 {
		return
	}
	begin := fit(upper(st.Text), 30)
	must.Hold(t, strings.Contains(screen, strings.TrimSuffix(begin, "…")), "%q is not shown:\n%s", st.Text, screen)
	must.Hold(t, len(st.At) == 0 || strings.ContainsAny(screen, "┃━"), "what %q touches is not marked:\n%s", st.Text, screen)
	must.Hold(t, st.Hand == "" || strings.Contains(screen, "in hand: "+st.Hand), "%s is not in hand:\n%s", st.Hand, screen)
}

// An evicted pair is seen to leave, then to be in hand.
func TestEvictedKeysMove(t *testing.T) {
	s := withSteps(t, 80, 24, "bcht").typed("1 2 3 4 5 6 7 8").keys("enter")
	for n := range 100 {
		if st := s.m.stepper; st.at == st.first(st.op()+1)-1 {
			t.Fatalf("no pair was evicted in %d steps:\n%s", n, s.screen())
		}
		st := s.m.stepper.shown()
		_, out, evicts := strings.Cut(st.Text, "goes in, ")
		if !evicts {
			s.keys("space")
			continue
		}
		out = strings.TrimSuffix(out, " is evicted")
		s.shows(st.Hand+" ▾", out+" ▴")
		s.keys("space").shows(keyOf(out) + " ▾")
		return
	}
}

// An operation after steps back replaces those that were done from there on.
func TestStepsBackAndUndo(t *testing.T) {
	s := withSteps(t, 80, 24, "linear")
	insert := func(key string) { s.keys("i").typed(key).keys("enter", "enter") }
	want := func(what string, keys ...string) {
		t.Helper()
		got := s.m.stepper.keys()
		must.Hold(t, slices.Equal(sorted(got), sorted(keys)), "%s: keys %v, not %v", what, got, keys)
	}
	insert("17")
	insert("18=5")
	insert("19")
	want("three inserts", "17", "18", "19")
	for s.m.stepper.op() == 2 {
		s.keys("left")
	}
	want("back before the third", "17", "18")
	insert("20")
	want("another one from there", "17", "18", "20")
	s.keys("u")
	want("undone", "17", "18")
	s.keys("home")
	want("at the beginning")
	s.keys("backspace", "u")
	s.keys("end")
	want("at the end", "17", "18")
	state := s.m.stepper.table.State()
	must.Hold(t, reflect.DeepEqual(state, s.m.stepper.state()), "the table has %v", state)
	s.keys("u", "u", "u")
	want("all undone")
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// A wrong command shows its error above the line, and nothing is carried out.
func TestTypedOperations(t *testing.T) {
	for typed, want := range map[string]string{
		"":                    "write an operation and its keys, such as find 17",
		"inst 3":              `unknown operation "inst": did you mean insert?`,
		"find":                "find: it takes keys, 1 to 64 of them, such as 17",
		"find 3=4":            "find: it takes keys without values, such as 3",
		"insert x":            `insert: a key is a whole number below 4294967294, not "x"`,
		"insert 1 4294967294": `insert: a key is a whole number below 4294967294, not "4294967294"`,
		"insert 1=4294967296": `insert: a value is a whole number of 4 bytes, not "4294967296"`,
		"flush 3":             "flush: it takes nothing",
		"resize":              "resize: it takes a number of slots, 1 to 512, such as 24",
		"resize 99999":        "resize: it takes a number of slots, 1 to 512, such as 24",
	} {
		s := withSteps(t, 120, 24, "linear").keys("i")
		s.m.prompt.set(typed)
		failure := s.keys("enter").m.prompt.failure
		must.Hold(t, failure != nil && failure.Error() == want && strings.Contains(s.screen(), want), "%q: %v", typed, failure)
		s.keys("esc")
		must.Hold(t, len(s.m.stepper.done) == 0 && s.m.prompt.sign == "", "%q was carried out", typed)
	}
	s := withSteps(t, 80, 24, "linear").keys("4", "2", "tab", "tab", "shift+tab", "enter")
	got := s.m.stepper.done
	must.Hold(t, len(got) == 1 && strings.HasPrefix(got[0].Text, "upsert 42=42"), "%+v", got)
}

// From a run and from the form; another scheme replaces the first one.
func TestStepsOfTheSchemeShown(t *testing.T) {
	s := withRun(t, 80, 24, fakeRun{schemes: fewSchemes}).keys("4", "down", "l", "t")
	s.shows("iht:bucket=8,threshold=25")
	must.Match(t, s.m.screen, onStep)
	s.keys("space", "esc", "t")
	must.Hold(t, s.m.screen == onStep && s.m.stepper.at != 0, "the steps were forgotten")
	s.keys(":").typed("step chained").keys("enter", "space", "esc")
	must.Hold(t, s.m.screen == onInside && s.m.stepper.config.Name == "chained", "screen %d, %v", s.m.screen, s.m.stepper.config)
	s.keys(":").typed("step chaind").keys("enter")
	s.shows(`"chaind": did you mean chained?`)
	s.m.leave()

	s = newStage(t, 80, 24, fakeRun{}, Options{}).keys("t")
	must.Hold(t, s.m.screen == onStart && s.m.message.bad, "%s", s.screen())
	s.keys("tab", "down", "t")
	must.Match(t, s.m.screen, onStep, s.screen())
	s.keys("esc")
	must.Match(t, s.m.screen, onStart, s.screen())
	s.m.leave()
}

// Without colors and Unicode the place is marked, too.
func TestStepsInASCII(t *testing.T) {
	s := withSteps(t, 80, 24, "bcht")
	s.m.canvas.ascii = true
	s.keys("space")
	s.shows("#>bucket ", "#========")
	must.Match(t, strings.Count(s.screen(), "?"), 1)
}

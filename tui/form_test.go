package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// someSchemes are the schemes of the form in tests, so that a new scheme changes no screen.
func someSchemes(t must.Test) (list []*schemes.Scheme) {
	t.Helper()
	for _, name := range []string{"1cht", "bcht", "chained", "dycuckoo", "iht", "linear", "slab", "stash"} {
		s := must.Get(schemes.Find(name))(t)
		list = append(list, s)
	}
	return list
}

func TestFormChoosesWhatIsRun(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		want       Choice
	}{
		{"as it is", "enter", Choice{Script: "quickstart", Device: "cpu", Seed: 1}},
		{"another script, device, seed", "down tab tab right down 7 7 enter enter", Choice{Script: "ycsb/a", Device: "cuda:0", Seed: 77}},
		{"one scheme", "a tab tab tab end space enter", Choice{Script: "quickstart", Device: "cpu", Seed: 1, Schemes: []string{"stash"}}},
		{"a parameter", "tab down right down right left left " + strings.Repeat("up ", 2) + "space " + strings.Repeat("down ", 10) + strings.Repeat("down space ", 6) + "enter",
			Choice{Script: "quickstart", Device: "cpu", Seed: 1, Schemes: []string{"bcht:bucket=4"}}},
		{"options", "tab tab down down e backspace 7 enter down down e , 1 enter enter",
			Choice{Script: "quickstart", Device: "cpu", Seed: 1, Set: []string{"n=1e7"}, Axis: []string{"load=0.6,0.8,0.9,1"}}},
	} {
		s := newStage(t, 120, 40, fakeRun{schemes: fewSchemes}, Options{Theme: "dark"}).keys(strings.Fields(c.keys)...)
		must.Need(t, len(s.host.started) == 1, "%s: %d runs were started; %v\n%s", c.name, len(s.host.started), s.m.form.failure, s.screen())
		must.Match(t, s.host.started[0], c.want, c.name)
		must.Hold(t, s.m.screen == onOverview, "%s: screen %d", c.name, s.m.screen)
	}
}

// A filter shows the scripts that contain a text, and keeps the chosen one if it is among them.
func TestFormFiltersScripts(t *testing.T) {
	s := newStage(t, 120, 40, fakeRun{schemes: fewSchemes}, Options{}).keys("down", "tab", "/").typed("YCSB")
	s.shows("▸scripts with YCSB: 2 of 4", "● ycsb/a")
	s.lacks("quickstart")
	s.keys("enter", "down", "enter")
	must.Hold(t, len(s.host.started) == 1 && s.host.started[0].Script == "yesterday.rec", "%v", s.host.started)
	s.keys("0", "/").typed("nowhere").keys("enter", "enter")
	got := s.screen()
	must.Hold(t, len(s.host.started) == 1 && strings.Count(got, "no script has nowhere in it: esc shows all") == 2, "%s", got)
	s.keys("esc").shows("● quickstart")
	s.keys("/").typed("rec").keys("esc")
	must.Hold(t, s.m.form.filter == "" && s.m.prompt.sign == "", "after esc: filter %q, prompt %q", s.m.form.filter, s.m.prompt.sign)
}

// The form shows what is typed, where a first digit replaces the old value, what is wrong until the next key, and what
// keys do to the row with the focus. Nothing is started.
func TestFormShows(t *testing.T) {
	for keys, want := range map[string]string{
		"tab":                             "→ parameters",
		"tab right down":                  "→ value",
		"tab tab":                         "e edit",
		"down":                            "enter run  / filter  a all  tab part",
		"tab tab down e 4 2":              "seed          42",
		"tab tab down e , 2":              "seed          1,2",
		"tab tab down 9 9":                "seed          99",
		"tab tab down 9 esc":              "seed          1 ",
		"tab tab down 9 enter":            "seed          9 ",
		"tab tab down down e a b c enter": `n             1e6abc     option n is "1e6abc"`,
		"down down enter":                 "broken.lua: broken.lua:3: unexpected symbol near 'end'",
		"a enter":                         "no scheme is chosen: space chooses one",
		"a enter space":                   "copy  tab part",
		"tab tab down e - enter enter":    `seed is "1-": it takes a whole number, 0 to 2^63-1`,
		"tab down right down e backspace backspace 7 enter enter": `scheme bcht: parameter bucket is "7": it takes 1, 2, 4, 8, 16, 32`,
	} {
		s := newStage(t, 120, 40, fakeRun{schemes: fewSchemes}, Options{}).keys(strings.Fields(keys)...)
		if len(s.host.started) != 0 || !strings.Contains(s.screen(), want) || strings.HasSuffix(keys, "space") && strings.Contains(s.screen(), "no scheme is") {
			t.Errorf("%s: started %v, and the screen does not say %s\n%s", keys, s.host.started, want, s.screen())
		}
	}
}

// Beside a run the form shows what runs, also a script from elsewhere, and digits are screens where they are no values.
func TestFormOfARun(t *testing.T) {
	choice := Choice{Script: "mine.lua", Device: "cuda:0", Seed: 7, Schemes: []string{"bcht:bucket=4"}, Set: []string{"n=5"}, Axis: []string{"load=0.5,0.6"}}
	s := newStage(t, 120, 40, fakeRun{schemes: fewSchemes}, Options{})
	s.m.launch(choice)
	s.do(s.m.started())
	s.keys("0")
	got, err := s.m.form.chosen()
	must.OK(t, err)
	must.Match(t, got, choice)
	s.keys("2")
	must.Match(t, s.m.screen, onCompare)
	s.keys("0", "tab", "tab", "down", "2")
	must.Hold(t, s.m.screen == onStart && s.m.form.editing, "screen %d after 2 on the seed", s.m.screen)
}

func TestFormCopiesASchemeForOtherParameters(t *testing.T) {
	s := newStage(t, 120, 40, fakeRun{schemes: fewSchemes}, Options{}).keys(strings.Fields("tab down c down right enter")...)
	got := strings.Join(s.host.started[0].Schemes, " ")
	must.Hold(t, strings.Contains(got, " bcht bcht:bucket=16 "), "%v", got)
}

func TestFormBeginsAsTheDefaultsSay(t *testing.T) {
	catalog := (&fakeHost{}).Catalog()
	catalog.Default = Choice{Script: "ycsb/a", Device: "cuda:0", Seed: 9, Schemes: []string{"bcht", "bcht:bucket=4", "slab"}}
	f := newForm(catalog, someSchemes(t))
	got := must.Get(f.chosen())(t)
	must.Match(t, got, catalog.Default)
	catalog.Default.Schemes = []string{"bcht,bcht:bucket=4,slab"} // as --schemes has it
	f = newForm(catalog, someSchemes(t))
	again, _ := f.chosen()
	must.Hold(t, cmp.Equal(got, again), "%v instead of %v", again.Schemes, got.Schemes)
}

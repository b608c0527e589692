package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/schemes"
)

// someSchemes are those that the screens of tests have: another scheme in the zoo changes none.
func someSchemes(t fataler) (list []*schemes.Scheme) {
	t.Helper()
	for _, name := range []string{"1cht", "bcht", "chained", "dycuckoo", "iht", "linear", "slab", "stash"} {
		s, err := schemes.Find(name)
		if err != nil {
			t.Fatal(err)
		}
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
		{"a parameter", "tab down right down right left left " + strings.Repeat("up ", 2) + "space " + strings.Repeat("down ", 8) + strings.Repeat("down space ", 6) + "enter",
			Choice{Script: "quickstart", Device: "cpu", Seed: 1, Schemes: []string{"bcht:bucket=8"}}},
		{"options", "tab tab down down e backspace 7 enter down down e , 1 enter enter",
			Choice{Script: "quickstart", Device: "cpu", Seed: 1, Set: []string{"n=1e7"}, Axis: []string{"load=0.6,0.8,0.9,1"}}},
	} {
		s := newStage(t, 120, 40, fakeRun{schemes: fewSchemes}, Options{Theme: "dark"}).keys(strings.Fields(c.keys)...)
		if len(s.host.started) != 1 {
			t.Errorf("%s: %d runs were started; %v\n%s", c.name, len(s.host.started), s.m.form.failure, s.screen())
			continue
		}
		if diff := cmp.Diff(c.want, s.host.started[0]); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if s.m.screen != onOverview {
			t.Errorf("%s: screen %d", c.name, s.m.screen)
		}
	}
}

func TestFormCopiesASchemeForOtherParameters(t *testing.T) {
	s := newStage(t, 120, 40, fakeRun{schemes: fewSchemes}, Options{}).keys(strings.Fields("tab down c down right enter")...)
	got := strings.Join(s.host.started[0].Schemes, " ")
	if !strings.Contains(got, " bcht bcht:bucket=32 ") {
		t.Error(got)
	}
}

func TestFormRefuses(t *testing.T) {
	for keys, want := range map[string]string{
		"down down enter":              "broken.lua: broken.lua:3: unexpected symbol near 'end'",
		"a enter":                      "no scheme is chosen: space chooses one",
		"tab tab down e - enter enter": `seed "1-": it is a whole number, 0 to 2^64-1`,
		"tab down right down e backspace backspace 7 enter enter": `scheme bcht: parameter bucket is "7": it takes 1, 2, 4, 8, 16, 32`,
	} {
		s := newStage(t, 120, 40, fakeRun{schemes: fewSchemes}, Options{}).keys(strings.Fields(keys)...)
		if len(s.host.started) != 0 || !strings.Contains(s.screen(), want) {
			t.Errorf("%s: started %v, and the screen does not say %s\n%s", keys, s.host.started, want, s.screen())
		}
	}
}

func TestFormBeginsAsTheDefaultsSay(t *testing.T) {
	catalog := (&fakeHost{}).Catalog()
	catalog.Default = Choice{Script: "ycsb/a", Device: "cuda:0", Seed: 9, Schemes: []string{"bcht", "bcht:bucket=8", "slab"}}
	f := newForm(catalog, someSchemes(t))
	got, err := f.chosen()
	if diff := cmp.Diff(catalog.Default, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

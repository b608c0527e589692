package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

func TestOverride(t *testing.T) {
	axes := []Axis{{"load", []any{0.5}}, {"keys", []any{"uniform"}}, {"sorted", []any{true}}}
	for setting, want := range map[string]string{
		"load=0.6:0.9:0.1":     "[0.6 0.7 0.8 0.9]",
		"load=0.9:0.6:-0.1":    "[0.9 0.8 0.7 0.6]",
		"load=1:2:3":           "[1]",
		"load=1k:1M:*10":       "[1000 10000 100000 1e+06]",
		"load=8:1:*0.5":        "[8 4 2 1]",
		"load=0.1":             "[0.1]",
		"load=0.1, 20k,3M,1e9": "[0.1 20000 3e+06 1e+09]",
		"keys=zipfian,a b":     "[zipfian a b]",
		"keys=0.5:1:0.1":       "[0.5:1:0.1]",
		"sorted=true,false":    "[true false]",
	} {
		got := must.Get(Override(axes, []string{setting}))(t)
		name, _, _ := strings.Cut(setting, "=")
		for i := range got {
			if given := fmt.Sprint(got[i].Values); got[i].Name == name && given != want {
				t.Errorf("%s: %s instead of %s", setting, given, want)
			} else if got[i].Name != name && given != fmt.Sprint(axes[i].Values) {
				t.Errorf("%s changed %s", setting, got[i].Name)
			}
		}
	}
	must.Match(t, fmt.Sprint(axes[0].Values), "[0.5]", "the script's own axes were changed")
}

func TestWrongOverride(t *testing.T) {
	axes := []Axis{{"load", []any{0.5}}, {"sorted", []any{true}}, {"keys", []any{"uniform"}}}
	for setting, want := range map[string]string{
		"laod=1":           `unknown axis "laod": did you mean load?`,
		"load":             `axis "load": write name=from:to:step or name=value,value`,
		"load=0.5,many":    `axis load is "0.5,many": "many" is no value: it takes numbers, such as 0.6,0.8 or 0.5:0.9:0.1 or 1k:1M:*10`,
		"load=1:x:2":       `axis load is "1:x:2": "x" is no number: it takes from:to:step or from:to:*factor, such as 0.5:0.9:0.1 or 1k:1M:*10`,
		"load=1:2:0":       `axis load is "1:2:0": from 1 to 2 by 0: it takes steps that lead there, at most 100000 of them`,
		"load=1:2:-1":      `axis load is "1:2:-1": from 1 to 2 by -1: it takes steps that lead there, at most 100000 of them`,
		"load=0:1:*2":      `axis load is "0:1:*2": from 0 to 1 times 2: it takes numbers above 0 and a factor that leads there`,
		"load=1:2:*0.5":    `axis load is "1:2:*0.5": from 1 to 2 times 0.5: it takes numbers above 0 and a factor that leads there`,
		"load=0:1:1e-9":    `axis load is "0:1:1e-9": from 0 to 1 by 1e-09: it takes steps that lead there, at most 100000 of them`,
		"load=0:inf:1":     `axis load is "0:inf:1": "inf" is no number: it takes from:to:step or from:to:*factor, such as 0.5:0.9:0.1 or 1k:1M:*10`,
		"sorted=yes":       `axis sorted is "yes": "yes" is no value: it takes true and false`,
		"keys=uniform,,ab": `axis keys is "uniform,,ab": "" is no value: it takes texts with commas between them`,
	} {
		must.Equal(t, must.Err(Override(axes, []string{setting})), want, setting)
	}
	must.Equal(t, must.Err(Override(nil, []string{"load=1"})), `unknown axis "load": there are none`)
}

func TestTooManyPoints(t *testing.T) {
	long := make([]any, 1000)
	for i := range long {
		long[i] = float64(i)
	}
	must.Say(t, must.Err(Points([]Axis{{"a", long}, {"b", long}})), "more than 100000 points")
}

func TestWrongConditions(t *testing.T) {
	for text, want := range map[string]string{
		"find.mops => 1":     "write a result, a comparison",
		"find.mops > many":   `"many" is no number`,
		"find.mosp > 1":      `unknown result "mosp": did you mean mops or ms?`,
		"steedy.find.ms > 1": `unknown phase "steedy": did you mean steady?`,
		"find.mops > 1 2":    "write a result, a comparison",
		"find.mops > inf":    `"inf" is no number`,
	} {
		err := must.Err(parseConditions([]string{text}, []Stage{{Name: "warm up"}, {Name: "steady"}}))
		must.Begin(t, err, fmt.Sprintf("threshold %q: ", text), text)
		must.Say(t, err, want, text)
	}
}

func TestConditions(t *testing.T) {
	all := map[string]any{"failed": 0.0, "scheme": "bcht", "find": map[string]any{"mops": 10.0}, "warm up": map[string]any{"find": map[string]any{"ms": 2.5}}}
	own := map[string]any{"lookups a second": 1e7, "find.mops": 11.0}
	for text, holds := range map[string]bool{
		"failed == 0": true, "failed==0": true, "failed != 0": false, "failed ~= 0": false, "failed < 0": false, "failed <= 0": true,
		"failed >= 0": true, "failed > 0": false, "lookups a second > 9M": true, " warm up.find.ms<2.6 ": true,
		"find.mops == 11": true, // the script's own comes first
	} {
		list := must.Get(parseConditions([]string{text}, []Stage{{Name: "warm up"}}))(t)
		must.Match(t, must.Get(list[0].check(all, own))(t).Holds, holds, text)
	}
	for text, want := range map[string]string{
		"faild > 0":         `threshold "faild > 0": unknown result "faild": did you mean failed?`,
		"insert.mops > 0":   `threshold "insert.mops > 0": unknown result "insert.mops": choose from failed, find.mops, lookups a second, scheme, warm up.find.ms`,
		"scheme == 1":       `threshold "scheme == 1": scheme is bcht, which is no number`,
		"lookups a sec > 1": `threshold "lookups a sec > 1": unknown result "lookups a sec": did you mean lookups a second?`,
	} {
		list := must.Get(parseConditions([]string{text}, nil))(t)
		must.Equal(t, must.Err(list[0].check(all, own)), want, text)
	}
}

func TestStageNames(t *testing.T) {
	got, err := Named([]Stage{{}, {Name: "warm up"}, {}})
	must.Hold(t, err == nil && got[0].Name == "run 1" && got[1].Name == "warm up" && got[2].Name == "run 3", "%v, %v", got, err)
	for _, list := range [][]Stage{{{Name: "find"}}, {{Name: "a"}, {Name: "a"}}, {{Name: "prepare"}}, {{Name: "mops"}}, {{Name: "mix"}}, {{Name: "load"}}} {
		must.Say(t, must.Err(Named(list)), "is taken", list)
	}
}

package schemes

import (
	"math"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// A stable scheme whose pairs move with some parameters reports so.
func TestStableUnlessChosen(t *testing.T) {
	s := Scheme{
		Caps:   Capabilities{Stable: true},
		Params: []Param{{Name: "grow", Words: []string{"no", "yes"}}, {Name: "n", Min: 0, Max: 1 << 40}},
	}
	if c := s.Defaults(); !c.Caps.Stable || s.Moves != nil {
		t.Error("a stable scheme is not")
	}
	s.Moves = []string{"grow=yes"}
	c, err := s.Defaults().With("grow", "yes")
	must.Hold(t, err == nil && !c.Caps.Stable && s.Defaults().Caps.Stable && strings.Join(s.Moves, " ") == "grow=yes",
		"%v, %v, %v", c.Caps.Stable, s.Moves, err)
}

// The constants never make a hash function degenerate.
func TestHashConstants(t *testing.T) {
	for seed := range uint64(2000) {
		for _, family := range []uint32{kernels.Fast, kernels.Universal} {
			for i, h := range hashConstants(seed, family) {
				fast := h.A%2 == 1
				universal := h.A >= 1 && h.A < prime && h.B < prime && h.C >= 1 && h.C < prime
				must.Need(t, (family != kernels.Fast || fast) && (family != kernels.Universal || universal), "seed %d, family %d, function %d: %+v", seed, family, i, h)
			}
		}
	}
}

func TestPairs(t *testing.T) {
	for _, c := range []struct {
		pair                   Pair
		name                   string
		empty, erased, noValue uint64
	}{
		{Pair4, "k4v4", 0xffffffff, 0xfffffffe, 0xffffffff},
		{Pair8, "k8v8", math.MaxUint64, math.MaxUint64 - 1, math.MaxUint64},
		{Pair{8, 4}, "k8v4", math.MaxUint64, math.MaxUint64 - 1, 0xffffffff},
	} {
		p := c.pair
		if p.String() != c.name || p.EmptyKey() != c.empty || p.ErasedKey() != c.erased || p.NoValue() != c.noValue || p.Bytes() != p.Key+p.Value {
			t.Errorf("%v: %s, keys %#x and %#x, no value %#x", c, p, p.EmptyKey(), p.ErasedKey(), p.NoValue())
		}
	}
}

func TestParseFiguresRefuses(t *testing.T) {
	const good = "# measured: here\nsettings,load,op,present,counter,per_op,within\n"
	for text, want := range map[string]string{
		"":                                     "1: there is no header",
		"# derived: x\nload,colour\n0.5,red\n": `3: unknown column "colour"`,
		good + ",half,find,,probes,1,0.1\n":    `3: column load is "half": it takes a number`,
		good + "0.5\n":                         "3: 1 cells: the header has 7",
		good + ",0.5,erase,,probes,1,0.1\n":    `3: op is "erase": it takes insert, find`,
		good + ",0.5,find,,probe,1,0.1\n":      `3: unknown counter "probe": did you mean probes`,
		good + ",0.5,find,125,probes,1,0.1\n":  "3: present is 125: it takes 0 to 100",
		good + ",0.5,find,0,probes,-8,0.1\n":   "3: per_op is -8: it takes more than 0",
		good + ",0.5,find,0,probes,1,0\n":      "3: within is 0: it takes more than 0, such as 0.02",
		"load,op\n0.5,find\n":                  "2: a figure without a source: write it above",
		"# from a paper\nload,op\n0.5,find\n":  "3: a figure without a source",
		good + "\n\"half,find,,probes,1,0.1\n": "4: ",
		strings.Replace(good, "load,", "", 1) + ",insert,,probes,1,0.1\n": "3: load is 0",
	} {
		_, err := ParseFigures(text)
		must.Hold(t, err != nil && strings.HasPrefix(err.Error(), want), "%q: %v, want %q", text, err, want)
	}
}

func TestSourcesOfFigures(t *testing.T) {
	list, err := ParseFigures(`# derived: by a formula
# on two lines
#
# This explains the columns.
load,op,counter,per_op,within
0.5,find,probes,1,0.1
# published: in a paper
0.6,find,probes,1,0.1
`)
	want := []Source{{"derived", "by a formula on two lines"}, {"published", "in a paper"}}
	must.Hold(t, err == nil && len(list) == 2 && list[0].Source == want[0] && list[1].Source == want[1], "%+v, %v", list, err)
}

package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// machine makes runs of a program that takes a second for each operation, as a machine would
// that is noisy within runs and between them.
type machine struct {
	*rand.Rand
	within, between float64
}

func (m machine) row(scheme string, slower float64, runs int) results.Row {
	level := slower * math.Exp(m.between*m.NormFloat64())
	r := results.Row{Scheme: scheme, Op: "find", Pair: "k4v4", N: 1e6, Completed: 1e6, Input: "same", Point: results.Point{"load": 0.8}}
	for range runs {
		r.Runs = append(r.Runs, level*math.Exp(m.within*m.NormFloat64()))
	}
	r.Median = median(r.Runs)
	r.Rate = 1 / r.Median
	noise := 1.96 * m.within
	r.Noise = &noise
	return r
}

// side is a number of runs of some schemes.
func (m machine) side(name string, slower float64, files, schemes int) Side {
	s := Side{Name: name}
	for range files {
		f := File{}
		f.Run.Command = []string{"hashzoo", "bench"}
		for i := range schemes {
			f.Rows = append(f.Rows, m.row(fmt.Sprint("scheme", i), slower, 10))
		}
		s.Files = append(s.Files, f)
	}
	return s
}

var defaults = Options{Least: Least, Spread: Spread}

func TestEqualRunsAreNotDifferent(t *testing.T) {
	for _, files := range []int{1, 2, 5} {
		wrong, rows := 0, 0
		for seed := range uint64(200) {
			m := machine{rand.New(rand.NewPCG(seed, uint64(files))), 0.02, 0.04}
			c := Compare(m.side("old", 1, files, 8), m.side("new", 1, files, 8), defaults)
			wrong += c.Count(Faster, 0) + c.Count(Slower, 0)
			rows += len(c.Rows)
		}
		limit := rows / 50
		must.Hold(t, wrong <= limit && rows == 1600, "%d files: %d of %d equal rows are faster or slower, want at most %d", files, wrong, rows, limit)
	}
}

// Rows of four batches, on a machine that takes a third longer every now and then.
func TestRowsOfFewBatches(t *testing.T) {
	sides := func(seed uint64, files int, slower float64) (old, fresh Side) {
		m := machine{rand.New(rand.NewPCG(seed, 2)), 0.02, 0.3}
		old, fresh = m.side("old", 1, files, 8), m.side("new", slower, files, 8)
		for _, f := range slices.Concat(old.Files, fresh.Files) {
			for k := range f.Rows {
				f.Rows[k].Runs, f.Rows[k].Batches, f.Rows[k].Noise = f.Rows[k].Runs[:4], 4, nil
			}
		}
		fresh.Files[0].Run.Command = []string{"hashzoo", "run", "few batches.lua", "--record", "x.rec", "--json=x.json"}
		return old, fresh
	}
	for seed := range uint64(50) {
		old, fresh := sides(seed, 1, 1)
		by := must.Get(BySchemes(fresh, "", defaults))(t)
		for _, c := range []Comparison{Compare(old, fresh, defaults), by} {
			must.Need(t, c.Count(Unclear, 0) == len(c.Rows) && len(c.Rows) >= 7, "single runs of four batches say something: %+v", c.Rows)
			for _, format := range Formats {
				var text bytes.Buffer
				err := c.Write(&text, format)
				must.Need(t, err == nil, "%s: %v", format, err)
				want := "hint: run more batches, or repeat each run: hashzoo run 'few batches.lua' --processes 5 --json FILE"
				must.Need(t, format != "table" || strings.Contains(text.String(), want), "lacks %q:\n%s", want, &text)
			}
		}
	}
	old, fresh := sides(1, 12, 4)
	if c := Compare(old, fresh, defaults); c.Count(Slower, 0) != 8 {
		t.Errorf("repeated runs that are four times as slow are not found: %+v", c.Rows)
	}
}

func TestRepeated(t *testing.T) {
	for given, want := range map[string]string{
		"hashzoo bench bcht --json - --quiet":                               "hashzoo bench bcht --quiet --processes 3",
		"hashzoo run a --processes=2 --record r --materialise --baseline b": "hashzoo run a --processes 3",
		"hashzoo replay r.rec --ndjson x":                                   "hashzoo replay r.rec",
	} {
		words, repeats := Repeated(strings.Fields(given), 3)
		got := strings.Join(words, " ")
		must.Hold(t, got == want && repeats == strings.Contains(want, "--processes"), "%s: %q, %v, want %q", given, got, repeats, want)
	}
}

func TestSlowerRunsAreFound(t *testing.T) {
	found, rows := 0, 0
	for seed := range uint64(200) {
		m := machine{rand.New(rand.NewPCG(seed, 1)), 0.01, 0.01}
		c := Compare(m.side("old", 1, 5, 8), m.side("new", 1.05, 5, 8), defaults)
		found += c.Count(Slower, 0)
		rows += len(c.Rows)
	}
	least := rows * 95 / 100
	must.Hold(t, found >= least, "%d of %d rows that are 5 percent slower were found, want %d", found, rows, least)
}

func TestSchemesOfARun(t *testing.T) {
	m := machine{rand.New(rand.NewPCG(1, 1)), 0.02, 0.1}
	one := m.side("run", 1, 1, 2)
	two := &one.Files[0].Rows[1] // 10 percent slower, disturbed alike
	for k, seconds := range one.Files[0].Rows[0].Runs {
		two.Runs[k] = 1.1 * seconds
	}
	two.Median = median(two.Runs)
	two.Rate = 1 / two.Median
	c, err := BySchemes(one, "", defaults)
	must.Hold(t, err == nil && len(c.Rows) == 1 && c.Rows[0].Verdict == Slower && math.Abs(c.Rows[0].Ratio-1/1.1) <= 1e-9, "%+v, %v", c.Rows, err)
	must.Hold(t, must.Err(BySchemes(one, "nobody", defaults)) != nil, "a scheme that is not in the results is no error")
}

func TestOnlyEqualInputsAreCompared(t *testing.T) {
	m := machine{rand.New(rand.NewPCG(1, 1)), 0.01, 0.01}
	old, fresh := m.side("old", 1, 1, 4), m.side("new", 1, 1, 4)
	rows := fresh.Files[0].Rows
	rows[0].Input = "another"
	rows[1].Scheme = "renamed"
	rows[2].Compare = "the inputs differ"
	rows[3].Rate = 0
	var text bytes.Buffer
	must.OK(t, Compare(old, fresh, defaults).Write(&text, "table"))
	for _, line := range []string{
		"not compared, another input: digests same and another: scheme0 find load=0.8",
		"not compared, only in old: scheme1 find load=0.8",
		"not compared, only in new: renamed find load=0.8",
		"not compared, the inputs differ: scheme2 find load=0.8",
		"not compared, no rate: nothing completed, or faster than the clock: scheme3 find load=0.8",
		"nothing to compare",
	} {
		must.Has(t, text.String(), line+"\n")
	}
}

func TestInPlace(t *testing.T) {
	m := machine{rand.New(rand.NewPCG(1, 1)), 0.01, 0.01}
	old, fresh := m.side("old", 1, 2, 3), m.side("new", 1, 2, 3)
	for _, f := range fresh.Files {
		f.Rows[1].Input = "another"
		f.Rows[0], f.Rows[2] = f.Rows[2], f.Rows[0]
	}
	var schemes []string
	for _, r := range Compare(old, fresh, defaults).InPlace() {
		name := "-"
		if r != nil {
			name = r.Scheme
		}
		schemes = append(schemes, name)
	}
	must.Match(t, strings.Join(schemes, " "), "scheme2 - scheme0")
	rates := old.Rates()
	if key := KeyOf(old.Files[0].Rows[1]); len(rates) != 3 || rates[key] != middle([]results.Row{old.Files[0].Rows[1], old.Files[1].Rows[1]}) {
		t.Errorf("rates %v", rates)
	}
}

func TestWarnings(t *testing.T) {
	m := machine{rand.New(rand.NewPCG(1, 1)), 0.01, 0.01}
	old, fresh := m.side("old", 1, 2, 1), m.side("new", 1, 1, 1)
	old.Files[0].Run.Device.Model, old.Files[1].Run.Device.Model = "A", "B"
	fresh.Files[0].Run.Device.Model = "B"
	c := Compare(old, fresh, defaults)
	want := "device differs: A and B, then B"
	must.Hold(t, len(c.Warnings) == 1 && c.Warnings[0] == want, "warnings %q, want %q", c.Warnings, want)
}

func TestWarningsOfTheMachine(t *testing.T) {
	gpu := func(mhz, others float64, throttled ...string) Side {
		s := machine{rand.New(rand.NewPCG(1, 1)), 0.01, 0.01}.side("", 1, 2, 1)
		for i := range s.Files {
			state := device.State{Throttled: append([]string{}, throttled...), Governor: "performance"}
			state.Set(device.GPUClock, mhz)
			state.Set(device.CPUWaiting, others)
			s.Files[i].Run.Host.CPUs, s.Files[i].Run.Device.Driver = 16, "1"
			s.Files[i].End.Conditions = results.Weather([]device.State{state, state, {Throttled: []string{}}})
		}
		return s
	}
	silent := gpu(1980, 0)
	for i := range silent.Files {
		silent.Files[i].End.Conditions = nil
	}
	for _, c := range []struct {
		old, fresh Side
		want       string
	}{
		{gpu(1980, 0), gpu(1965, 1), ""},
		{gpu(1980, 0), gpu(1755, 0, "power cap"), "GPU throttling differs: none, then power cap; GPU clock differs: 1980, then 1755 MHz"},
		{gpu(1980, 25), gpu(1980, 20), "the machine was busy on both sides: at least 20 threads of other programs shared 16 CPUs with it; equal runs may differ by much"},
		{gpu(1980, 15), gpu(1980, 15), ""}, // a CPU is left for the program
		{gpu(1980, 9), gpu(1980, 0), "load by other programs differs: 9, then 0 threads"},
		{gpu(1980, 0), silent, ""}, // results of older builds say nothing
	} {
		must.Match(t, strings.Join(Compare(c.old, c.fresh, defaults).Warnings, "; "), c.want)
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		e    Estimate
		want Kind
	}{
		{Estimate{Ratio: 1.10, Low: 1.05, High: 1.15}, Faster},
		{Estimate{Ratio: 0.90, Low: 0.85, High: 0.95}, Slower},
		{Estimate{Ratio: 1.00, Low: 0.99, High: 1.01}, Same},
		{Estimate{Ratio: 1.01, Low: 1.005, High: 1.015}, Same}, // certain, and too small to matter
		{Estimate{Ratio: 1.01, Low: 1.005, High: 1.03}, Unclear},
		{Estimate{Ratio: 1.10, Low: 0.99, High: 1.21}, Unclear},
		{Estimate{Ratio: 1.10, Low: math.NaN(), High: math.NaN()}, Unclear},
		{Estimate{Ratio: 1.10, Low: 0, High: math.Inf(1)}, Unclear},
	} {
		must.Match(t, c.e.Verdict(Least), c.want, c.e)
	}
}

// The example of Benjamini and Hochberg 1995, section 3.2: four of the 15 are discoveries.
func TestDiscoveries(t *testing.T) {
	ps := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1}
	most := discoveries(ps)
	must.Hold(t, most == 0.0095, "up to %v, want 0.0095", most)
}

func TestFormats(t *testing.T) {
	m := machine{rand.New(rand.NewPCG(1, 1)), 0.01, 0.01}
	c := Compare(m.side("a|b", 1, 3, 2), m.side("new", 2, 3, 2), defaults)
	for _, format := range Formats {
		var text bytes.Buffer
		must.OK(t, c.Write(&text, format))
		must.Has(t, text.String(), "scheme1")
		must.Hold(t, format != "benchfmt" || strings.Count(text.String(), "side: new\n") == 1, "benchstat cannot tell the sides apart:\n%s", &text)
	}
}

func TestReadSide(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, change func(*results.Document)) string {
		d := results.Document{Schema: results.Schema, Rows: []results.Row{machine{rand.New(rand.NewPCG(1, 1)), 0.01, 0.01}.row("a", 1, 3)}}
		change(&d)
		text := must.Get(json.Marshal(d))(t)
		path := filepath.Join(dir, name)
		must.OK(t, os.WriteFile(path, text, 0o600))
		return path
	}
	whole := write("whole.json", func(*results.Document) {})
	write("other.json", func(*results.Document) {})
	for name, files := range map[string]int{whole: 1, dir: 2, dir + "," + whole: 3} {
		s, err := ReadSide(name)
		must.Hold(t, err == nil && len(s.Files) == files, "%s has %d files, want %d: %v", name, len(s.Files), files, err)
	}
	for name, want := range map[string]string{
		write("cut.json", func(d *results.Document) { d.End.Interrupted = true }):   "the run did not end (it was interrupted)",
		write("empty.json", func(d *results.Document) { d.Rows = []results.Row{} }): "has no rows",
		write("later.json", func(d *results.Document) { d.Schema = "later" }):       `schema is "later"`,
		t.TempDir():                        "has no results",
		filepath.Join(dir, "nothing.json"): "no such file",
	} {
		must.Say(t, must.Err(ReadSide(name)), want, name)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want float64
	}{{[]float64{7}, 7}, {[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}, {[]float64{9, 1, 2, 8, 3}, 3}} {
		must.Match(t, median(c.list), c.want, c.list)
	}
}

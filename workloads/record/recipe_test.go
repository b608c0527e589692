package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/schemes"
)

// A recording reads as what was done, and written again it is the same text.
func TestRecipeIsWhatWasDone(t *testing.T) {
	path := stoppedFor(t, "it\n was \"interrupted\"", everything, Recipe, "slab", "bcht:bucket=4", "1cht")
	r := must.Get(Open(path, false))(t)
	must.Hold(t, len(r.Points) == 2 && r.Batches == 2*(1+3*2+2*4) && r.Seed == 5 && r.Script.Source == everything,
		"%d points, %d batches, seed %d", len(r.Points), r.Batches, r.Seed)
	want := `the run ended early, after batch 30, in phase second, paced at size=large: it was "interrupted"`
	must.Hold(t, r.Missing() == want && strings.HasSuffix(r.Title(), want), "%q, %q", r.Missing(), r.Title())
	must.Match(t, r.Points[0].Also, []string{"bcht:bucket=4", "1cht"})
	must.Match(t, r.Options, []Option{{"n", "200"}, {"word", `"two" words`}})
	p := r.Points[1]
	must.Hold(t, p.At.String() == "size=large" && p.Scheme == "slab" && p.Shape.N == 2000 && p.Shape.Load == 0.5 && p.Shape.Pair.Key == 4, "%+v", p)
	first, second := p.Phases[1], p.Phases[2]
	must.Hold(t, first.Warmup == 1 && len(first.Items) == 6 && first.Items[0].Batch.Warmup && !first.Items[2].Batch.Warmup && first.Items[5].Batch.Round == 3,
		"%+v", first)
	must.Hold(t, second.Name == "second, paced" && second.Rate == 1e9 && len(second.Items) == 10 && second.Items[0].Batch == nil &&
		!second.Items[0].Clear.Reseed && second.Items[5].Clear.Reseed && second.Items[3].Batch.Op == "flush" && second.Items[4].Batch.At != 0, "%+v", second)
	must.Match(t, second.Items[2].Batch.Check, CheckCounts, "a mix of finds and updates on the same keys is checked by")
	must.Match(t, written(r), string(contents(t, path)))
}

// written is a recipe written again.
func written(r *Recording) string {
	var out bytes.Buffer
	w, _ := newWriter(regular.Through(&out), r.Header)
	for _, l := range r.lines {
		_ = w.add(l, nil)
	}
	if r.Stopped != "" {
		_ = w.add(stoppedLine(r.Stopped), nil)
	}
	_ = w.finish()
	return out.String()
}

// A replay gives the same on the scheme that was recorded, and on others; with the oracle, and at any pace.
func TestReplays(t *testing.T) {
	r := must.Get(Open(recorded(t, everything, Recipe, "slab"), false))(t)
	for _, pace := range []Pace{{}, {Recorded: true, Speed: 1e6}, {Rate: 1e9}} {
		c, err := replayed(t, r, pace, true, "slab", "bcht", "1cht")
		must.OK(t, errors.Join(err, c.Err()))
		for _, v := range c.Verdicts() {
			must.Hold(t, v.Batches == 2*(1+3*2+2*3) && v.Counts == 4 && v.Legal == 0, "%+v", v)
		}
	}
}

// Another result is reported with the first batch that has it; another input ends the replay there.
func TestReplaysPart(t *testing.T) {
	text := string(contents(t, recorded(t, everything, Recipe, "bcht")))
	r, err := readBytes(sealed(strings.Replace(text, `"n":100,"warmup":true`, `"n":100`, 1)))
	must.OK(t, err) // it is the same in all that counts
	c, err := replayed(t, r, Pace{}, false, "1cht")
	must.OK(t, errors.Join(err, c.Err()))

	number := r.Points[0].Phases[1].Items[0].Batch
	r = must.Get(readBytes(sealed(strings.Replace(text, number.Result, strings.Repeat("0", 32), 1))))(t)
	c = must.Get(replayed(t, r, Pace{}, false, "1cht", "bcht"))(t)
	must.Say(t, c.Err(), "scheme 1cht: batch 2 (find 100) of phase first at size=small: its results have the digest")
	must.Hold(t, errors.Is(c.Err(), ErrDiffers), "%v", c.Err())
	v := c.Verdicts()
	must.Hold(t, len(v) == 2 && v[1].Differ == 1, "%+v", v)
	r = must.Get(readBytes(sealed(strings.Replace(text, number.Input, strings.Repeat("0", 32), 1))))(t)
	_, err = replayed(t, r, Pace{}, false, "1cht")
	must.Hold(t, err != nil && strings.Contains(err.Error(), "the replay differs at batch 2 (find 100) of phase first"), "%v", err)
	must.Say(t, r.Verify(open(t, 1)), ": batch 2 (find 100): its input has the digest")
}

// A replay is on the schemes of the run: with the parameters of each point, but where a scheme was there twice.
func TestSchemesOfTheRun(t *testing.T) {
	r := must.Get(Open(recorded(t, little, Recipe, "bcht:bucket=4", "1cht:hashes=3", "bcht"), false))(t)
	on := must.Get(r.Schemes())(t)
	names := lists.Map(on, schemes.Config.String)
	must.Match(t, names, []string{"bcht:bucket=4", "1cht", "bcht"})
	c, err := replayed(t, r, Pace{}, false, names...)
	must.OK(t, errors.Join(err, c.Err()))
	ran := lists.Map(c.Verdicts(), func(v *Verdict) string { return v.Scheme })
	must.Match(t, ran, []string{"bcht:bucket=4", "1cht:hashes=3", "bcht"})
}

// Batches that only an oracle can check get one, if that costs little.
func TestWantsOracle(t *testing.T) {
	for does, want := range map[string]bool{"t:insert(gen.uniform{ n = 9, count = 20 }, 1)": true, "t:insert(gen.keys{}:take(20), 1)": false} {
		r := must.Get(Open(recorded(t, "shape = { n = 100, load = 0.5 }\nfunction prepare(t) "+does+" end", Recipe, "linear"), false))(t)
		must.Match(t, r.WantsOracle(3), want, does)
		must.Hold(t, !r.WantsOracle(mostJudged/20+1), "%s: on any number of schemes", does)
	}
}

// Inserts that fail are up to the scheme; what follows is not compared closely, until the table is emptied.
func TestReplaysOnFullTables(t *testing.T) {
	const full = `shape = { capacity = 64 }
function prepare(t)
  t:insert(gen.keys{}:take(100), 1)
  t:find(gen.keys{}:take(100))
  t:clear()
  t:insert(gen.keys{}:take(10), 1)
end`
	r := must.Get(Open(recorded(t, full, Recipe, "bcht"), false))(t)
	c, err := replayed(t, r, Pace{}, true, "bcht", "1cht", "chained")
	must.OK(t, errors.Join(err, c.Err()))
	for _, v := range c.Verdicts() {
		must.Hold(t, v.Legal == 2 && v.Batches == 3, "%+v", v)
	}
}

// Recordings of this major version are read and replayed. TestTestdataAreWritten says how they were made.
func TestRecordingsOfOldReplay(t *testing.T) {
	files := must.Get(filepath.Glob("testdata/*.rec"))(t)
	must.Need(t, len(files) >= 2, "only %v", files)
	for _, path := range files {
		r := must.Get(Open(path, false))(t)
		defer r.Close()
		must.OK(t, r.Verify(open(t, 1)))
		c, err := replayed(t, r, Pace{}, true, "bcht", "1cht")
		must.OK(t, errors.Join(err, c.Err()))
	}
}

// HASHZOO_TESTDATA=1 go test ./workloads/record -run Testdata writes recordings for the
// test above. Existing ones stay as they are: they stand for those that others have.
func TestTestdataAreWritten(t *testing.T) {
	for _, kind := range kinds {
		name := fmt.Sprintf("testdata/%s-%s.rec", map[Kind]string{Recipe: "2.0", Materialised: "2.1"}[kind], kind)
		_, err := os.Stat(name)
		if os.Getenv("HASHZOO_TESTDATA") != "" && err != nil {
			err = os.WriteFile(name, contents(t, stoppedFor(t, "it was interrupted", everything, kind, "slab", "1cht:hashes=3")), 0o644)
		}
		must.OK(t, err)
	}
}

// Two recordings differ in the options that do, and in the first batch that does.
func TestDiff(t *testing.T) {
	text := string(contents(t, recorded(t, everything, Recipe, "bcht")))
	a := must.Get(readBytes([]byte(text)))(t)
	must.Match(t, len(must.Get(Diff(a, a))(t)), 0)
	for old, other := range map[string]string{
		`"value":"200"`: `"value":"300"`, `"seed":5`: `"seed":6`, `"scheme":"bcht","shape":{"pair":"k4v4","n":2000`: `"scheme":"1cht","shape":{"pair":"k4v4","n":2000`,
		a.Points[1].Phases[1].Items[3].Batch.Input: strings.Repeat("1", 32), `"took":`: `"took":1`,
	} {
		text = strings.ReplaceAll(text, old, other)
	}
	b := must.Get(readBytes(sealed(text)))(t)
	want := []string{"seed: 5, 6", "option n: 200, 300",
		"point 2 at size=large: table bcht k4v4 n=2000 load=0.5, table 1cht k4v4 n=2000 load=0.5", "batch "}
	got := must.Get(Diff(a, b))(t)
	for i, line := range want {
		must.Need(t, i < len(got) && strings.HasPrefix(got[i], line), "%q, it should say %q", got, line)
	}
	must.Match(t, len(got), len(want))
}

func TestParsePace(t *testing.T) {
	for text, want := range map[string]Pace{"asap": {}, "recorded": {Recorded: true}, "rate:20k": {Rate: 20000}} {
		must.Match(t, must.Get(ParsePace(text))(t), want, text)
	}
	for _, text := range []string{"", "rate:", "rate:0", "rate:-1", "fast"} {
		p, err := ParsePace(text)
		must.Begin(t, err, `pace is "`, text, p)
	}
}

// How a batch is checked follows from its operations on the same key, and from the
// uncertainty that earlier batches left.
func TestChecks(t *testing.T) {
	const exact = CheckDigest
	for what, c := range map[string]struct {
		does string
		want []Check // of the batches after the first two, then of the table
	}{
		"finds":                         {`t:find(drawn)`, []Check{exact, exact}},
		"erases of one key":             {`t:erase(drawn) t:find(keys)`, []Check{exact, exact, exact}},
		"updates of different keys":     {`t:update(keys, gen.random{}) t:find(drawn)`, []Check{exact, exact, exact}},
		"updates of one key":            {`t:update(drawn, gen.random{}) t:find(keys) t:erase(keys:take(3))`, []Check{exact, CheckCounts, exact, CheckCounts}},
		"the same value":                {`t:update(drawn, 7) t:find(keys)`, []Check{exact, exact, exact}},
		"upserts of one key":            {`t:upsert(drawn % 1000, gen.random{}) t:find(drawn % 1000)`, []Check{exact, CheckCounts, CheckCounts}},
		"sums":                          {`t:add(drawn % 1000, gen.random{}) t:tally(drawn % 1000) t:find(drawn % 1000)`, []Check{exact, exact, exact, exact}},
		"sums and tallies at once":      {`t:mix{ add = 0.5, tally = 0.5, keys = drawn, values = gen.random{} } t:find(keys)`, []Check{exact, exact, exact}},
		"sums and the most":             {`t:mix{ add = 0.5, max = 0.5, keys = drawn, values = gen.random{} } t:find(keys)`, []Check{CheckLegal, CheckLegal, CheckLegal}},
		"emptied":                       {`t:update(drawn, gen.random{}) t:clear() t:find(keys)`, []Check{exact, exact, exact}},
		"inserts of one key":            {`t:insert(drawn % 1000, 1) t:find(keys)`, []Check{CheckLegal, CheckLegal, CheckLegal}},
		"finds and updates":             {`t:mix{ find = 0.5, update = 0.5, keys = drawn, values = gen.random{} } t:find(keys)`, []Check{CheckCounts, CheckCounts, CheckCounts}},
		"finds and the same updates":    {`t:mix{ find = 0.5, update = 0.5, keys = drawn, values = 3 } t:find(keys)`, []Check{CheckCounts, exact, exact}},
		"finds and erases":              {`t:mix{ find = 0.5, erase = 0.5, keys = drawn } t:find(keys)`, []Check{CheckLegal, CheckLegal, CheckLegal}},
		"finds and erases of others":    {`t:mix{ find = 0.5, erase = 0.5, keys = keys:shuffle() } t:find(keys)`, []Check{exact, exact, exact}},
		"finds of one key among others": {`t:mix{ find = 0.5, insert = 0.5, n = 50, keys = { find = drawn, insert = all:slice(500, 50) }, values = 1 }`, []Check{exact, exact}},
	} {
		path := recorded(t, `shape = { n = 1000, load = 0.5 }
function prepare(t)
  local all = gen.keys{}
  local keys = all:take(100)
  local drawn = keys:at(gen.uniform{ n = 100, count = 200 })
  t:insert(keys:take(50), 1)
  t:insert(keys:skip(50), 2)
  `+c.does+`
end`, Recipe, "linear")
		r := must.Get(Open(path, false))(t)
		var got []Check
		for _, b := range r.Points[0].batches() {
			got = append(got, b.Check)
		}
		got = append(got, r.Points[0].Phases[0].Ended.Check)
		must.Match(t, got, slices.Concat([]Check{exact, exact}, c.want), what)
	}
}

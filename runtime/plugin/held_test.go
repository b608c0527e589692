package plugin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

func TestMistakesInFills(t *testing.T) {
	const at = `[fill.usual]`
	are(t, []mistaken{
		{`load  = 0.9`, `load  = 2`, `fill.usual.load is 2: it takes more than 0 and at most 1`},
		{`load  = 0.9`, `load  = "0.9"`, `fill.usual.load is "0.9": it takes a number`},
		{`load  = 0.9`, ``, `fill.usual.load is missing: it takes a number`},
		{`least = 99`, `least = 101`, `fill.usual.least is 101: it takes 0 to 100`},
		{at, at + "\nsettings = [\"bucket=8\", \"bucket=9\"]", `fill.usual.settings is scheme probe: parameter bucket is "9": it takes 4, 8, 16, 32`},
		{at, at + "\nsettings = 8", `fill.usual.settings is 8: it takes a text, or a list of texts`},
		{at, at + "\nsettings = \"bucket\"", `fill.usual.settings is scheme probe: "bucket" is no setting: write param=value, as in probe:bucket=16`},
	})
}

// expecting writes the skeleton with a file of figures.
func expecting(t *testing.T, rows string, replace ...string) string {
	t.Helper()
	folder := skeletonIn(t, replace...)
	text := "# derived: by hand\nsettings,load,op,present,counter,per_op,within\n" + rows
	must.OK(t, os.WriteFile(filepath.Join(folder, manifest.Figures), []byte(text), 0o644))
	return folder
}

func TestMistakesInFigures(t *testing.T) {
	for rows, want := range map[string]string{
		"bucket=9,0.9,find,0,probes,1,0.1\n": `parameter bucket is "9": it takes 4, 8, 16, 32`,
		",0.9,find,0,prob,1,0.1\n":           `expected.csv: 3: unknown counter "prob"`,
	} {
		_, err := declare(expecting(t, rows), "")
		if err == nil || !strings.HasPrefix(err.Error(), "probe/expected.csv: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; it should say %s", rows, err, want)
		}
	}
	_, err := declare(expecting(t, ",0.9,find,0,probes,1,0.1\n", `"k4v4", `, ""), "")
	must.Equal(t, err, "probe/expected.csv: figures are measured with pairs k4v4, which can.pairs does not have")
	must.Equal(t, must.Err(declare(expecting(t, ",0.9,find,0,probes,1,0.1\n", `"insert", "find", `, `"insert", `), "")), "probe/expected.csv: op is find, which can.ops does not have")
}

func TestWhatASchemeIsHeldTo(t *testing.T) {
	d, err := declare(expecting(t, "bucket=8,0.7,find,25,probes,1.25,0.05\n\"bucket=16,hash=universal\",0.8,find,25,probes,1.125,0.05\n",
		`[fill.usual]`, "[fill.usual]\nsettings = [\"bucket=4\", \"bucket=32\"]"), "")
	must.OK(t, err)
	source := schemes.Source{Kind: "derived", Text: "by hand"}
	figures := []schemes.Figure{
		{Settings: "bucket=8", Load: 0.7, Op: "find", Present: 25, Counter: "probes", PerOp: 1.25, Within: 0.05, Source: source},
		{Settings: "bucket=16,hash=universal", Load: 0.8, Op: "find", Present: 25, Counter: "probes", PerOp: 1.125, Within: 0.05, Source: source},
	}
	fills := []schemes.Fill{{Settings: "bucket=4", Load: 0.9, Least: 99}, {Settings: "bucket=32", Load: 0.9, Least: 99}}
	diff := cmp.Diff(figures, d.Scheme.Expected) + cmp.Diff(fills, d.Scheme.Fills)
	must.Hold(t, diff == "", "%v", diff)
}

func TestMistakesInOperationsThatAreNotAlwaysThere(t *testing.T) {
	const at = `# Each value is compiled`
	add := func(text string) string { return text + "\n" + at }
	are(t, []mistaken{
		{at, add("[without]\nupsert = [\"bucket=4\"]"), `25: without.upsert is of an unknown operation "upsert": did you mean`},
		{at, add("[without]\nmix = [\"bucket=4\"]"), `25: without.mix is of an unknown operation "mix"`},
		{at, add("[without]\nerase = [\"bukcet=4\"]"), `25: without.erase has "bukcet=4": scheme probe: unknown parameter "bukcet": did you mean bucket?`},
		{at, add("[without]\nerase = true"), `25: without.erase is true: it takes a list of settings`},
		{`ops    = ["insert", "find", "update", "erase", "count", "export"]
pairs  = ["k4v4", "k8v8"]
stable = true # a pair stays where it was put`, "ops = [\"insert\", \"flush\"]\npairs = [\"k4v4\"]\n[without]\ninsert = [\"bucket=4\"]", `23: without.insert leaves no operation that every table has`},
	})
}

// An operation that a variant never supports is not compiled for it; one that depends on another parameter is.
func TestOperationsThatAreNotAlwaysThere(t *testing.T) {
	d, err := declare(skeletonIn(t, `# Each value is compiled`, `
[without]
update = ["bucket=4", "max_probes=1"]
mix    = ["hash=universal"]
# Each value is compiled`, `stable = true`, `concurrent = ["find", "update", "erase"]`), "")
	must.OK(t, err)
	for settings, want := range map[string]string{
		"bucket=4":                             "insert find erase count export; find erase",
		"":                                     "insert find update erase count export; find update erase",
		"max_probes=1":                         "insert find erase count export; find erase",
		"bucket=4,hash=universal,max_probes=1": "insert find erase count export; ",
		"hash=universal":                       "insert find update erase count export; ",
	} {
		c := must.Get(d.Scheme.Set(settings))(t)
		have := strings.Join(c.Caps.Ops, " ") + "; " + strings.Join(c.Caps.Concurrent, " ")
		must.Hold(t, have == want, "with %q it has %s, not %s", settings, have, want)
	}
	names := d.KernelNames()
	for name, want := range map[string]bool{
		"hz_probe_b4_k4v4_update": false, "hz_probe_b4_k4v4_erase": true, "hz_probe_b4_k4v4_mix": true, "hz_probe_b8_k4v4_update": true,
	} {
		must.Match(t, slices.Contains(names, name), want, name)
	}
	source := d.Source(true, nil)
	must.Hold(t, !strings.Contains(source, "HZ_KERNELS(probe_b4, of_probe_b4, insert, find, update"), "%v", source)
}

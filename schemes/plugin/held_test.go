package plugin

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/schemes"
)

const figureOfProbe = `[figure.absent]
settings = ["bucket=8", "bucket=16,hash=universal"]
load     = "bucket == 8 ? 0.7 : 0.8"
op       = "find"
present  = 25
counter  = "probes"
per_op   = "1 + 2 / bucket"
within   = 0.05

[fill.usual]`

func TestMistakesInWhatASchemeIsHeldTo(t *testing.T) {
	figure := func(old, new string) string { return strings.Replace(figureOfProbe, old, new, 1) }
	const at = `[fill.usual]`
	d, err := parseManifest("scheme.toml", strings.NewReplacer("@name@", "probe", "@Type@", "Probe", `"k4v4", `, "", at, figureOfProbe).Replace(skeletonText(t)))
	if want := "scheme.toml:68: figure.absent.op is measured with pairs k4v4, which can.pairs does not have"; err == nil || err.Error() != want {
		t.Errorf("%v, %v; it should say %s", d, err, want)
	}
	are(t, []mistaken{
		{`load  = 0.9`, `load  = "bucket / 8"`, `66: fill.usual.load is "bucket / 8", which is 2 for probe: it takes more than 0 and at most 1`},
		{`load  = 0.9`, `load  = "bukcet / 8"`, `66: fill.usual.load is "bukcet / 8": unknown name "bukcet": did you mean bucket?`},
		{`load  = 0.9`, ``, `67: fill.usual.load is not there: it takes an expression`},
		{`least = 99`, `least = 101`, `67: fill.usual.least is 101: it takes 0 to 100`},
		{at, at + "\nsettings = [\"bucket=8\", \"bucket=9\"]", `66: fill.usual.settings is scheme probe: parameter bucket is "9": it takes 4, 8, 16, 32`},
		{at, at + "\nsettings = 8", `66: fill.usual.settings is 8: it takes a text, or a list of texts`},
		{at, at + "\nsettings = \"bucket\"", `66: fill.usual.settings is scheme probe: "bucket" is no setting: write param=value, as in probe:bucket=16`},
		{at, figure(`"find"`, `"erase"`), `68: figure.absent.op is "erase": it takes insert, find`},
		{at, figure(`"probes"`, `"probe"`), `70: figure.absent.counter is unknown counter "probe": did you mean probes or`},
		{at, figure(`25`, `125`), `69: figure.absent.present is 125: it takes 0 to 100`},
		{at, figure(`within   = 0.05`, ``), `66: figure.absent.within is 0: it takes more than 0, such as 0.02`},
		{at, figure(`"1 + 2 / bucket"`, `"bucket - 16"`), `71: figure.absent.per_op is "bucket - 16", which is -8 for probe:bucket=8: it takes more than 0`},
		{at, figure(`"1 + 2 / bucket"`, `"hash"`), `71: figure.absent.per_op "hash" has the word 'fast' where a number is needed`},
		{at, figure(`0.8"`, `1.8"`), `67: figure.absent.load is "bucket == 8 ? 0.7 : 1.8", which is 1.8 for probe:hash=universal: it takes more than 0 and at most 1`},
	})
}

func TestWhatASchemeIsHeldTo(t *testing.T) {
	d, err := readDeclaration(skeletonIn(t, `[fill.usual]`, figureOfProbe+"\nsettings = [\"bucket=4\", \"bucket=32\"]", "load  = 0.9", "load  = \"bucket == 4 ? 0.85 : 0.9\""))
	if err != nil {
		t.Fatal(err)
	}
	figures := []schemes.Figure{
		{Settings: "bucket=8", Load: 0.7, Op: "find", Present: 25, Counter: "probes", PerOp: 1.25, Within: 0.05},
		{Settings: "bucket=16,hash=universal", Load: 0.8, Op: "find", Present: 25, Counter: "probes", PerOp: 1.125, Within: 0.05},
	}
	fills := []schemes.Fill{{Settings: "bucket=4", Load: 0.85, Least: 99}, {Settings: "bucket=32", Load: 0.9, Least: 99}}
	if diff := cmp.Diff(figures, d.scheme.Published) + cmp.Diff(fills, d.scheme.Fills); diff != "" {
		t.Error(diff)
	}
}

func TestMistakesInOperationsThatAreNotAlwaysThere(t *testing.T) {
	const at = `# Each value is compiled`
	add := func(text string) string { return text + "\n" + at }
	are(t, []mistaken{
		{at, add("[without.upsert]\nwhen = \"bucket == 4\""), `25: without.upsert.when is of an unknown operation "upsert": did you mean`},
		{at, add("[without.mix]\nwhen = \"bucket == 4\""), `25: without.mix.when is of an unknown operation "mix"`},
		{at, add("[without.erase]\nwhen = \"bukcet == 4\""), `25: without.erase.when is "bukcet == 4": unknown name "bukcet": did you mean bucket?`},
		{at, add("[without.erase]\nwhen = \"hash\""), `25: without.erase.when "hash" has the word 'fast' where a number is needed`},
		{at, add("[without.erase]\nwhere = \"bucket == 4\""), `25: unknown key "without.NAME.where": did you mean without.NAME.when?`},
		{`ops    = ["insert", "find", "update", "erase", "count", "export"]
pairs  = ["k4v4", "k8v8"]
stable = true # a pair stays where it was put`, "ops = [\"insert\", \"flush\"]\npairs = [\"k4v4\"]\n[without.insert]\nwhen = 0", `23: without.insert.when leaves no operation that every table has`},
	})
}

// An operation that a variant never has is not compiled for it; one that depends on another
// parameter is.
func TestOperationsThatAreNotAlwaysThere(t *testing.T) {
	d, err := readDeclaration(skeletonIn(t, `# Each value is compiled`, `
[without.update]
when = "bucket == 4 || max_probes == 1"
[without.mix]
when = "hash == 'universal'"
# Each value is compiled`, `stable = true`, `concurrent = ["find", "update", "erase"]`))
	if err != nil {
		t.Fatal(err)
	}
	for settings, want := range map[string]string{
		"bucket=4":                             "insert find erase count export; find erase",
		"":                                     "insert find update erase count export; find update erase",
		"max_probes=1":                         "insert find erase count export; find erase",
		"bucket=4,hash=universal,max_probes=1": "insert find erase count export; ",
		"hash=universal":                       "insert find update erase count export; ",
	} {
		c, err := d.scheme.Set(settings)
		if err != nil {
			t.Fatal(err)
		}
		if have := strings.Join(c.Caps.Ops, " ") + "; " + strings.Join(c.Caps.Concurrent, " "); have != want {
			t.Errorf("with %q it has %s, not %s", settings, have, want)
		}
	}
	names := d.kernelNames()
	for name, want := range map[string]bool{
		"hz_probe_b4_k4v4_update": false, "hz_probe_b4_k4v4_erase": true, "hz_probe_b4_k4v4_mix": true, "hz_probe_b8_k4v4_update": true,
	} {
		if have := slices.Contains(names, name); have != want {
			t.Errorf("%s is compiled: %t", name, have)
		}
	}
	if source := d.source(); strings.Contains(source, "HZ_KERNELS_FOR(probe_b4, of_probe_b4, k4v4, insert, find, update") {
		t.Error(source)
	}
}

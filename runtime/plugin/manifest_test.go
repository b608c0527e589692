package plugin

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/hashzoo/hashzoo/runtime/compile"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// skeletonIn writes the plugin that New writes, with parts of its manifest replaced.
func skeletonIn(t *testing.T, replace ...string) (folder string) {
	t.Helper()
	t.Chdir(t.TempDir())
	must.Get(New("probe", ""))(t)
	path := filepath.Join("probe", manifest.File)
	text := must.Get(os.ReadFile(path))(t)
	for i := 0; i < len(replace); i += 2 {
		must.Need(t, strings.Contains(string(text), replace[i]), "the manifest has no %q", replace[i])
	}
	changed := strings.NewReplacer(replace...).Replace(string(text))
	must.OK(t, os.WriteFile(path, []byte(changed), 0o644))
	return "probe"
}

// mistaken is a part of the skeleton's manifest, its replacement, and the expected error.
type mistaken struct{ old, new, want string }

// are checks that each mistake is reported in one line with file and line number.
func are(t *testing.T, list []mistaken) {
	t.Helper()
	for _, m := range list {
		_, err := declare(skeletonIn(t, m.old, m.new), "")
		if err == nil {
			t.Errorf("%s: nothing is wrong", m.new)
			continue
		}
		where := "probe/scheme.toml:"
		must.Hold(t, strings.HasPrefix(err.Error(), where) && strings.Contains(err.Error(), m.want) && !strings.Contains(err.Error(), "\n"),
			"%s: %v; it should say %s", m.new, err, m.want)
	}
}

// Every mistake in a manifest is reported in one line with file and line number.
func TestMistakesInManifests(t *testing.T) {
	are(t, []mistaken{
		{`name  = "probe"`, `name  = "Probe"`, `3: name is "Probe": it takes small letters and digits`},
		{`name  = "probe"`, `name  = 7`, `3: name is 7: it takes small letters and digits`},
		{`name  = "probe"`, `nmae  = "probe"`, `3: unknown key "nmae": did you mean name?`},
		{`name  = "probe"`, `name  = "probe`, `3: `},
		{`title = "linear probing over buckets"`, `title = " "`, `4: title is " ": it takes a text`},
		{`paper = "none yet"`, ``, `paper is missing: it takes a text`},
		{`class = "Probe"`, `class = "hz::Probe"`, `10: class is "hz::Probe": it takes the name of a class template in namespace hz`},
		{`max_load = 0.9`, `max_load = true`, `14: max_load is true: it takes a number`},
		{`max_load = 0.9`, "max_load = 0.9\nexcluded = [\"bucket=99\"]", `15: excluded has "bucket=99": scheme probe: parameter bucket is "99": it takes 4, 8, 16, 32`},
		{`max_load = 0.9`, "max_load = 0.9\nexcluded = [\"bucket\"]", `15: excluded is ["bucket"]: it takes a list of settings`},
		{`max_load = 0.9`, "max_load = 0.9\nexcluded = [\"bucket=16\"]", `15: excluded has the defaults`},
		{`"erase", `, `"erase", "earse", `, `20: can.ops has unknown operation "earse": did you mean erase?`},
		{`"erase", `, `"erase", 7, `, `20: can.ops is ["insert","find","update","erase",7,"count","export"]: it takes a list of operations`},
		{`stable = true`, `concurrent = ["find"]`, `22: can.concurrent is [find]: it takes two operations or more, of those with keys that can.ops has`},
		{`stable = true`, `concurrent = ["find", "upsert"]`, `22: can.concurrent is [find upsert]: it takes two operations or more`},
		{`stable = true`, `stable = "yes"`, `22: can.stable is "yes": it takes true or false`},
		{`"k4v4", "k8v8"`, `"k4v4", "k4v5"`, `21: can.pairs has unknown pair "k4v5": did you mean k4v`},
		{`role    = "variant"`, `role    = "varient"`, `26: param.bucket.role is "varient": it takes variant, argument, hash_count, hash_family, host`},
		{`letter  = "b"`, `letter  = "B"`, `28: param.bucket.letter is "B": a variant has small letters for its kernels' names`},
		{`values  = [4, 8, 16, 32]`, `range = [4, 32]`, `29: param.bucket.range is of a variant: it takes values, as each is compiled`},
		{`values  = [4, 8, 16, 32]`, ``, `27: param.bucket.type is integer: it needs values or a range`},
		{`default = 16`, `default = 17`, `30: param.bucket.default is 17: it takes 4, 8, 16, 32`},
		{`default = 16`, `default = "x"`, `30: param.bucket.default is x: it takes 4, 8, 16, 32`},
		{`[param.hash]`, "[param.hash]\nchoices = [\"slow\"]\ndefault = \"slow\"", `36: param.hash.role is hash_family: leave it out of [param.hash], which is such a parameter`},
		{`[param.hash]`, `[param.slots]`, `35: param.slots.role is missing: it takes variant, argument, hash_count, hash_family, host; without a role, there are the parameters bucket, bulk, hash,`},
		{`range   = [0, 1_048_576]`, `range   = [9, 1]`, `41: param.max_probes.range is [9 1]: it takes the least and the most`},
		{`auto    = true`, `auto    = 1024`, `43: param.max_probes.auto is 1024: it takes true or false`},
		{`load  = 0.9`, `load  = 1.5`, `fill.usual.load is 1.5: it takes more than 0 and at most 1`},
		{`[fill.usual]`, "[fill.usual]\nsettings = \"bucket=7\"", `fill.usual.settings is scheme probe: parameter bucket is "7": it takes 4, 8, 16, 32`},
	})
}

func TestTheSkeletonIsSound(t *testing.T) {
	d := must.Get(declare(skeletonIn(t), ""))(t)
	must.Hold(t, len(d.Scheme.Variants()) == 4 && len(d.KernelNames()) == 4*2*(6*2+1), "%d variants, %d kernels", len(d.Scheme.Variants()), len(d.KernelNames()))
}

// Keys that a manifest can have and the skeleton does not.
func TestEverythingOfAManifest(t *testing.T) {
	folder := skeletonIn(t, `[param.hash]`, `[param.placement]
role    = "variant"
type    = "choice"
choices = ["first", "second"]
enum    = "Where"
default = "first"

[param.functions]
role    = "hash_count"
type    = "integer"
range   = [2, 4]
default = 3

[param.hash]`, "max_load = 0.9",
		"max_load = 0.9\nexcluded = [\"placement=second,bucket=4\", \"placement=second,bucket=16\", \"placement=second,bucket=32\"]\nkernels = [\"grow\"]",
		"stable = true", "stable = true\nmoves = [\"placement=first\"]\nhost_memory = true\nduplicates = true\nconcurrent = [\"find\", \"update\"]")
	d := must.Get(declare(folder, ""))(t)
	var names []string
	for _, c := range d.Scheme.Variants() {
		names = append(names, c.Variant())
	}
	must.Match(t, names, []string{"probe_b4_first", "probe_b8_first", "probe_b8_second", "probe_b16_first", "probe_b32_first"}, "variants are")
	first := d.Scheme.Variants()[0]
	must.Hold(t, first.Matches(first.Moves, nil) && !d.Scheme.Variants()[2].Matches(first.Moves, nil), "settings do not count")
	for _, want := range []string{"HZ_OWN_OP(grow)", `HZ_ARGS("probe", "max_probes")`, "hz::Probe<P, 8, hz::Where::second>",
		"HZ_KERNELS(probe_b8_second, of_probe_b8_second, insert, find, update, erase, count, export, mix, grow)",
		"HZ_KERNELS(probe_b4_first, of_probe_b4_first, insert, "} {
		must.Hold(t, strings.Contains(d.Source(true, nil), want), "the source has no %s:\n%s", want, d.Source(true, nil))
	}
}

// Without clang, a one-line error says what to install.
func TestNoClang(t *testing.T) {
	folder := skeletonIn(t)
	t.Setenv("PATH", t.TempDir())
	_, err := Build(t.Context(), folder, Options{Say: io.Discard})
	want := "no clang 18 or later that compiles for GPUs: apt-get install clang-19, or name one with --clang"
	must.Hold(t, errors.Is(err, compile.ErrCompiler) && err.Error() == want, "%v; it should say %s", err, want)
}

// Every manifest yields a scheme, or an error with the file.
func FuzzManifest(f *testing.F) {
	f.Add(strings.NewReplacer("@name@", "probe", "@Type@", "Probe").Replace(string(must.Get(skeleton.ReadFile("skeleton/scheme.toml.tmpl"))(f))))
	f.Add(read(f, "../../schemes/bcht/scheme.toml"))
	f.Add(read(f, "../../schemes/slab/scheme.toml"))
	f.Add("name = 1")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := manifest.Read(fstest.MapFS{manifest.File: {Data: []byte(text)}}, "nowhere")
		if err == nil {
			err = d.Prove()
		}
		if err != nil {
			must.Hold(t, strings.Contains(err.Error(), "nowhere/scheme.toml"), "%v", err)
			return
		}
		for _, c := range d.Scheme.Variants() {
			_ = c.Launched()
		}
	})
}

const page = "../../docs/plugins.md"

func read(t testing.TB, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(path))(t))
}

// docs/plugins.md lists all keys of a manifest; go test ./runtime/plugin -run Docs -update writes them.
func TestDocsOfKeys(t *testing.T) {
	var table strings.Builder
	for _, f := range manifest.Fields {
		fmt.Fprintf(&table, "- `%s` (%s): %s\n", f.Key, f.Takes, f.Help)
	}
	text := read(t, page)
	const begin, end = "-update -->\n", "<!-- end of keys"
	from, to := strings.Index(text, begin)+len(begin), strings.Index(text, end)
	must.Golden(t, page, text[:from]+"\n"+table.String()+"\n"+text[to:])
}

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
		must.Hold(t, err != nil && strings.HasPrefix(err.Error(), "probe/expected.csv: ") && strings.Contains(err.Error(), want),
			"%s: %v; it should say %s", rows, err, want)
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

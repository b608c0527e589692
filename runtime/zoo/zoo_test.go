package zoo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Generated files match the manifests.
func TestGeneratedFilesFollowFromTheManifests(t *testing.T) {
	files := must.Get(manifest.Generate("../.."))(t)
	for path, want := range files {
		have, err := os.ReadFile(filepath.Join("../..", path))
		must.Hold(t, err == nil && string(have) == want, "%s is not what its manifest gives, %v: go generate ./schemes", path, err)
	}
	for _, name := range schemes.Names() {
		for _, file := range []string{"variants.cc", "counted.cc", "scheme.go"} {
			must.Hold(t, files[filepath.Join("schemes", name, file)] != "", "scheme %s: no %s is generated", name, file)
		}
	}
}

// Schemes that ship pass the same checks as plugins.
func TestManifestsOfTheZooAreProved(t *testing.T) {
	for _, s := range append(schemes.All(), schemes.References()...) {
		err := manifest.Of(s).Prove()
		must.Hold(t, err == nil, "%v", err)
		must.Hold(t, (s.Reference || s.Vectors != "") && strings.HasPrefix(s.About, strings.TrimSpace(s.About)),
			"scheme %s: it has no vectors, or its text begins or ends with a space", s.Name)
	}
}

// Every figure has a source, and only figures that a paper prints are called published.
func TestFiguresHaveSources(t *testing.T) {
	kinds := map[string]int{}
	for _, s := range schemes.All() {
		for _, f := range s.Expected {
			kinds[s.Name+" "+f.Source.Kind]++
			must.Hold(t, len(f.Source.Text) >= 20, "scheme %s: a figure is %q", s.Name, f.Source)
		}
	}
	for _, name := range []string{"stash", "clstash", "linear", "double"} {
		must.Hold(t, kinds[name+" derived"] != 0 && kinds[name+" published"] == 0, "figures of %s: %v; papers print none", name, kinds)
	}
}

// A few published figures, copied by hand from the papers.
func TestPublishedFigures(t *testing.T) {
	for _, c := range []struct {
		scheme string
		want   schemes.Figure
	}{
		{"1cht", schemes.Figure{Settings: "hashes=4,exchange=always", Load: 0.9, Op: "insert", Counter: "probes", PerOp: 2.752, Within: 0.02}},
		{"bcht", schemes.Figure{Settings: "bucket=8,looks=1", Load: 0.9, Op: "find", Present: 50, Counter: "probes", PerOp: 1.63406, Within: 0.02}},
		{"bcht", schemes.Figure{Settings: "bucket=32,looks=1", Load: 0.6, Op: "find", Present: 100, Counter: "probes", PerOp: 1.00029, Within: 0.02}},
		{"bcht", schemes.Figure{Settings: "bucket=16,looks=1", Load: 0.99, Op: "find", Counter: "probes", PerOp: 2.8, Within: 0.02}},
	} {
		s := must.Get(schemes.Find(c.scheme))(t)
		found := false
		for _, f := range s.Expected {
			published := f.Source.Kind == "published"
			f.Source = schemes.Source{}
			found = found || f == c.want && published
		}
		must.Hold(t, found, "scheme %s: %+v is not among its %d figures", c.scheme, c.want, len(s.Expected))
	}
}

// Explanations and single steps begin with the first table of the vectors, so that has the default of every choice:
// only sizes, hash functions and limits may be others. (stash shows tickets without access bits first.)
func TestFirstVectorsAreOfTheDefaults(t *testing.T) {
	free := []string{"hash", "hashes", "bucket", "window", "subtables", "chain", "beta", "threshold", "max_chain", "access"}
	for _, s := range schemes.All() {
		_, table, _ := strings.Cut(s.Vectors, "\ntable ")
		first := must.Get(schemes.Parse(strings.Fields(table)[0]))(t)
		for _, p := range first.Params {
			v := first.Get(p.Name)
			must.Hold(t, v == p.Default || slices.Contains(free, p.Name), "%v has another %s than the default, %s", first, p.Name, p.Text(p.Default))
		}
	}
}

// Tests of every scheme that ships.

// texts returns values of a parameter as a user writes them: all of them, or the ends and the default of a range.
func texts(p schemes.Param) []string {
	values := []int64{p.Min, p.Default, p.Max}
	if p.Words != nil || p.Values != nil {
		values = p.All()
	}
	var list []string
	for _, v := range values {
		list = append(list, p.Text(v))
	}
	return list
}

func TestEveryParameterCanBeSet(t *testing.T) {
	for _, s := range schemes.All() {
		must.Hold(t, len(s.Variants()) != 0, "scheme %s has no variant", s.Name)
		must.Say(t, s.Defaults().Compiled(), "", "defaults")
		for _, v := range s.Variants() {
			again, err := schemes.Parse(v.String())
			must.Hold(t, err == nil && again.Variant() == v.Variant(), "%s, read again, is %s, %v", v, again.Variant(), err)
			for _, p := range s.Params {
				for _, text := range texts(p) {
					before := v.Settings()[p.Name]
					c, err := v.With(p.Name, text)
					must.Hold(t, err == nil && c.Settings()[p.Name] == text && c.Given(p.Name), "%s with %s=%s: %s, %v", v, p.Name, text, c, err)
					must.Hold(t, v.Settings()[p.Name] == before && (p.Role == schemes.Variant || !v.Given(p.Name)),
						"%s: With(%s, %s) has changed what it was called on", v, p.Name, text)
				}
			}
		}
	}
}

// Every request is either possible or refused in one line that says what is available.
func TestEverySettingIsRefusedOrTaken(t *testing.T) {
	for _, s := range schemes.All() {
		settings := []string{"", ",", "=", "x", "x=", "=x", "bucket", "bucket=", "bucket=-1", "bucket=99999999999999999999"}
		for _, p := range s.Params {
			for _, q := range s.Params {
				for _, text := range texts(p) {
					settings = append(settings, fmt.Sprintf("%s=%s,%s=%s", p.Name, text, q.Name, texts(q)[0]))
				}
			}
			settings = append(settings, p.Name+"=?", p.Name+"="+strings.Repeat("9", 30), p.Name)
		}
		for _, text := range settings {
			c, err := s.Configure(text)
			if err == nil {
				err = c.Compiled()
			} else if strings.Contains(err.Error(), s.Name) && !strings.Contains(err.Error(), "\n") {
				continue
			}
			must.Hold(t, err == nil, "%s:%s: %v", s.Name, text, err)
		}
	}
}

// Sizing returns a table that can be made, or an error, for every pair and shape.
func TestEveryTableHasASize(t *testing.T) {
	for _, s := range schemes.All() {
		for _, c := range s.Variants() {
			for _, pair := range s.Caps.Pairs {
				if c.CompiledFor(pair) != nil {
					continue
				}
				err := c.Sound(pair)
				must.Hold(t, err == nil, "%v", err)
			}
		}
	}
}

package plugin

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/compile"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // bcht
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// twinOf writes the folder of a scheme that ships under another name, with parts of its manifest replaced.
func twinOf(t testing.TB, name string, replace ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	from := filepath.Join("../../schemes", name)
	replace = append(replace, fmt.Sprintf("name  = %q", name), `name  = "twin"`)
	for old, file := range map[string]string{name + ".h": "twin.h", manifest.File: manifest.File, manifest.Host: manifest.Host, manifest.Figures: manifest.Figures} {
		text, err := os.ReadFile(filepath.Join(from, old))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		must.OK(t, err)
		if file == manifest.File {
			text = []byte(strings.NewReplacer(replace...).Replace(string(text)))
		}
		must.OK(t, os.WriteFile(filepath.Join(folder, file), text, 0o644))
	}
	return folder
}

func openCPU(t testing.TB, threads int) device.Device {
	t.Helper()
	return must.Get(devices.Open("cpu", device.Options{Threads: threads}))(t)
}

func table(t testing.TB, dev device.Device, scheme string, spec engine.Spec) *engine.Table {
	t.Helper()
	spec.Config = must.Get(schemes.Parse(scheme))(t)
	return must.Get(engine.New(dev, spec))(t)
}

// trace returns everything observable of a table's behavior: digests and counters.
func trace(t *testing.T, dev device.Device, scheme string, pair schemes.Pair) (seen []any) {
	t.Helper()
	const n = 50_000
	spec := engine.Spec{Shape: schemes.Shape{Pair: pair, N: n, Load: 0.9}, Seed: 7, Counted: true, Verify: true}
	spec.Config = must.Get(schemes.Parse(scheme))(t)
	spec.Shape.Load = min(0.9, spec.Config.MaxLoad(spec.Config)-0.02)
	on := table(t, dev, scheme, spec)
	defer on.Close()
	keys, values := stream.Keys(pair.Key, 1), stream.Random(2)
	for _, b := range []engine.Batch{
		{Op: "insert", Keys: keys.Take(n), Values: values.Take(n)},
		{Op: "find", Keys: keys.Slice(n/2, n)},
		{Op: "update", Keys: keys.Slice(n/3, n), Values: values.Slice(n, n)},
		{Op: "erase", Keys: keys.Slice(n/4, n/4)},
		{Op: "insert", Keys: keys.Slice(2*n, n/8), Values: values.Take(n / 8)},
		{Op: "find", Keys: keys.Take(n)},
	} {
		if !spec.Config.Caps.Has(b.Op) {
			continue
		}
		in := must.Get(engine.Load(dev, pair, b))(t)
		s := must.Get(on.Run(in))(t)
		seen = append(seen, s.Input, s.Result, s.Counts.Named())
		must.OK(t, in.Release())
	}
	contents := must.Get(on.Contents())(t)
	return append(seen, contents.Digest, on.Capacity(), on.Bytes(), must.Get(on.Gauges())(t))
}

// A folder that ships declares the same as a plugin, including figures and fills.
func TestAFolderSaysTheSameAsAPlugin(t *testing.T) {
	d := must.Get(declare(twinOf(t, "bcht"), ""))(t)
	zoo := must.Get(schemes.Find("bcht"))(t)
	diff := cmp.Diff(zoo.Expected, d.Scheme.Expected) + cmp.Diff(zoo.Fills, d.Scheme.Fills)
	must.Hold(t, diff == "" && len(zoo.Expected) >= 40, "%d figures of the zoo\n%s", len(zoo.Expected), diff)
}

// A plugin that starts from a scheme gives what the scheme gives, to the last bit. In the small tier, one does.
func TestPluginsFromSchemesGiveTheSame(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	dev := openCPU(t, 1)
	defer dev.Close()
	list, pairs := Startable(), []schemes.Pair{schemes.Pair4, schemes.Pair8}
	if testing.Short() {
		list, pairs = list[:1], pairs[:1]
	}
	for _, from := range list {
		name := "my" + from
		must.Get(New(name, from))(t)
		if testing.Short() {
			alone := strings.Replace(read(t, name+"/"+manifest.File), `["k4v4", "k8v8"]`, `["k4v4"]`, 1)
			must.OK(t, os.WriteFile(filepath.Join(name, manifest.File), []byte(alone), 0o644))
		}
		must.Get(Build(t.Context(), name, Options{Only: "hash=fast", Say: io.Discard}))(t)
		s := must.Get(Load(name+"/"+builtFolder, ""))(t)
		for _, pair := range pairs {
			if !slices.Contains(s.Caps.Pairs, pair) {
				continue
			}
			must.Match(t, trace(t, dev, name, pair), trace(t, dev, from, pair), from, pair)
		}
	}
}

// Lanes whose memory accesses come in any order lose no pair, and find what is there. The
// races of the ladder need threads to meet; here a scheduler draws the order.
func TestAccessesInAnyOrder(t *testing.T) {
	c := must.Get(compile.New("", true))(t)
	defer c.Close()
	for _, slots := range []int{4, 8} {
		t.Run(fmt.Sprint("bucket=", slots), func(t *testing.T) {
			t.Parallel()
			program := interleaved(t, c.Program, "../../schemes/sieve/sieve.h", fmt.Sprintf("Sieve<P, %d, 4>", slots), slots)
			for _, size := range [][]string{{"4", "256", "0.9", "1000"}, {"20", "16", "0.9", "64"}, {"40", "4", "0.8", "32"}} {
				out, err := bounded.Command(t, program, size...).CombinedOutput()
				must.Hold(t, err == nil, "ROUNDS BUCKETS LOAD LANES %v: %s%v", size, out, err)
			}
		})
	}
}

// interleaved compiles testdata/interleave.cc for a class of a header, whose buckets have so many slots.
func interleaved(t *testing.T, compiler, header, class string, slots int) string {
	t.Helper()
	const source = "testdata/interleave.cc"
	at, err := filepath.Abs(header)
	for _, path := range []string{at, source} { // so that go test knows what the result depends on
		if _, missing := os.Stat(path); err == nil {
			err = missing
		}
	}
	must.OK(t, err)
	program := filepath.Join(t.TempDir(), "interleave")
	flags := slices.Concat(kernels.Flags("host"), kernels.Flags(runtime.GOARCH), []string{
		"-fexceptions", "-Werror", "-iquote", "../../kernels", fmt.Sprintf("-DSCHEME_HEADER=%q", at), "-DSCHEME=" + class, fmt.Sprint("-DSLOTS=", slots),
		source, "-o", program, "-lstdc++", "-lm",
	})
	if out, err := bounded.Command(t, compiler, flags...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

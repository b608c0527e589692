package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // bcht
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// twinOf writes the folder of a scheme that ships under another name, with parts of its
// manifest replaced.
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
	dev := must.Get(devices.Open("cpu", device.Options{Threads: threads}))(t)
	return dev
}

func table(t testing.TB, dev device.Device, scheme string, spec engine.Spec) *engine.Table {
	t.Helper()
	var err error
	if spec.Config, err = schemes.Parse(scheme); err != nil {
		t.Fatal(err)
	}
	made := must.Get(engine.New(dev, spec))(t)
	return made
}

// trace returns everything observable of a table's behavior: digests and counters.
func trace(t *testing.T, dev device.Device, scheme string, pair schemes.Pair) (seen []any) {
	t.Helper()
	const n = 50_000
	spec := engine.Spec{Shape: schemes.Shape{Pair: pair, N: n, Load: 0.9}, Seed: 7, Counted: true, Verify: true}
	var err error
	if spec.Config, err = schemes.Parse(scheme); err != nil {
		t.Fatal(err)
	}
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
	shown := must.Get(on.Gauges())(t)
	return append(seen, contents.Digest, on.Capacity(), on.Bytes(), shown)
}

// A folder that ships declares the same as a plugin, including figures and fills.
func TestAFolderSaysTheSameAsAPlugin(t *testing.T) {
	d := must.Get(declare(twinOf(t, "bcht"), ""))(t)
	zoo := must.Get(schemes.Find("bcht"))(t)
	if diff := cmp.Diff(zoo.Expected, d.Scheme.Expected) + cmp.Diff(zoo.Fills, d.Scheme.Fills); diff != "" || len(zoo.Expected) < 40 {
		t.Errorf("%d figures of the zoo\n%s", len(zoo.Expected), diff)
	}
}

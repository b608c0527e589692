package zoo_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/compile"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// withCache gives a test a cache of its own, and hears what is compiled.
func withCache(t *testing.T) (compiled *[]compile.Compiling) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	compiled = &[]compile.Compiling{}
	compile.OnCompile = func(c compile.Compiling) {
		if c.Done == c.Of {
			*compiled = append(*compiled, c)
		}
	}
	t.Cleanup(func() { compile.OnCompile = nil })
	return compiled
}

// digests are those of batches on a table.
func digests(t *testing.T, settings string, pair schemes.Pair) (list []string) {
	t.Helper()
	config := must.Get(schemes.Parse(settings))(t)
	dev := must.Get(devices.Open("cpu", device.Options{Threads: 1}))(t)
	defer dev.Close()
	spec := engine.Spec{Config: config, Shape: schemes.Shape{Pair: pair, N: 5000, Load: 0.8}, Seed: 1, Results: true}
	table := must.Get(engine.New(dev, spec))(t)
	defer table.Close()
	keys := stream.Keys(pair.Key, 1).Take(6000)
	for _, op := range []string{"insert", "find", "erase", "find"} {
		batch := engine.Batch{Op: op, Keys: keys.Slice(0, 4000)}
		if op == "insert" {
			batch.Values = batch.Keys
		}
		if op == "erase" {
			batch.Keys = keys.Slice(1000, 2000)
		}
		in := must.Get(engine.Load(dev, pair, batch))(t)
		defer in.Release()
		sample := must.Get(table.Run(in))(t)
		list = append(list, fmt.Sprint(sample.Input, sample.Result, sample.Counts.Named()))
	}
	return list
}

// It does not show in what a table gives how its kernels were compiled.
func TestKernelsCompiledOnDemandAreTheSame(t *testing.T) {
	compiled := withCache(t)
	for _, pair := range []schemes.Pair{schemes.Pair4, schemes.Pair8} {
		before := digests(t, "bcht", pair)
		config := must.Get(schemes.Parse("bcht"))(t)
		name := config.Kernel(pair, "insert", false)
		old, _ := kernels.FindHost(name)
		must.OK(t, compile.Again(name))
		now, _ := kernels.FindHost(name)
		must.Need(t, now.Body != old.Body, "the kernels are still those of the program")
		must.Match(t, digests(t, "bcht", pair), before)
	}
	must.Match(t, len(*compiled), 2, *compiled)
}

// What was compiled is kept for the next program, and several sets are compiled at once.
func TestCompiledKernelsAreKept(t *testing.T) {
	compiled := withCache(t)
	config := must.Get(schemes.Parse("bcht:bucket=16"))(t)
	timed, counted := config.Kernel(schemes.Pair4, "insert", false), config.Kernel(schemes.Pair4, "insert", true)
	must.OK(t, kernels.Obtain(false, timed, counted, timed))
	for _, name := range []string{timed, counted} {
		_, ok := kernels.FindHost(name)
		must.Hold(t, ok, "%s is missing", name)
	}
	must.OK(t, compile.Again(timed))
	must.Hold(t, len(*compiled) == 1 && (*compiled)[0].Of == 2 && strings.Contains((*compiled)[0].Text(), "compiled bcht:bucket=16 k4v4, bcht:bucket=16 k4v4 instrumented in "),
		"compiled %+v", *compiled)
	folder := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "hashzoo", "objects")
	must.Match(t, must.Get(os.Stat(folder))(t).Mode().Perm(), 0o700)
	left, _ := filepath.Glob(filepath.Join(folder, ".*"))
	must.Hold(t, len(left) == 0, "%v is left behind", left)
}

// Without a compiler, an error says what is missing and how to come by it.
func TestWithoutACompiler(t *testing.T) {
	withCache(t)
	t.Setenv("PATH", "")
	config, err := schemes.Parse("bcht:bucket=32")
	must.OK(t, err)
	err = kernels.Obtain(false, config.Kernel(schemes.Pair4, "insert", false))
	must.Equal(t, err, "bcht:bucket=32 k4v4: this program was built without these kernels, and there is no compiler for them: apt-get install clang-19, or take a program that make all or make release has built")
}

// gcc compiles kernels for CPUs where there is no clang.
func TestGCCCompilesOnDemand(t *testing.T) {
	compiled := withCache(t)
	t.Setenv("PATH", "/usr/bin:"+os.Getenv("PATH")) // the compilers themselves, rather than ccache
	bin := t.TempDir()
	for _, tool := range []string{"gcc", "as", "ld"} {
		at := must.Get(exec.LookPath(tool))(t)
		must.OK(t, os.Symlink(at, filepath.Join(bin, tool)))
	}
	t.Setenv("PATH", bin)
	c, err := compile.New("", true)
	must.Need(t, err == nil && strings.HasPrefix(c.Version, "gcc"), "%+v, %v", c, err)
	defer c.Close()
	before := digests(t, "bcht", schemes.Pair4)
	again := must.Get(schemes.Parse("bcht"))(t)
	must.OK(t, compile.Again(again.Kernel(schemes.Pair4, "insert", false)))
	diff := cmp.Diff(before, digests(t, "bcht", schemes.Pair4))
	must.Hold(t, diff == "" && len(*compiled) == 1, "compiled %v: %s", *compiled, diff)
}

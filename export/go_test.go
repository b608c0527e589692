package export

import (
	"cmp"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Exported Go packages pass their tests in a module of their own without a network: on the CPU, and with a
// driver whose GPU is the CPU (testdata/libcuda.cc) on what they launch of their PTX. The small tier has both at once,
// and leaves vectors to TestFolders.
func TestGo(t *testing.T) {
	list := []string{"bcht:bulk=always"}
	if exports == "all" {
		list = schemes.Names()
	}
	for _, s := range list {
		t.Run(s, func(t *testing.T) { t.Parallel(); goPackage(t, s) })
	}
}

// Exported Go packages look as gofmt writes them. Their kernels for GPUs make no difference, and only the large tier has them.
func TestGoIsFormatted(t *testing.T) {
	for _, s := range schemes.All() {
		e := exporter{m: manifest.Of(s), c: s.Defaults(), p: &page{Options: Options{goLang, "test"}, Scheme: s.Name, Title: s.Title, Settings: s.Name}}
		must.OK(t, cmp.Or(e.sources(), e.operations(), e.texts()))
		if !testing.Short() {
			exported(t, s.Name, goLang)
		}
		e.p.PTX = map[string]string{"kernels.ptx": ""}
		for _, f := range filesOf(goLang) {
			text := must.Get(e.p.render(f.name))(t)
			if path := e.p.named(f.name); filepath.Ext(path) == ".go" {
				formatted, err := format.Source([]byte(text))
				must.Hold(t, err == nil && string(formatted) == text, "%s: %s is not formatted: %v", s.Name, path, err)
			}
		}
	}
}

func goPackage(t *testing.T, settings string) {
	needs(t, cxx)
	dir, done := exported(t, settings, goLang)
	must.OK(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module table\n"), 0o644))
	alone := []string{"CXX=" + cxx, "CGO_CXXFLAGS=" + inlined() + " -Werror", "GOPROXY=off", "GOWORK=off"}
	if !testing.Short() || len(kernels.PTXNames()) == 0 {
		run(t, dir, alone, "", "make", "test")
	}
	if len(kernels.PTXNames()) == 0 {
		lacks := strings.Join(done.Lacks, "\n")
		must.Hold(t, strings.Contains(lacks, "kernels for GPUs"), "an export without kernels for GPUs says: %s", lacks)
		t.Skip("no PTX in this build: the half for GPUs is not tested")
	}
	run(t, dir, append(alone, "LD_LIBRARY_PATH="+driver(t, settings)), "--- PASS: TestTable/driver_of_a_test_k", "go", "test", "-v", ".")
}

// driver compiles the driver whose GPU is the CPU, with the kernels of a configuration, into a folder.
func driver(t *testing.T, settings string) string {
	t.Helper()
	c := must.Get(schemes.Parse(settings))(t)
	source := must.Get(os.ReadFile("../schemes/" + c.Name + "/variants.cc"))(t)
	dir := t.TempDir()
	must.OK(t, os.WriteFile(filepath.Join(dir, "kernels.h"), []byte(onlyVariant(string(source), c)+"#include \"bulk.cc\"\n#include \"scan.cc\"\n"), 0o644))
	args := append([]string{cxx, "-std=c++20"}, strings.Fields(inlined())...)
	run(t, ".", nil, "", append(args, "-march="+march(), "-shared", "-fPIC", "-I../kernels", "-I../schemes/"+c.Name,
		fmt.Sprintf("-DKERNELS=%q", filepath.Join(dir, "kernels.h")), "testdata/libcuda.cc", "-o", filepath.Join(dir, "libcuda.so.1"))...)
	return dir
}

// onlyVariant leaves out what the source of a scheme's kernels has of other variants.
func onlyVariant(source string, c schemes.Config) string {
	var text strings.Builder
	for line := range strings.Lines(source) {
		if !strings.Contains(line, " of_") || strings.Contains(line, "of_"+c.Variant()+",") || strings.Contains(line, "of_"+c.Variant()+" ") {
			text.WriteString(line)
		}
	}
	return text.String()
}

// run runs a command, which must succeed and print a text.
func run(t *testing.T, dir string, env []string, want string, args ...string) {
	t.Helper()
	command := bounded.Command(t, args[0], args[1:]...)
	command.Dir, command.Env = dir, append(os.Environ(), env...)
	out, err := command.CombinedOutput()
	must.Hold(t, err == nil && strings.Contains(string(out), want), "%v: %v\n%s", args, err, out)
}

// The word count of examples/ gives what a Go map gives.
func TestWordCount(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: TestGo compiles a package")
	}
	needs(t, cxx)
	dir, _ := exported(t, "linear:resize=auto", goLang)
	program := filepath.Dir(dir)
	for _, name := range []string{"main.go", "go.mod"} {
		text, err := os.ReadFile("../examples/wordcount/" + name)
		if err == nil {
			err = os.WriteFile(filepath.Join(program, name), text, 0o644)
		}
		must.OK(t, err)
	}
	var text, want strings.Builder
	for i := range 5000 { // word i is there i times, up to 20
		text.WriteString(strings.Repeat(strings.NewReplacer("0", "o", "1", "i", "2", "z", "3", "e", "4", "a", "5", "s", "6", "b", "7", "t", "8", "x", "9", "g").
			Replace(fmt.Sprintf("%d ", i)), min(i, 20)) + "\n")
	}
	text.WriteString(strings.Repeat("The the, THE\n", 1000) + strings.Repeat("zoology ", 100))
	fmt.Fprintf(&want, "%8d the\n%8d zoology\n%8d ", 3000, 100, 20)
	must.OK(t, os.WriteFile(filepath.Join(program, "text"), []byte(text.String()), 0o644))
	env := []string{"CXX=" + cxx, "CGO_CXXFLAGS=" + inlined(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off"}
	run(t, program, env, want.String(), "go", "run", ".", "-top", "3", "text")
}

// Exported Python packages pass their tests, without a network, pip or setuptools: on the CPU and, three of them in the large
// tier, with a driver whose GPU is the CPU (testdata/libcuda.cc). The small tier leaves kernels to TestFolders.
func TestPython(t *testing.T) {
	some, tests := []string{"bcht", "csr", "linear"}, "test_[tr]*.py"
	list := some[1:] // linear can what bcht can
	if !testing.Short() {
		list, tests = schemes.Names(), "test*.py"
	}
	for _, s := range list {
		t.Run(s, func(t *testing.T) {
			t.Parallel()
			dir, _ := exported(t, s, pythonLang)
			env := []string{"PYTHON=" + python(t), "CXX=" + cxx, "CXXFLAGS=" + flags(), "TESTS=" + tests}
			run(t, dir, env, "\nOK\n", "make", "test")
			if !testing.Short() && slices.Contains(some, s) && len(kernels.PTXNames()) > 0 {
				onGPU(t, dir, s, env)
			}
		})
	}
}

func onGPU(t *testing.T, dir, scheme string, env []string) {
	gpu := driver(t, scheme)
	must.OK(t, os.Symlink(must.Get(filepath.Abs("testdata/cupy.py"))(t), filepath.Join(gpu, "cupy.py")))
	env = append(env, "LD_LIBRARY_PATH="+gpu, "PYTHONPATH=build:"+gpu, "TEST_WORK=70000")
	run(t, dir, env, "cupy on cuda:0", "sh", "-c", "$PYTHON -m unittest discover -s tests -p 'test_[tr]*.py'")
}

// python is one that has NumPy.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if bounded.Command(t, name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	t.Fatal("no Python with NumPy: apt-get install python3-numpy")
	return ""
}

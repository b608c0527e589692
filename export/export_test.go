package export

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo"
	"github.com/hashzoo/hashzoo/schemes"
)

// needs skips a test without programs.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
}

func exported(t *testing.T, settings, lang string) (string, Exported) {
	t.Helper()
	c := must.Get(schemes.Parse(settings))(t)
	dir := filepath.Join(t.TempDir(), "table")
	done := must.Get(Write(dir, c, Options{Lang: lang, Version: "test"}))(t)
	return dir, done
}

// Every scheme is exported with all of its operations.
func TestWholeSchemes(t *testing.T) {
	for _, s := range schemes.Names() {
		_, done := exported(t, s, "cuda")
		must.Hold(t, len(done.Lacks) == 0, "%s lacks %v", s, done.Lacks)
	}
}

func TestLicenseIsTheRepositorys(t *testing.T) {
	want, err := os.ReadFile("../LICENSE")
	have, _ := files.ReadFile("files/LICENSE")
	must.Hold(t, err == nil && string(have) == string(want), "files/LICENSE is not LICENSE: %v", err)
}

// Exported folders pass their own tests, of every scheme by both compilers, g++ with the thread sanitizer. EXPORTS=all is
// every configuration that differs, optimized; the small tier has one scheme by clang.
func TestFolders(t *testing.T) {
	list := append(schemes.Names(), "linear:resize=auto")
	if exports == "all" {
		list = append(list, "bcht:bucket=16,placement=least_loaded", "bcht:hashes=2,on_failure=rebuild", "iht:erased=marked",
			"megakv:resize=auto", "dycuckoo:pairs=apart", "stash:access=off", "slab:alloc=super,super_blocks=4,flush=3", "clstash:threshold=50", "csr:keys=16,bulk=always")
	}
	for _, s := range list {
		for _, compiler := range []string{"g++", "clang++-19"} {
			if testing.Short() && s+" "+compiler != "linear:resize=auto clang++-19" {
				continue
			}
			t.Run(s+" "+compiler, func(t *testing.T) { t.Parallel(); passes(t, s, compiler) })
		}
	}
}

func TestBench(t *testing.T) {
	dir, _ := exported(t, "1cht", "cuda")
	out, err := bounded.Command(t, "make", "-C", dir, "bench_cpu", "CXX=g++", "CXXFLAGS="+flags()).CombinedOutput()
	if err == nil {
		out, err = bounded.Command(t, filepath.Join(dir, "bench_cpu"), "20000").CombinedOutput()
	}
	must.Hold(t, err == nil && strings.Count(string(out), "million/s") == 3, "%v\n%s", err, out)
}

// exports is how much is tested.
var exports = os.Getenv("EXPORTS")

func passes(t *testing.T, settings, compiler string) {
	needs(t, compiler)
	dir, _ := exported(t, settings, "cuda")
	flags := flags()
	if compiler == "g++" { // Debian installs the thread sanitizer with it. It does not know fences, and g++ warns about that.
		flags = strings.Replace(flags, "-O0", "-O1", 1) + " -fsanitize=thread -Wno-tsan" // tests that are so slow gain by optimizing
	}
	out, err := bounded.Command(t, "make", "-C", dir, "test", "CXX="+compiler, "CXXFLAGS="+flags).CombinedOutput()
	must.Hold(t, err == nil && strings.Contains(string(out), " 0 wrong\n"), "%v\n%s", err, out)
}

// march is the processor that the kernels' vectors are compiled for.
func march() string {
	if runtime.GOARCH == "arm64" {
		return "armv8.1-a"
	}
	return "x86-64-v3"
}

// The C functions, and the example of a join.
func TestOthers(t *testing.T) {
	needs(t, cxx)
	settings := "bcht"
	if exports == "all" {
		settings = "slab"
	}
	dir, _ := exported(t, settings, "c")
	run(t, ".", nil, "C: all right", "make", "-C", dir, "run_c", "CXX="+cxx, "CC=clang-19", "NVCC=", "CXXFLAGS="+flags())
	dir, _ = exported(t, "bcht", "cuda")
	join := filepath.Join(dir, "join")
	run(t, ".", nil, "", cxx, "-std=c++20", "-O1", "-march="+march(), "-Wall", "-Wextra", "-Werror", "-I", dir, "../examples/join/join.cc", "-o", join, "-pthread")
	run(t, ".", nil, "country 2: 61875000\n", join)
}

// The CMakeLists.txt builds and tests an exported folder, and is a library to a program that includes the folder.
func TestCMake(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: cmake is not needed for anything else")
	}
	needs(t, "cmake", cxx)
	compiler := []string{"CXX=" + cxx}
	dir, _ := exported(t, "bcht", "cuda")
	program := filepath.Dir(dir)
	const lists = "cmake_minimum_required(VERSION 3.24)\nproject(program LANGUAGES CXX)\nadd_subdirectory(table)\n" +
		"add_executable(join join.cc)\ntarget_link_libraries(join hashzoo_bcht)\n"
	join, err := os.ReadFile("../examples/join/join.cc")
	for name, text := range map[string]string{"CMakeLists.txt": lists, "join.cc": string(join)} {
		must.OK(t, cmp.Or(err, os.WriteFile(filepath.Join(program, name), []byte(text), 0o644)))
	}
	for _, folder := range []string{dir, program} {
		run(t, folder, compiler, "Build files have been written", "cmake", "-B", "build", "-DCMAKE_BUILD_TYPE=Debug")
		run(t, folder, nil, "Built target", "cmake", "--build", "build")
	}
	run(t, dir, nil, "100% tests passed, 0 tests failed out of 2", "ctest", "--test-dir", "build")
	run(t, program, nil, "country 2: 61875000\n", "build/join")
}

// flags are those of the compiler.
func flags() string { return inlined() + " -march=" + march() + " -Werror" }

// inlined: optimizing takes longer than the tests do, and forced inlining takes the compiler twice as long.
func inlined() string {
	if exports == "all" {
		return "-O2"
	}
	return "-O0 -Dalways_inline=unused"
}

// Exported headers of all schemes share a program, in both orders. The small tier compiles one of them and does not run it.
func TestTogether(t *testing.T) {
	needs(t, cxx)
	include, tables := []string{}, ""
	dir := t.TempDir()
	for _, name := range schemes.Names() {
		folder, done := exported(t, name, "cuda")
		include = append(include, fmt.Sprintf("#include \"%s/%s.h\"\n", folder, name))
		tables += fmt.Sprintf("  wrong += fails<hashzoo::%s<uint32_t, uint32_t>>();\n", done.Class)
	}
	forth, back := strings.Join(include, ""), ""
	for _, line := range include {
		back = line + back
	}
	const fails = `template <class Table>
int fails() {
  Table table(100, 0.5);
  const uint32_t keys[2] = {7, 9}, values[2] = {70, 90};
  uint32_t answers[2] = {};
  table.insert(keys, values, 2);
  table.find(keys, answers, 2);
  return answers[0] != 70 || answers[1] != 90;
}
`
	write(t, dir, "forth.cc", forth+fails+"int back();\nint main() {\n  int wrong = back();\n"+tables+"  return wrong;\n}\n")
	write(t, dir, "back.cc", back+"int back() { return sizeof(hashzoo::Counts) == 0; }\n")
	if testing.Short() {
		run(t, dir, nil, "", cxx, "-std=c++20", "-march="+march(), "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "forth.cc")
		return
	}
	run(t, dir, nil, "", cxx, "-std=c++20", "-O0", "-march="+march(), "-Wall", "-Wextra", "-Werror", "-Dalways_inline=unused",
		"forth.cc", "back.cc", "-o", "together", "-pthread")
	run(t, dir, nil, "", filepath.Join(dir, "together"))
}

// Two exports of a scheme with other parameters are refused, not taken for one.
func TestOtherParametersTogether(t *testing.T) {
	dir := t.TempDir()
	one, _ := exported(t, "bcht", "cuda")
	other, _ := exported(t, "bcht:bucket=16", "cuda")
	write(t, dir, "two.cc", fmt.Sprintf("#include \"%s/bcht.h\"\n#include \"%s/bcht.h\"\n", one, other))
	run(t, dir, nil, "two exports of bcht have other parameters", "sh", "-c", "! g++ -std=c++20 -march="+march()+" -fsyntax-only two.cc")
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

// ofClang are builtins that nvcc lacks on a GPU, and ofBoth those that it has.
var (
	ofClang = regexp.MustCompile(`\b__(nvvm|atomic|sync|builtin)_[a-z0-9_]+`)
	ofBoth  = map[string]bool{"__builtin_bit_cast": true, "__builtin_memcpy": true, "__builtin_assume_aligned": true}
)

// nvcc.h defines every builtin of clang that kernels for GPUs call, and nvcc_end.h forgets it.
func TestNvccHasEveryBuiltin(t *testing.T) {
	begin, end := part(t, "nvcc"), part(t, "nvcc_end")
	for _, folder := range []fs.FS{kernels.Headers, os.DirFS("../schemes")} {
		must.OK(t, fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".h") || strings.Contains(path, "_cpu") {
				return err
			}
			text, err := fs.ReadFile(folder, path)
			for _, name := range ofClang.FindAllString(string(text), -1) {
				defined := regexp.MustCompile("#define "+name+`\b`).MatchString(begin) && strings.Contains(end, "#undef "+name+"\n")
				must.Hold(t, defined || ofBoth[name], "%s calls %s, which nvcc.h does not define", path, name)
			}
			return err
		}))
	}
}

func part(t *testing.T, name string) string {
	t.Helper()
	text := must.Get(files.ReadFile("files/runtime/" + name + ".h"))(t)
	return string(text)
}

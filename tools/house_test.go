// Package tools_test holds the sources to the rules of the house, and tests the scripts of this folder.
package tools_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
)

func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// The rules of the house that a compiler does not know; `make lint` runs these.

const module = "github.com/hashzoo/hashzoo"

// floors are the rooms from the ground up. A package imports its own room and those below it.
var floors = [][]string{
	{"runtime/bounded", "runtime/lists", "runtime/must"},
	{"runtime/nearest", "runtime/number", "runtime/regular", "runtime/tomlfile"},
	{"kernels"},
	{"runtime/device", "runtime/digest", "runtime/sandbox"},
	{"runtime/cpu", "runtime/cuda", "schemes"},
	{"runtime/devices", "runtime/engine", "runtime/host", "runtime/limits"},
	{"runtime/manifest"},
	{"runtime/compile"},
	{"runtime/plugin", "schemes/"}, // a folder for each scheme
	{"runtime/zoo", "tools"},
	{"runtime/results", "workloads/step"},
	{"analysis"},
	{"workloads/parquet"},
	{"workloads/rows"},
	{"workloads/stream", "workloads/trace"},
	{"workloads/run"},
	{"export", "workloads/check"},
	{"workloads/live", "workloads/lua", "workloads/record", "scripts"},
	{"workloads/session"},
	{"workloads/choose", "workloads/papers", "workloads/survey", "workloads/sweep"},
	{"workloads/suite"},
	{"tui"},
	{"cli"},
	{".", "docs"},
}

// room finds the room of a package, and its floor.
func room(path string) (string, int) {
	for floor, rooms := range floors {
		for _, name := range rooms {
			inside := strings.HasPrefix(path, strings.TrimSuffix(name, "/")+"/")
			if path == name || inside && name != "schemes" {
				return name, floor
			}
		}
	}
	return "", -1
}

func TestHouseImportsPointOneWay(t *testing.T) {
	list := must.Get(bounded.Command(t, "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output())(t)
	short := func(path string) string {
		return strings.TrimPrefix(strings.Replace(path, module, ".", 1), "./")
	}
	for line := range strings.Lines(string(list)) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, floor := room(short(path))
		must.Hold(t, floor >= 0, "%s is in no room: add it to floors", path)
		for imported := range strings.FieldsSeq(imports) {
			if !strings.HasPrefix(imported, module) {
				continue
			}
			other, below := room(short(imported))
			must.Hold(t, other == name || below < floor, "%s imports %s, which is not below it", path, imported)
		}
	}
}

// Only package devices knows the backends: everything above sees devices.
func TestHouseBackendsAreKnownInOnePlace(t *testing.T) {
	eachSource(t, ".go", func(path string, source []byte) {
		home := strings.HasPrefix(path, "runtime/devices/") || strings.HasSuffix(path, "_test.go")
		must.Hold(t, home || !regexp.MustCompile(`"`+module+`/runtime/(cpu|cuda)"`).Match(source), "%s imports a backend: use runtime/devices", path)
	})
}

// Only tests and documents name a scheme besides its own folder.
func TestHouseSchemesAreNamedOnlyAtHome(t *testing.T) {
	name := regexp.MustCompile(`(?i)\b(` + strings.Join(schemes(t), "|") + `)(\b|_)`)
	eachNode(t, func(path, position string, n ast.Node) {
		text := ""
		switch n := n.(type) {
		case *ast.BasicLit:
			text = n.Value
		case *ast.Ident:
			text = n.Name
		}
		found := name.FindString(text)
		if found == "Double" || found == "DOUBLE" || text == "double" { // types of C and of Parquet
			return
		}
		if found != "" && !strings.HasPrefix(path, "schemes/") && path != "runtime/zoo/zoo.go" {
			t.Errorf("%s names the scheme %s: read the registry instead", position, found)
		}
	})
	for _, extension := range []string{".h", ".cc", ".c"} {
		eachSource(t, extension, func(path string, source []byte) {
			if strings.HasPrefix(path, "schemes/") || strings.HasPrefix(path, "examples/") || strings.HasPrefix(path, "references/") || path == "runtime/zoo/hosts.cc" {
				return
			}
			for _, found := range name.FindAllString(withoutComments(source), -1) {
				must.Hold(t, found == "double", "%s names the scheme %s: shared code knows no scheme", path, found)
			}
		})
	}
}

// schemes names those that ship, and references, by their folders.
func schemes(t *testing.T) []string {
	t.Helper()
	manifests, err := filepath.Glob("schemes/*/scheme.toml")
	must.Need(t, err == nil && len(manifests) != 0, "%d schemes: %v", len(manifests), err)
	return lists.Map(manifests, func(path string) string { return filepath.Base(filepath.Dir(path)) })
}

// Operations are listed in abi.h. Code that is no scheme's reads the columns of HZ_OPS
// instead of listing operations again. (A few names are what one check or example needs.)
func TestHouseOperationsAreListedOnce(t *testing.T) {
	eachNode(t, func(path, position string, n ast.Node) {
		list, ok := n.(*ast.CompositeLit)
		if !ok || strings.HasPrefix(path, "schemes/") {
			return
		}
		names := 0
		for _, element := range list.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				element = pair.Key
			}
			if text, ok := element.(*ast.BasicLit); ok && slices.Contains(kernels.Ops, strings.Trim(text.Value, `"`)) {
				names++
			}
		}
		must.Hold(t, names <= 3, "%s lists operations: choose them by a column of kernels.Operations", position)
	})
}

// Waits of tests have a deadline of their own.
func TestHouseWaitsAreBounded(t *testing.T) {
	unbounded := regexp.MustCompile(`(?m)exec\.Command\(.*|^.*\.Wait\(\)$|^\t+<-[\w.]*(ed|done|Done\(\))$`)
	eachSource(t, "_test.go", func(path string, source []byte) {
		for _, found := range unbounded.FindAllString(string(source), -1) {
			must.Hold(t, path == "tools/house_test.go" || path == "analysis/report/chromium_test.go", // whose browser outlives a test
				"%s: %s: use package bounded", path, strings.TrimSpace(found))
		}
	})
}

// eachNode calls f for every node of the Go files that are not tests.
func eachNode(t *testing.T, f func(path, position string, n ast.Node)) {
	t.Helper()
	eachSource(t, ".go", func(path string, source []byte) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		files := token.NewFileSet()
		file := must.Get(parser.ParseFile(files, path, source, 0))(t)
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				f(path, files.Position(n.Pos()).String(), n)
			}
			return true
		})
	})
}

// notVerbs is what scheme code never says: it would run on one backend only, or on none.
var notVerbs = regexp.MustCompile(`threadIdx|blockIdx|blockDim|__shfl|__ballot|__syncwarp|__nvvm|cooperative_groups|` +
	`lane *== *0|index\(\) *== *0|\basm\b|atomicCAS|atomicExch|__atomic|HZ_GPU`)

// layers make the verbs, launch kernels, or test the verbs: they may use what both machines have to offer.
var layers = regexp.MustCompile(`^kernels/(tile.*|line|drive.*|partials|kernel|abi|host|selftest.*)\.h$`)

func TestHouseSchemesSpeakInVerbs(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"kernels/*.h", "schemes/*/*.h", "schemes/*/*.cc", "examples/*/*.h", "references/*/*.h"} {
		paths := must.Get(filepath.Glob(pattern))(t)
		for _, path := range paths {
			if !layers.MatchString(filepath.ToSlash(path)) {
				seen++
				speaksInVerbs(t, path)
			}
		}
	}
	must.Hold(t, seen >= 4*len(schemes(t)), "only %d files of schemes were found", seen)
}

// speaksInVerbs looks at a file of a scheme.
func speaksInVerbs(t *testing.T, path string) {
	t.Helper()
	source := must.Get(os.ReadFile(path))(t)
	number := 0
	for line := range strings.Lines(withoutComments(source)) {
		number++
		found := notVerbs.FindString(line)
		must.Hold(t, found == "", "%s:%d: %q: scheme code uses the verbs of tile.h", path, number, found)
	}
}

// withoutComments is C++ without its comments, on the same lines.
func withoutComments(source []byte) string {
	return regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`).ReplaceAllStringFunc(string(source), func(comment string) string {
		return strings.Repeat("\n", strings.Count(comment, "\n"))
	})
}

// One idea to a file: fewer than 500 lines.
func TestHouseFilesAreShort(t *testing.T) {
	for _, extension := range []string{".go", ".h", ".cc", ".c", ".sh", ".lua"} {
		eachSource(t, extension, func(path string, source []byte) {
			lines := bytes.Count(source, []byte("\n"))
			must.Hold(t, lines < 500, "%s has %d lines", path, lines)
		})
	}
}

// eachSource calls f for all files of the repository whose names end so.
func eachSource(t *testing.T, extension string, f func(path string, source []byte)) {
	t.Helper()
	found := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." && (strings.HasPrefix(path, ".") || path == "build" || path == "bin" || path == "scratch") {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, extension) {
			return nil
		}
		found++
		source, err := os.ReadFile(path)
		f(path, source)
		return err
	})
	must.Need(t, err == nil && (found != 0 || extension != ".go"), "%d files: %v", found, err)
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

// `make new-scheme` writes a scheme that works, and a plugin's folder that is moved
// under schemes/ is a scheme that ships: in a copy of this tree both build, pass the ladder
// unchanged, and the one that moved gives the digests that it gave as a plugin.
func TestAFolderIsAllThatASchemeTakes(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds the program twice; TestAFolderOfASchemeIsCompiled builds two folders")
	}
	dir := besideTheSources(t)
	copyTree(t, dir)
	in := func(name string, args ...string) string {
		t.Helper()
		command := exec.Command(name, args...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	in("go", "build", "-o", "hashzoo", ".")
	in("./hashzoo", "plugin", "build", "examples/robinhood")
	in("./hashzoo", "run", "quickstart", "--plugin", "examples/robinhood", "--schemes", "robinhood", "--set", "n=20k", "--quiet", "--record", "run.rec")

	if err := os.Rename(filepath.Join(dir, "examples/robinhood"), filepath.Join(dir, "schemes/robinhood")); err != nil {
		t.Fatal(err)
	}
	must(t, os.Rename(filepath.Join(dir, "examples/linhash"), filepath.Join(dir, "schemes/linhash")))
	in("./hashzoo", "plugin", "new", "schemes/probe")
	in("go", "generate", "./schemes")
	in("go", "build", "-o", "hashzoo", ".")
	for _, name := range []string{"probe", "robinhood", "linhash"} {
		if out := in("./hashzoo", "check", name, "--quick", "--quiet", "--rung", "8"); !strings.Contains(out, " 0 failed") {
			t.Errorf("check %s:\n%s", name, out)
		}
	}
	if out := in("./hashzoo", "replay", "run.rec", "--schemes", "robinhood", "--quiet"); !strings.Contains(out, "gave exactly what was recorded") {
		t.Errorf("moved under schemes/, it gives other digests:\n%s", out)
	}
	in("go", "test", "./runtime/zoo")
	in("go", "test", "-run", "Vectors/(probe|robinhood|linhash)", "./runtime/engine")

	again := exec.Command("./hashzoo", "plugin", "new", "schemes/probe")
	again.Dir = dir
	if out, err := again.CombinedOutput(); err == nil || !strings.Contains(string(out), "is there already") {
		t.Errorf("a second time: %v\n%s", err, out)
	}
}

// found prints whether a kernel is in a program with three schemes.
const found = `package main

import (
	"fmt"
	"os"

	"github.com/hashzoo/hashzoo/kernels"
	_ "github.com/hashzoo/hashzoo/schemes/linhash"
	_ "github.com/hashzoo/hashzoo/schemes/probe"
	_ "github.com/hashzoo/hashzoo/schemes/robinhood"
)

func main() {
	for _, name := range os.Args[1:] {
		_, ok := kernels.FindHost(name)
		fmt.Println(name, ok)
	}
}
`

// The packages of a new scheme and of a plugin's folder under schemes/ are generated, compiled and linked, next to the
// shared kernels and nothing else.
func TestAFolderOfASchemeIsCompiled(t *testing.T) {
	dir := besideTheSources(t)
	copyTree(t, dir)
	for _, name := range []string{"robinhood", "linhash"} {
		must(t, os.Rename(filepath.Join(dir, "examples", name), filepath.Join(dir, "schemes", name)))
	}
	if said, code := inShell(dir, "hashzoo plugin new schemes/probe"); code != 0 {
		t.Fatal(said)
	}
	files, err := manifest.Generate(dir)
	must(t, err)
	_, err = manifest.Write(dir, files)
	must(t, err)
	must(t, os.Mkdir(filepath.Join(dir, "found"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "found/main.go"), []byte(found), 0o644))

	args, want := []string{"run", "./found"}, ""
	for _, name := range []string{"probe", "robinhood", "linhash"} {
		folder := filepath.Join(dir, "schemes", name)
		m, err := manifest.Read(os.DirFS(folder), folder)
		must(t, err)
		kernel := m.Scheme.Defaults().Kernel(schemes.Pair4, "insert", false)
		args, want = append(args, kernel), want+kernel+" true\n"
	}
	command := exec.Command("go", args...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant %s", err, out, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// besideTheSources makes a folder under build/, where ccache finds what it has compiled for
// this tree (CCACHE_BASEDIR).
func besideTheSources(t *testing.T) string {
	t.Helper()
	if err := os.MkdirAll("build", 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("build", "copy-")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// copyTree copies the files that git knows or would.
func copyTree(t *testing.T, to string) {
	t.Helper()
	list, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(list)) {
		source, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue // deleted, not yet committed
		} else if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(to, path)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, source, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
}

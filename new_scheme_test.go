package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// `make new-scheme` writes a scheme that works, and a plugin's folder that is moved
// under schemes/ is a scheme that ships: in a copy of this tree both build, pass the ladder
// unchanged, and the one that moved gives the digests that it gave as a plugin.
func TestAFolderIsAllThatASchemeTakes(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: compiles schemes anew")
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
	in("./hashzoo", "plugin", "new", "schemes/probe")
	in("go", "generate", "./schemes")
	in("go", "build", "-o", "hashzoo", ".")
	for _, name := range []string{"probe", "robinhood"} {
		if out := in("./hashzoo", "check", name, "--quick", "--quiet", "--rung", "8"); !strings.Contains(out, " 0 failed") {
			t.Errorf("check %s:\n%s", name, out)
		}
	}
	if out := in("./hashzoo", "replay", "run.rec", "--schemes", "robinhood", "--quiet"); !strings.Contains(out, "gave exactly what was recorded") {
		t.Errorf("moved under schemes/, it gives other digests:\n%s", out)
	}
	in("go", "test", "./runtime/zoo")
	in("go", "test", "-run", "Vectors/(probe|robinhood)", "./runtime/engine")

	again := exec.Command("./hashzoo", "plugin", "new", "schemes/probe")
	again.Dir = dir
	if out, err := again.CombinedOutput(); err == nil || !strings.Contains(string(out), "is there already") {
		t.Errorf("a second time: %v\n%s", err, out)
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

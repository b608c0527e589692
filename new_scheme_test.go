package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What `make new-scheme` writes is a scheme that works: in a copy of this tree it
// builds, passes the ladder unchanged, and shows what it does to its slots.
func TestNewSchemePassesTheLadder(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: compiles all kernels anew")
	}
	dir := t.TempDir()
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
	in("tools/new-scheme.sh", "probe")
	in("go", "build", "-o", "hashzoo", ".")
	if out := in("./hashzoo", "check", "probe", "--quick", "--quiet"); !strings.Contains(out, " 0 failed") {
		t.Errorf("check probe:\n%s", out)
	}
	in("go", "test", "-run", "Vectors/probe", "./runtime/engine")

	again := exec.Command("tools/new-scheme.sh", "probe")
	again.Dir = dir
	if out, err := again.CombinedOutput(); err == nil || !strings.Contains(string(out), "is there already") {
		t.Errorf("a second time: %v\n%s", err, out)
	}
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

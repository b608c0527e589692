package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// `make new-scheme` writes a scheme that works, and a plugin's folder that is moved
// under schemes/ is a scheme that ships: in a copy of this tree both build, pass the ladder
// unchanged, and the one that moved gives the digests that it gave as a plugin.
func TestAFolderIsAllThatASchemeTakes(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds the program twice")
	}
	dir := copyOfTheSources(t)
	in := func(name string, args ...string) string {
		t.Helper()
		command := bounded.Command(t, name, args...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		must.Need(t, err == nil, "%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		return string(out)
	}
	in("go", "build", "-o", "hashzoo", ".")
	in("./hashzoo", "plugin", "build", "examples/robinhood")
	in("./hashzoo", "run", "quickstart", "--plugin", "examples/robinhood", "--schemes", "robinhood", "--set", "n=20k", "--quiet", "--record", "run.rec")

	ship(t, dir)
	in("./hashzoo", "plugin", "new", "schemes/probe")
	in("go", "generate", "./schemes")
	in("go", "build", "-o", "hashzoo", ".")
	for _, name := range []string{"probe", "robinhood", "linhash"} {
		must.Has(t, in("./hashzoo", "check", name, "--quick", "--quiet", "--rung", "8"), " 0 failed")
	}
	// Moved under schemes/, it gives the same digests.
	must.Has(t, in("./hashzoo", "replay", "run.rec", "--schemes", "robinhood", "--quiet"), "gave exactly what was recorded")
	in("go", "test", "./runtime/zoo")
	in("go", "test", "-run", "Vectors/(probe|robinhood|linhash)", "./runtime/engine")

	again := bounded.Command(t, "./hashzoo", "plugin", "new", "schemes/probe")
	again.Dir = dir
	if out, err := again.CombinedOutput(); err == nil || !strings.Contains(string(out), "is there already") {
		t.Errorf("a second time: %v\n%s", err, out)
	}
}

// ship moves the examples' folders under schemes/.
func ship(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"robinhood", "linhash"} {
		must.OK(t, os.Rename(filepath.Join(dir, "examples", name), filepath.Join(dir, "schemes", name)))
	}
}

// copyOfTheSources is a copy of the files that git knows or would, in a folder under build/, where ccache finds what it has
// compiled for this tree (CCACHE_BASEDIR).
func copyOfTheSources(t *testing.T) string {
	t.Helper()
	build := must.Get(filepath.Abs("../build"))(t)
	must.OK(t, os.MkdirAll(build, 0o755))
	dir := must.Get(os.MkdirTemp(build, "copy-"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	files := bounded.Command(t, "git", "ls-files", "--cached", "--others", "--exclude-standard")
	files.Dir = ".."
	list := must.Get(files.Output())(t)
	for _, path := range strings.Fields(string(list)) {
		if _, err := os.Stat(filepath.Join("..", path)); !os.IsNotExist(err) { // or deleted, not yet committed
			copyFile(t, filepath.Join("..", path), filepath.Join(dir, path))
		}
	}
	return dir
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	info := must.Get(os.Stat(from))(t)
	must.OK(t, os.MkdirAll(filepath.Dir(to), 0o755))
	must.OK(t, os.WriteFile(to, []byte(read(t, from)), info.Mode().Perm()))
}

package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

func TestOnlyRegularFilesUpToALimit(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	must.OK(t, os.WriteFile(path("four"), []byte("1234"), 0o600))
	must.OK(t, syscall.Mkfifo(path("pipe"), 0o600))
	must.OK(t, os.Symlink(path("four"), path("link")))
	for _, name := range []string{"pipe", ".", "none"} {
		if f, err := In(os.DirFS(folder), name); err == nil {
			f.Close()
			t.Errorf("%s is opened", name)
		}
	}
	for _, c := range []struct {
		path string
		most int64
		want string // the content, or a part of the error
	}{
		{path("four"), 4, "1234"},
		{path("link"), 4, "1234"},
		{path("four"), 3, "four has more than 3 bytes, the limit"},
		{path("pipe"), 4, "pipe is a pipe: it takes a regular file"},
		{"/dev/zero", 4, "/dev/zero is a device: it takes a regular file"},
		{folder, 4, " is a folder: it takes a regular file"},
		{path("none"), 4, "no such file"},
	} {
		content, err := Read(c.path, c.most)
		if got := string(content); err == nil && got != c.want {
			t.Errorf("%s: %q", c.path, got)
		} else if err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.path, err)
		} else if err == nil && c.want != "1234" {
			t.Errorf("%s: no error", c.path)
		}
	}
}

func has(t *testing.T, name, want string) {
	t.Helper()
	must.Match(t, string(must.Get(os.ReadFile(name))(t)), want, name)
}

func begun(t *testing.T, name, text string) *Output {
	t.Helper()
	o, err := Create(name)
	must.OK(t, err)
	must.Get(fmt.Fprint(o, text))(t)
	return o
}

func TestAFileIsReplacedByAWholeOne(t *testing.T) {
	t.Chdir(t.TempDir())
	must.OK(t, os.WriteFile("there", []byte("old"), 0o640), os.Symlink("there", "link"), os.Symlink("missing", "dangling"))
	o := begun(t, "link", "new")
	has(t, "there", "old")
	has(t, "there.partial", "new")
	must.OK(t, o.Commit())
	has(t, "there", "new")
	must.Match(t, must.Get(os.Lstat("link"))(t).Mode().Type(), fs.ModeSymlink)
	must.Match(t, must.Get(os.Stat("there"))(t).Mode().Perm(), 0o640)
	must.OK(t, begun(t, "dangling", "new").Commit())
	has(t, "missing", "new")
	rest, _ := filepath.Glob("*.partial*")
	must.Hold(t, rest == nil, "%v are left", rest)
}

func TestWhatEndedEarlyReplacesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	must.OK(t, os.WriteFile("there", []byte("old"), 0o600))
	for i, want := range []string{"there.partial", "there.partial-2"} {
		o := begun(t, "there", fmt.Sprint(i))
		must.OK(t, o.Keep())
		must.Match(t, o.Path(), want, "is in")
		has(t, want, fmt.Sprint(i))
	}
	has(t, "there", "old")
	must.OK(t, begun(t, "free", "new").Keep(), begun(t, "cut", "new").Leave(), begun(t, "bad", "new").Discard())
	has(t, "free", "new")
	has(t, "cut.partial", "new")
	rest, _ := filepath.Glob("bad*")
	must.Hold(t, rest == nil, "%v are left", rest)
}

func TestAnErrorNamesTheFile(t *testing.T) {
	t.Chdir(t.TempDir())
	must.OK(t, os.WriteFile("there", []byte("old"), 0o600), os.Mkdir("folder", 0o700), os.Symlink("loop", "loop"))
	full := errors.New("no room")
	for name, want := range map[string]string{
		"/dev/full": "write /dev/full: no space left on device", "folder": "open folder: is a directory",
		"none/there": "open none/there: no such file or directory", "there": "no room", "loop": "is a link to a link",
	} {
		err := Write(name, func(o *Output) error {
			if name == "there" {
				return full
			}
			_, err := fmt.Fprint(o, "text")
			return fmt.Errorf("while something is done: %w", err)
		})
		must.Hold(t, err != nil && strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "while"), "%s: %v", name, err)
	}
	has(t, "there", "old")
	rest, _ := filepath.Glob("*.partial*")
	must.Hold(t, rest == nil, "%v are left", rest)
}

func TestSame(t *testing.T) {
	t.Chdir(t.TempDir())
	must.OK(t, os.WriteFile("a", nil, 0o600), os.Symlink("a", "link"), os.Link("a", "hard"), os.Symlink(".", "here"), os.Symlink("b", "dangling"),
		syscall.Mkfifo("pipe", 0o600))
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a", "./a", true}, {"a", "link", true}, {"a", "hard", true}, {"a", "here/a", true}, {"b", "dangling", true}, {"b", "here/../here/b", false},
		{"b", "./here/b", true}, {"a", "b", false}, {"a", "", false}, {"pipe", "pipe", false}, {"/dev/null", "/dev/null", false},
	} {
		must.Hold(t, Same(c.a, c.b) == c.want && Same(c.b, c.a) == c.want, "Same(%q, %q) is %v", c.a, c.b, !c.want)
	}
}

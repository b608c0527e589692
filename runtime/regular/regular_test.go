package regular

import (
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

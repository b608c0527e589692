package compile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"
)

func TestCacheGivesBackOnlyWhatIsWhole(t *testing.T) {
	folder := t.TempDir()
	c := cache{folder}
	from, to := filepath.Join(folder, "from"), filepath.Join(t.TempDir(), "to")
	must.OK(t, os.WriteFile(from, []byte("compiled"), 0o600))
	if c.get("key", to) {
		t.Error("an empty cache has a file")
	}
	c.put("key", from)
	if got, err := os.ReadFile(to); !c.get("key", to) {
		t.Errorf("the file is missing: %q, %v", got, err)
	}
	if got, _ := os.ReadFile(to); string(got) != "compiled" {
		t.Errorf("the cache gave %q", got)
	}
	must.OK(t, os.WriteFile(filepath.Join(folder, "key"), []byte("torn"), 0o600))
	if c.get("key", to) {
		t.Error("a torn file was taken for whole")
	}
}

// Objects compiled with other headers are not reused: the same sources make another plugin.
func TestCacheKnowsTheHeaders(t *testing.T) {
	var digests []string
	for _, text := range []string{"#define A 1", "#define A 2"} {
		digests = append(digests, digestOf(fstest.MapFS{"a.h": {Data: []byte(text)}}))
	}
	if digests[0] == digests[1] {
		t.Error("headers that differ have the same digest")
	}
	c := &Compiler{Program: "/nothing/that/compiles", write: func() error { return nil }, cache: cache{t.TempDir()}}
	o, from := Output{File: "a.so"}, filepath.Join(t.TempDir(), "from")
	must.OK(t, os.WriteFile(from, []byte("compiled"), 0o600))
	c.cache.put(Digest(fmt.Append(nil, c.Version, o.Flags, o.File, "source", "inputs")), from)
	if _, err := c.one(t.Context(), Input{Source: "source", Headers: "inputs"}, o, t.TempDir()); err == nil {
		t.Error("a file that was cached without the headers is used")
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := cache{t.TempDir()}
	from := filepath.Join(t.TempDir(), "from")
	must.OK(t, os.WriteFile(from, []byte("compiled"), 0o600))
	for i := range mostCached + 10 {
		must.OK(t, os.WriteFile(filepath.Join(c.folder, fmt.Sprint(i)), nil, 0o600))
	}
	left, used := filepath.Join(c.folder, ".load-1"), filepath.Join(c.folder, ".load-2")
	must.OK(t, errors.Join(os.Mkdir(left, 0o700), os.Mkdir(used, 0o700), os.Chtimes(left, time.Time{}, time.Now().Add(-2*abandoned))))
	c.put("key", from)
	if _, err := os.Stat(left); err == nil {
		t.Error("what a killed program left behind is still there")
	}
	if err := os.Remove(used); err != nil {
		t.Errorf("what another program uses is gone: %v", err)
	}
	entries, err := os.ReadDir(c.folder)
	if err != nil || len(entries) != mostCached {
		t.Errorf("%d files, %v", len(entries), err)
	}
}

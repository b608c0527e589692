package plugin

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCacheGivesBackOnlyWhatIsWhole(t *testing.T) {
	folder := t.TempDir()
	c := cache{folder}
	from, to := filepath.Join(folder, "from"), filepath.Join(t.TempDir(), "to")
	if err := os.WriteFile(from, []byte("compiled"), 0o600); err != nil {
		t.Fatal(err)
	}
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
	if err := os.WriteFile(filepath.Join(folder, "key"), []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c.get("key", to) {
		t.Error("a torn file was taken for whole")
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := cache{t.TempDir()}
	from := filepath.Join(t.TempDir(), "from")
	if err := os.WriteFile(from, []byte("compiled"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range mostCached + 10 {
		c.put(digest([]byte{byte(i)}), from)
	}
	entries, err := os.ReadDir(c.folder)
	if err != nil || len(entries) != mostCached {
		t.Errorf("%d files, %v", len(entries), err)
	}
}

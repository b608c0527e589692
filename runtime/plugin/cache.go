package plugin

import (
	"cmp"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// cache is a folder of compiled files, each under the digest of everything it was made from.
// Without a folder it holds nothing.
type cache struct{ folder string }

// mostCached bounds the number of files in the cache; the oldest are removed.
const mostCached = 100

// openCache opens the user's cache. A machine without one compiles everything anew.
func openCache() cache {
	user, err := os.UserCacheDir()
	if err != nil {
		return cache{}
	}
	folder := filepath.Join(user, "hashzoo", "objects")
	if os.MkdirAll(folder, 0o700) != nil {
		return cache{}
	}
	return cache{folder}
}

// get copies a cached file, and reports whether there was one that is whole.
func (c cache) get(key, to string) bool {
	if c.folder == "" {
		return false
	}
	packed, err := regular.Read(filepath.Join(c.folder, key), regular.Binary)
	if err != nil {
		return false
	}
	sum, content, _ := strings.Cut(string(packed), "\n")
	return sum == digest([]byte(content)) && os.WriteFile(to, []byte(content), 0o644) == nil
}

// put keeps a file. A cache that cannot be written is no error: it only saves time.
func (c cache) put(key, from string) {
	content, err := os.ReadFile(from)
	if c.folder == "" || err != nil {
		return
	}
	made, err := os.CreateTemp(c.folder, ".new-")
	if err != nil {
		return
	}
	defer os.Remove(made.Name())
	_, err = made.WriteString(digest(content) + "\n" + string(content))
	if cmp.Or(err, made.Close()) == nil && os.Rename(made.Name(), filepath.Join(c.folder, key)) == nil {
		c.prune()
	}
}

// prune removes the files that were written longest ago.
func (c cache) prune() {
	var files []fs.FileInfo
	entries, _ := os.ReadDir(c.folder)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, old := range files[min(len(files), mostCached):] {
		os.Remove(filepath.Join(c.folder, old.Name()))
	}
}

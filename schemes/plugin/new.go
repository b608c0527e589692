package plugin

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
)

// skeleton is a plugin that works: linear probing. tools/new-scheme.sh starts schemes of
// this repository with the same header and vectors, less what is between lines of @plugin
// and @end.
//
//go:embed skeleton/*.tmpl
var skeleton embed.FS

// New writes a plugin to start from, in a folder of its name, and returns its files.
func New(name string) ([]string, error) {
	if !goodName.MatchString(name) {
		return nil, fmt.Errorf("name is %q: it takes small letters and digits, a letter first", name)
	}
	if _, err := kernels.Headers.Open(name + ".h"); err == nil {
		return nil, fmt.Errorf("hashzoo has a header %s.h of its own: choose another name", name)
	}
	if err := os.Mkdir(name, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%s is there already: choose another name", name)
		}
		return nil, err
	}
	class := strings.ToUpper(name[:1]) + name[1:]
	filled := strings.NewReplacer("//@plugin\n", "", "//@end\n", "", "@name@", name, "@Type@", class, "@GUARD@", strings.ToUpper(name))
	var files []string
	for _, f := range []struct{ template, file string }{
		{"scheme.toml.tmpl", manifestFile},
		{"header.h.tmpl", name + ".h"},
		{"vectors.txt.tmpl", filepath.Join("testdata", name+".txt")},
		{"README.md.tmpl", "README.md"},
	} {
		text, err := skeleton.ReadFile("skeleton/" + f.template)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(name, f.file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(filled.Replace(string(text))), 0o644); err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	return files, nil
}

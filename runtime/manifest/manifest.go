// Package manifest makes schemes from folders. A folder holds scheme.toml, which declares the scheme, the
// header NAME.h, and host.h, vectors.txt and expected.csv if the scheme has them. Schemes that ship are
// such folders, compiled in. Plugins are too; their users compile and load them.
package manifest

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/tomlfile"
	"github.com/hashzoo/hashzoo/schemes"
)

// The files of a scheme's folder besides its header.
const (
	File    = "scheme.toml"
	Vectors = "vectors.txt"
	Figures = "expected.csv"
)

// Manifest is a parsed scheme.toml, with the other files of its folder, and the scheme that they make.
type Manifest struct {
	keys
	Scheme *schemes.Scheme
	file   string         // for errors
	lines  map[string]int // of each key
	side   host.Side
	folder fs.FS
}

// Read reads the manifest of a folder, and returns the first error that shows without
// evaluating expressions; Prove evaluates them all. Errors refer to files as if in `place`.
func Read(folder fs.FS, place string) (*Manifest, error) {
	m := &Manifest{file: filepath.Join(place, File), folder: folder, lines: map[string]int{}}
	m.Without = map[string][]string{}
	source, err := m.text(File)
	if err == nil {
		err = m.parse(source)
	}
	if err == nil {
		err = m.refer()
	}
	if err == nil {
		err = m.check()
	}
	if err == nil {
		err = m.declare()
	}
	return m, err
}

// text reads a file of the folder; a missing file is empty.
func (m *Manifest) text(name string) (string, error) {
	content, err := fs.ReadFile(m.folder, name)
	if errors.Is(err, fs.ErrNotExist) && name != File {
		err = nil
	}
	return string(content), err
}

// path returns the path of a file of the folder, for errors.
func (m *Manifest) path(name string) string { return filepath.Join(filepath.Dir(m.file), name) }

func (m *Manifest) parse(source string) error {
	err := tomlfile.Read(m.file, source, nil, func(key tomlfile.Key, value any) error {
		m.lines[key.String()] = key.Line
		return m.set(key, value)
	})
	for _, p := range m.Params {
		if usual, ok := shared()[p.Name]; ok && p.Role == "" {
			overlay(p, *usual)
		}
	}
	return err
}

//go:embed shared.toml
var sharedText string

var sharedKeys = sync.OnceValue(func() (k keys) {
	if err := tomlfile.Read("shared.toml", sharedText, nil, k.set); err != nil {
		panic(err)
	}
	return k
})

// shared are the parameters that a manifest can declare by name alone.
var shared = sync.OnceValue(func() map[string]*param {
	list := map[string]*param{}
	for _, p := range sharedKeys().Params {
		list[p.Name] = p
	}
	return list
})

// SharedGauges are the names of the gauges that a manifest can name.
func SharedGauges() []string {
	return lists.Map(sharedKeys().Own, func(g *gauge) string { return g.Name })
}

// mistake is an error in a manifest.
type mistake struct{ where, what string }

func (m *mistake) Error() string { return m.where + ": " + m.what }

// Wrong is a mistake at a key. One that is not given has the line of the first key of its table.
func (m *Manifest) Wrong(key, format string, args ...any) error {
	line, ok := m.lines[key]
	table := key[:strings.LastIndex(key, ".")+1]
	for other, at := range m.lines {
		if !ok && table != "" && strings.HasPrefix(other+".", table) && (line == 0 || at < line) {
			line = at
		}
	}
	where := lists.Either(line > 0, fmt.Sprintf("%s:%d", m.file, line), m.file)
	return &mistake{where, key + " " + fmt.Sprintf(format, args...)}
}

// Ship enters the schemes whose kernels are linked into the program. A test proves their manifests.
func Ship() {
	for _, name := range kernels.Schemes() {
		err := schemes.Enter(name, schemes.Entry{Reference: kernels.InGo[name] != nil, Declare: func() (*schemes.Scheme, error) {
			folder, err := fs.Sub(schemes.Folders, name)
			if err != nil {
				return nil, err
			}
			m, err := Read(folder, path.Join("schemes", name))
			if err != nil {
				return nil, err
			}
			if m.Go {
				m.register()
			}
			return m.Scheme, m.Attach(name)
		}})
		if err != nil {
			panic(err)
		}
	}
}

// Of returns the manifest of a scheme.
func Of(s *schemes.Scheme) *Manifest { return s.Manifest.(*Manifest) }

// Files are those of the scheme's folder that the program carries.
func (m *Manifest) Files() fs.FS { return m.folder }

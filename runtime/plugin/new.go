package plugin

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/schemes"
)

// skeleton is a scheme that works: linear probing.
//
//go:embed skeleton/*.tmpl
var skeleton embed.FS

// New writes a scheme to start from, in a folder that is called like it, and returns its
// files: a copy of a scheme that ships, or, without one, the skeleton.
func New(folder, from string) (written []string, _ error) {
	name := filepath.Base(folder)
	if err := manifest.GoodName(name); err != nil {
		return nil, fmt.Errorf("name %w", err)
	}
	if name[0] <= '9' {
		return nil, fmt.Errorf("name is %q: a class cannot begin with a digit; start with another name, and rename it", name)
	}
	if _, err := kernels.Headers.Open(name + ".h"); err == nil || name+".h" == manifest.Host {
		return nil, fmt.Errorf("hashzoo has a header %s.h of its own: choose another name", name)
	}
	files, err := fromSkeleton(name)
	if from != "" {
		files, err = fromScheme(name, from)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(folder, 0o755); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s is there already: choose another name", folder)
	} else if err != nil {
		return nil, err
	}
	return lists.TryMap(files, func(f file) (string, error) {
		path := filepath.Join(folder, f.name)
		return path, os.WriteFile(path, []byte(f.text), 0o644)
	})
}

type file struct{ name, text string }

// copied returns the files of a folder, changed.
func copied(folder fs.FS, change func(file) file) ([]file, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, err
	}
	return lists.TryMap(entries, func(e fs.DirEntry) (file, error) {
		text, err := fs.ReadFile(folder, e.Name())
		return change(file{e.Name(), string(text)}), err
	})
}

func fromSkeleton(name string) ([]file, error) {
	folder, err := fs.Sub(skeleton, "skeleton")
	if err != nil {
		return nil, err
	}
	class := strings.ToUpper(name[:1]) + name[1:]
	filled := strings.NewReplacer("@name@", name, "@Type@", class)
	return copied(folder, func(f file) file {
		return file{strings.NewReplacer(".tmpl", "", "header.h", name+".h").Replace(f.name), filled.Replace(f.text)}
	})
}

// fromScheme copies the folder of a scheme that ships. Nothing is renamed but the scheme and
// its header: the class keeps its name.
func fromScheme(name, from string) ([]file, error) {
	s, err := schemes.Find(from)
	if err != nil {
		return nil, err
	}
	if s.Reference {
		return nil, fmt.Errorf("scheme %s is a reference, the table of a library: choose a scheme with kernels of its own: %s", from, strings.Join(Startable(), ", "))
	}
	return copied(s.Files, func(f file) file { return renamed(f, from, name) })
}

// renamed is a file of a scheme, for one of another name.
func renamed(f file, from, name string) file {
	quote := regexp.QuoteMeta(from)
	pattern, with := "", ""
	switch {
	case f.name == manifest.File:
		pattern, with = `(?m)^(name\s*=\s*)"`+quote+`"`, `${1}"`+name+`"`
	case f.name == manifest.Vectors:
		pattern, with = `(?m)^(\s*table\s+)`+quote+`\b`, `${1}`+name
	case filepath.Ext(f.name) == ".h":
		pattern, with = `\b`+quote+`\.h\b`, name+".h"
	default:
		return f
	}
	if f.name == from+".h" {
		f.name = name + ".h"
	}
	f.text = regexp.MustCompile(pattern).ReplaceAllString(f.text, with)
	return f
}

// Startable lists the schemes that a plugin can start from: those that ship.
func Startable() []string {
	return schemes.Where(func(s *schemes.Scheme) bool { return s.Plugin == nil })
}

// headersFolder is where Headers puts the headers of hashzoo, in a plugin's folder.
const headersFolder = "hashzoo"

// Headers writes the headers that kernels are compiled with next to a plugin's sources, and a
// compile_commands.json, so that editors understand the plugin's header. Builds use neither.
func Headers(folder string) ([]string, error) {
	m, err := declare(folder, "")
	if err != nil {
		return nil, err
	}
	to := filepath.Join(folder, headersFolder)
	if err := cmp.Or(os.RemoveAll(to), os.CopyFS(to, kernels.Headers)); err != nil {
		return nil, err
	}
	at, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	header := m.Name + ".h"
	arguments := slices.Concat([]string{"clang++", "-x", "c++", "-I", headersFolder}, kernels.Flags("host"), kernels.Flags(runtime.GOARCH), []string{header})
	text := lists.Must(json.MarshalIndent([]map[string]any{{"directory": at, "file": header, "arguments": arguments}}, "", "  "))
	commands := filepath.Join(folder, "compile_commands.json")
	return []string{to, commands}, regular.WriteText(commands, string(text)+"\n")
}

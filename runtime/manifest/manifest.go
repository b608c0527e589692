// Package manifest makes schemes from folders. A folder holds scheme.toml, which declares the scheme, the
// header NAME.h, and host.h, vectors.txt and expected.csv if the scheme has them. Schemes that ship are
// such folders, compiled in. Plugins are too; their users compile and load them.
package manifest

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
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
		err = cmp.Or(m.parse(source), m.refer(), each(reflect.ValueOf(&m.keys).Elem(), "", m.checkKey),
			m.checkParams(), m.checkKernels(), m.checkOps(), m.checkWithout(), m.checkGauges())
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

// declare makes the scheme. What its host side has is attached when its code is there (Attach).
func (m *Manifest) declare() error {
	s := &schemes.Scheme{
		Manifest: m, Files: m.folder, Name: m.Name, Title: m.Title, About: m.About, Paper: m.Paper, Hashes: uint32(m.Hashes), Kernels: m.Kernels,
		Params: lists.Map(m.Params, (*param).declared),
		Caps: schemes.Capabilities{
			Ops: m.Can.Ops, Concurrent: m.Can.Concurrent, PairsWhy: m.Can.PairsWhy,
			Pairs:  lists.Map(m.Can.Pairs, func(name string) schemes.Pair { return pairs()[name] }),
			Stable: m.Can.Stable, HostMemory: m.Can.HostMemory, Duplicates: m.Can.Duplicates,
		},
		Gauges: m.gauges(),
	}
	m.Scheme = s
	if err := m.checkSettings(); err != nil {
		return err
	}
	s.Without, s.Moves, s.Excluded = m.Without, m.Can.Moves, m.Excluded // they are right
	if m.MaxLoad > 0 {
		s.MaxLoad = func(schemes.Config) float64 { return m.MaxLoad }
	}
	if m.IsReference() {
		host.Reference(s)
		s.OnGPU = m.OnGPU()
	}
	return cmp.Or(m.fills(), m.texts())
}

// checkSettings refuses settings that no configuration has.
func (m *Manifest) checkSettings() error {
	check := func(key string, list []string) error {
		for _, settings := range list {
			if _, err := m.Scheme.Set(settings); err != nil {
				return m.Wrong(key, "has %q: %v", settings, err)
			}
		}
		return nil
	}
	without := func(op string) error { return check("without."+op, m.Without[op]) }
	return cmp.Or(lists.Each(slices.Sorted(maps.Keys(m.Without)), without), check("excluded", m.Excluded), check("can.moves", m.Can.Moves), check("can.wide_atomics", m.Can.WideAtomics))
}

func (m *Manifest) texts() (err error) {
	if m.Scheme.Vectors, err = m.text(Vectors); err != nil {
		return err
	}
	text, err := m.text(Figures)
	if err != nil || text == "" {
		return err
	}
	if m.Scheme.Expected, err = schemes.ParseFigures(text); err != nil {
		return &mistake{m.path(Figures), err.Error()}
	}
	return nil
}

func (m *Manifest) fills() error {
	for _, f := range m.Fills {
		key := "fill." + f.Name + "."
		if f.Settings == nil {
			f.Settings = texts{""}
		}
		for _, settings := range f.Settings {
			if _, err := m.Scheme.Set(settings); err != nil {
				return m.Wrong(key+"settings", "is %v", err)
			}
			m.Scheme.Fills = append(m.Scheme.Fills, schemes.Fill{Settings: settings, Load: f.Load, Least: int(f.Least)})
		}
		if !(f.Load > 0 && f.Load <= 1) {
			return m.Wrong(key+"load", "is %g: it takes more than 0 and at most 1", f.Load)
		}
	}
	return nil
}

// Only leaves out every variant but that of some settings, which become the defaults, and what
// the scheme is held to with others.
func (m *Manifest) Only(settings string) error {
	only, err := m.Scheme.Configure(settings)
	if err != nil {
		return err
	}
	m.Scheme.Only(only)
	other := func(settings string) bool {
		_, err := m.Scheme.Configure(settings)
		return err != nil
	}
	m.Scheme.Fills = slices.DeleteFunc(m.Scheme.Fills, func(f schemes.Fill) bool { return other(f.Settings) })
	m.Scheme.Expected = slices.DeleteFunc(m.Scheme.Expected, func(f schemes.Figure) bool { return other(f.Settings) })
	m.Scheme.Vectors = retell(m.Scheme.Vectors, m.Scheme.Name, func(settings, pair string) bool {
		c, err := m.Scheme.Configure(settings)
		return err == nil && (pair == "" || c.For(pairs()[pair]).Variant() == only.Variant())
	})
	return nil
}

// Rename gives the scheme another name than that of its manifest and kernels.
func (m *Manifest) Rename(name string) {
	m.Scheme.Name = name
	m.Scheme.Vectors = retell(m.Scheme.Vectors, name, func(string, string) bool { return true })
}

// retell rewrites vectors for a scheme of another name, and without the tables whose settings
// are not kept. Lines keep their numbers, which errors name.
func retell(text, name string, keep func(settings, pair string) bool) string {
	lines := strings.Split(text, "\n")
	kept, any := true, false
	for i, line := range lines {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "table" {
			old, settings, _ := strings.Cut(words[1], ":")
			pair := "" // none is said
			for _, word := range words {
				if text, ok := strings.CutPrefix(word, "pair="); ok && pair == "" {
					pair = text
				}
			}
			kept = keep(settings, pair)
			any = any || kept
			line = strings.Replace(line, old, name, 1)
		}
		if !kept {
			line = ""
		}
		lines[i] = line
	}
	return lists.Either(any, strings.Join(lines, "\n"), "")
}

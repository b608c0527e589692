// Package export writes a scheme as sources for other programs: one header with the kernels of one
// configuration, a class that uses them, and a test of both.
package export

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Options are how a scheme is exported.
type Options struct {
	Lang    string // one of Langs
	Version string // of this program
}

// Langs are the languages that schemes are exported to.
var Langs = []string{"cuda", "c"}

// Exported is what was written.
type Exported struct {
	Files []string // in their order
	Class string
	Lacks []string // operations that were left out, and why
}

//go:embed files
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"comment": func(text string) string { return indented("//", text) },
	"types":   typesOf,
	"guard":   guardOf,
	"ctype":   func(bytes int) string { return fmt.Sprintf("uint%d_t", 8*bytes) },
	"args":    func(p *page, pair schemes.Pair, op operation) called { return called{p, pair, op} },
}).ParseFS(files, "files/*/*.tmpl"))

// indented puts a word in front of every line.
func indented(with, text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(with+" "+line, " ")
	}
	return strings.Join(lines, "\n")
}

// Write exports a configuration to a folder, which must be new or empty.
func Write(dir string, c schemes.Config, o Options) (Exported, error) {
	if err := nearest.Check("language", o.Lang, Langs); err != nil {
		return Exported{}, err
	}
	p, err := pageOf(c, o)
	if err != nil {
		return Exported{}, err
	}
	if err := fresh(dir); err != nil {
		return Exported{}, err
	}
	done := Exported{Class: p.Class, Lacks: p.Lacks}
	for _, name := range filesOf(o.Lang) {
		text, err := p.render(name)
		if err != nil {
			return done, err
		}
		path := filepath.Join(dir, p.named(name))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return done, err
		}
		done.Files = append(done.Files, path)
	}
	return done, nil
}

// fresh makes a folder, unless something is in it.
func fresh(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return fmt.Errorf("folder %s is not empty: choose a new one", dir)
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return os.MkdirAll(dir, 0o755)
	}
	return err
}

// filesOf lists the files of a language, as they are called in this package: what other languages call is
// the header for CUDA.
func filesOf(lang string) []string {
	names, err := fs.Glob(files, "files/cuda/*")
	if err == nil && lang != "cuda" {
		var more []string
		more, err = fs.Glob(files, "files/"+lang+"/*")
		names = append(names, more...)
	}
	if err != nil {
		panic(err)
	}
	return append(names, "files/LICENSE")
}

// named is the name of a file in the exported folder.
func (p *page) named(name string) string {
	return strings.NewReplacer(".tmpl", "", "header", p.File, "api.", p.CName+".").Replace(filepath.Base(name))
}

// render fills a file in. Those without .tmpl are copied.
func (p *page) render(name string) (string, error) {
	if !strings.HasSuffix(name, ".tmpl") {
		text, err := files.ReadFile(name)
		return string(text), err
	}
	var text strings.Builder
	err := templates.ExecuteTemplate(&text, filepath.Base(name), p)
	return tidy(text.String()), err
}

// tidy removes the blank lines that templates leave.
func tidy(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.CompactFunc(lines, func(a, b string) bool { return a == "" && b == "" }), "\n")
}

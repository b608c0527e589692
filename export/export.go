// Package export writes a scheme as sources for other programs: one header with the kernels of one
// configuration, a class that uses them, and a test of both.
package export

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Options are how a scheme is exported.
type Options struct {
	Lang    string // one of Langs
	Version string // of this program
}

// Langs are the languages that schemes are exported to.
var Langs = []string{"cuda", "c", goLang, pythonLang}

// Exported is what was written.
type Exported struct {
	Files []string // in their order
	Next  string   // what to do with them
	Class string
	Lacks []string // operations that were left out, and why
}

//go:embed all:files
var files embed.FS

// The languages whose exports choose the CPU or a GPU at run time.
const (
	goLang     = "go"
	pythonLang = "python"
)

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"comment": func(text string) string { return indented("//", text) },
		"types":   typesOf,
		"guard":   guardOf,
		"ctype":   func(bytes int) string { return fmt.Sprintf("uint%d_t", 8*bytes) },
		"bits":    func(bytes int) int { return 8 * bytes },
		"camel":   camel,
		"number":  kernels.OpNumber,
		"args": func(p *page, pair schemes.Pair, op ...operation) called {
			return called{p, pair, append(op, operation{})[0]}
		},
	}).ParseFS(files, "files/*/*.tmpl", "files/*/*/*.tmpl"))
})

// camel is an operation's name in Go: find_all is FindAll.
func camel(name string) (text string) {
	for word := range strings.SplitSeq(name, "_") {
		text += strings.ToUpper(word[:1]) + word[1:]
	}
	return text
}

// indented puts a word in front of every line.
func indented(with, text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lists.Map(lines, func(line string) string { return strings.TrimRight(with+" "+line, " ") }), "\n")
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
	done := Exported{Class: p.Class, Lacks: p.Lacks, Next: fmt.Sprintf(p.next(), dir)}
	for _, f := range filesOf(o.Lang) {
		text, err := p.render(f.name)
		if err != nil {
			return done, err
		}
		if err := done.write(filepath.Join(dir, f.folder, p.named(f.name)), text); err != nil {
			return done, err
		}
	}
	for name, text := range p.PTX {
		if err := done.write(filepath.Join(dir, name), text); err != nil {
			return done, err
		}
	}
	slices.Sort(done.Files)
	return done, nil
}

func (e *Exported) write(path, text string) error {
	e.Files = append(e.Files, path)
	return cmp.Or(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
}

// fresh makes a folder, unless something is in it.
func fresh(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case len(entries) > 0:
		return fmt.Errorf("folder %s is not empty: choose a new one", dir)
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return os.MkdirAll(dir, 0o755)
	}
	return err
}

// file is one of this package's, and the folder of the export that it belongs in.
type file struct{ name, folder string }

// foldersOf are the files of each language: what other languages call is the header for CUDA. In Go and Python,
// the test in C++ is data of a package's test.
var foldersOf = map[string][]file{
	"cuda": {{"cuda/*", ""}},
	"c":    {{"cuda/*", ""}, {"c/*", ""}},
	goLang: {
		{"cuda/header.tmpl", ""}, {"c/api.*", ""}, {"go/*", ""}, {"go/vectors/*", "internal/vectors"},
		{"cuda/test*", "testdata"}, {"cuda/vectors*", "testdata"},
	},
	pythonLang: {
		{"cuda/header.tmpl", ""}, {"c/api.*", ""}, {"python/*", ""}, {"python/package/*", "package"}, {"python/tests/*", "tests"},
		{"cuda/test*", "tests"}, {"cuda/vectors*", "tests"},
	},
}

// filesOf lists the files of a language.
func filesOf(lang string) []file {
	list := []file{{"files/LICENSE", ""}}
	for _, f := range foldersOf[lang] {
		for _, name := range lists.Must(fs.Glob(files, "files/"+f.name)) {
			if info, err := fs.Stat(files, name); err == nil && !info.IsDir() {
				list = append(list, file{name, f.folder})
			}
		}
	}
	return list
}

// named is the name of a file in the exported folder.
func (p *page) named(name string) string {
	name = strings.TrimPrefix(filepath.Base(name), p.Lang+"_")
	return strings.NewReplacer(".tmpl", "", "header", p.File, "api.", p.CName+".").Replace(name)
}

// next tells the user what to do with the exported folder, %s.
func (p *page) next() string {
	switch p.Lang {
	case goLang:
		return "make -C %s test; the package is " + p.Package
	case pythonLang:
		return "(cd %s && pip install .); then: from " + p.CName + " import Table"
	}
	return "make -C %s test; the class is hashzoo::" + p.Class
}

// render fills a file in. Those without .tmpl are copied.
func (p *page) render(name string) (string, error) {
	if !strings.HasSuffix(name, ".tmpl") {
		text, err := files.ReadFile(name)
		return string(text), err
	}
	var text strings.Builder
	err := templates().ExecuteTemplate(&text, filepath.Base(name), p)
	blank := func(a, b string) bool { return a == "" && b == "" } // lines that templates leave
	return strings.Join(slices.CompactFunc(strings.Split(text.String(), "\n"), blank), "\n"), err
}

// ptx takes the kernels for GPUs out of this program, for exports that choose the device at run time: a
// file for each pair, because the driver compiles a file as a whole.
func (e *exporter) ptx() error {
	if !e.p.Driver {
		return nil
	}
	if len(kernels.PTXNames()) == 0 {
		e.p.Lacks = append(e.p.Lacks, "kernels for GPUs (this hashzoo was built without them: install clang-19, run make, and export again)")
		return nil
	}
	e.p.PTX = map[string]string{}
	if err := lists.Each(e.p.CPairs, func(pair schemes.Pair) error {
		return e.add(pair.String()+"_", func(op string) string { return e.c.Kernel(pair, op, false) }, e.c.Launched())
	}); err != nil {
		return err
	}
	return e.add("", func(quoted string) string { return strings.Trim(quoted, `"`) }, e.shared)
}

// add adds kernels that the driver compiles together.
func (e *exporter) add(prefix string, name func(string) string, kernelsOf []string) error {
	names := lists.Map(kernelsOf, name)
	if err := kernels.Obtain(true, names...); err != nil {
		return err
	}
	var list []kernels.PTX
	for _, one := range names {
		if k, ok := kernels.FindPTX(one); ok {
			list = append(list, k)
		}
	}
	modules, err := kernels.Modules(list)
	for _, m := range modules {
		e.p.PTX[prefix+m.File] = m.Text
	}
	return err
}

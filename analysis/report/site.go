package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
)

// Site holds files of hashzoo suite, and the schemes and scripts of this program.
type Site struct {
	Files   []analysis.File
	Schemes map[string]Scheme
	Scripts map[string]string // sources
}

// Scheme describes a scheme of this program.
type Scheme struct {
	*schemes.Scheme
	Essay  []string // paragraphs and, indented, pictures
	Plays  []Play
	Export []string // commands
	Lacks  string   // why it has no steps, or no essay
}

// Play is an operation step by step, on a small table.
type Play struct {
	Title  string
	Stills []Still
}

// Still is a step, and the table after it.
type Still struct {
	Text string
	Rows []StillRow
}

// StillRow is a bucket, a slot or a list, with the classes of its cells: changed, at, or none.
type StillRow struct {
	Title string
	Cells [][2]string // class and text
}

// Generator marks the front page of a site.
const (
	Generator = "hashzoo site"
	front     = "index.html"
)

// siteData is shared by all pages of a site.
type siteData struct {
	Machines  []*machine
	Questions []results.Question
	Schemes   []string
	Trial     bool
}

// sitePage is the data of a page's template. Scripts of the site's own folder may run, nothing else.
type sitePage struct {
	head
	*siteData
	Name     string
	Scheme   *Scheme
	Question results.Question
	Source   string
	Commands []string
	Table    grid
	Notes    notes
}

const sitePolicy = "default-src 'none'; img-src data:; style-src 'self' 'unsafe-inline'; script-src 'self'"

// Check returns the schemes of a site and what each machine found, or why the site cannot be written. It comes before what takes long.
func (s Site) Check(folder string) (schemes, found []string, err error) {
	data, err := s.data()
	if err != nil {
		return nil, nil, err
	}
	return data.Schemes, lists.Map(data.Machines, (*machine).found), vacant(folder)
}

// Write writes the pages into a folder, in place of those of an earlier site.
func (s Site) Write(folder string) error {
	data, err := s.data()
	if err != nil {
		return err
	}
	files := map[string]string{"style.css": read("style.css") + read("site.css"), "script.js": read("script.js") + read("site.js")}
	write := func(name, template, title string, p sitePage) {
		p.head, p.siteData = head{Title: title, Generator: Generator, Policy: sitePolicy}, data
		var page bytes.Buffer
		err = errors.Join(err, layout.ExecuteTemplate(results.Clean{Writer: &page}, template, p))
		files[name] = page.String()
	}
	write(front, "index", "Which GPU hash table?", sitePage{})
	write("rules.html", "rules", "Rules", sitePage{})
	for _, q := range data.Questions {
		write(pageOf(question, q.Name), question, q.Name, s.question(data, q))
	}
	for _, name := range data.Schemes {
		write(pageOf("scheme", name), "scheme", name, s.scheme(data, name))
	}
	if err = cmp.Or(err, vacant(folder)); err != nil {
		return err
	}
	return replace(folder, files)
}

// data checks that all files answer the same questions, and names their machines.
func (s Site) data() (*siteData, error) {
	data := &siteData{}
	for _, f := range s.Files {
		if err := comparable(f, s.Files[0]); err != nil {
			return nil, fmt.Errorf("%s %w", f.Path, err)
		}
		m := newMachine(f)
		if n := len(lists.Filter(data.Machines, func(other *machine) bool { return other.Name == m.Name || strings.HasPrefix(other.Name, m.Name+" (") })); n > 0 {
			m.Name += fmt.Sprintf(" (%d)", n+1)
		}
		m.ID = slug(m.Name)
		data.Machines = append(data.Machines, m)
		data.Schemes = lists.Add(data.Schemes, lists.Map(m.names, base)...)
	}
	about := s.Files[0].Run.Suite
	data.Questions, data.Trial = about.Questions, about.Scale < 1
	slices.SortStableFunc(data.Machines, func(a, b *machine) int { return cmp.Compare(b.kind(), a.kind()) })
	slices.Sort(data.Schemes)
	return data, nil
}

// comparable says why a file cannot be on a page with another.
func comparable(f, first analysis.File) error {
	about := f.Run.Suite
	switch {
	case about == nil:
		return errors.New("is no file of hashzoo suite")
	case !f.End.Whole():
		return fmt.Errorf("is not whole: %s", f.End.Why())
	case !slices.Equal(f.End.Seals, f.Seals()):
		return errors.New("was edited; hint: hashzoo suite verify says where")
	case about.Digest != first.Run.Suite.Digest || about.Scale != first.Run.Suite.Scale:
		return fmt.Errorf("answers other questions than %s: %s at scale %v, and %s at %v (digests %.8q and %.8q)", first.Path, about.Version, about.Scale,
			first.Run.Suite.Version, first.Run.Suite.Scale, about.Digest, first.Run.Suite.Digest)
	}
	return nil
}

// vacant makes a folder for a site. It refuses one that has something else than an earlier site, or that cannot be written.
func vacant(folder string) error {
	index := filepath.Join(folder, front)
	old, err := os.ReadFile(index)
	entries, wrong := os.ReadDir(folder)
	switch {
	case errors.Is(wrong, syscall.ENOTDIR):
		return fmt.Errorf("%s is a file, or below one: a site takes a folder; hint: another -o", folder)
	case wrong != nil && !errors.Is(wrong, fs.ErrNotExist):
		return wrong
	case len(entries) > 0 && (err != nil || !bytes.Contains(old, []byte(`content="`+Generator+`"`))):
		return fmt.Errorf("%s is no site of hashzoo, and not empty; hint: another -o", folder)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	try, err := regular.Create(index)
	if err != nil {
		return err
	}
	return try.Discard()
}

// replace writes files, and removes the pages of an earlier site that are none of them. The front page, by which a site
// is known, comes first, so that one that was cut off can be written again.
func replace(folder string, files map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := regular.WriteText(filepath.Join(folder, name), files[name]); err != nil {
			return err
		}
	}
	pages, err := fs.Glob(os.DirFS(folder), "*.html")
	for _, page := range pages {
		if _, ok := files[page]; !ok {
			err = errors.Join(err, os.Remove(filepath.Join(folder, page)))
		}
	}
	return err
}

var odd = regexp.MustCompile(`[^a-z0-9]`)

// slug is a name for files and links. Names that it changes get their checksum.
func slug(name string) string {
	safe := odd.ReplaceAllString(strings.ToLower(name), "-")
	if safe == strings.ReplaceAll(strings.ToLower(name), " ", "-") {
		return safe
	}
	return fmt.Sprintf("%.40s-%04x", safe, uint16(crc32.ChecksumIEEE([]byte(name))))
}

// pageOf is the page of a question, or of a scheme without its parameters.
func pageOf(kind, name string) string { return kind + "-" + slug(base(name)) + ".html" }

func schemeCell(name string) cell { return cell{Text: name, Link: pageOf("scheme", name), Head: true} }

// heat is a column of answers.
func heat(title, help string) column {
	return column{Column: results.Column{Title: title, Number: true}, Help: help, Heat: true}
}

// question is the page of a question: all machines side by side.
func (s Site) question(data *siteData, q results.Question) sitePage {
	p := sitePage{Name: q.Name, Question: q, Source: s.Scripts[q.Script]}
	var names []string
	for _, m := range data.Machines {
		names = lists.Add(names, m.names...)
	}
	slices.Sort(names)
	t := tableOf(names)
	t.add(text("scheme"), schemeCell)
	for _, m := range data.Machines {
		t.add(heat(m.Name, ""), func(name string) cell { return p.Notes.cell(m, name, q.Name, true) })
		p.Commands = lists.Add(p.Commands, m.repeated(q))
	}
	p.Table, p.Table.Caption = t.grid, q.Name
	return p
}

// repeated is the command that asks a question again, with the sizes for such a machine.
func (m *machine) repeated(name results.Question) string {
	i := slices.IndexFunc(m.Run.Suite.Questions, func(q results.Question) bool { return q.Name == name.Name })
	if i < 0 {
		return ""
	}
	q := m.Run.Suite.Questions[i]
	words := []string{"hashzoo", "run", q.Script, "--device", m.kind()}
	for _, option := range q.Set {
		words = append(words, "--set", option)
	}
	for _, axis := range q.Axis {
		words = append(words, "--axis", axis)
	}
	return strings.Join(lists.Map(words, analysis.Shell), " ")
}

// scheme is the page of a scheme: its figures on all machines, and all that is known about it.
func (s Site) scheme(data *siteData, name string) sitePage {
	p := sitePage{Name: name}
	if known, ok := s.Schemes[name]; ok {
		p.Scheme = &known
	}
	type place struct {
		*machine
		scheme string
	}
	var places []place
	for _, m := range data.Machines {
		for _, scheme := range lists.Filter(m.names, func(scheme string) bool { return base(scheme) == name }) {
			places = append(places, place{m, scheme})
		}
	}
	t := tableOf(places)
	t.add(text("machine"), func(at place) cell { return cell{Text: at.Name, Link: "index.html#" + at.ID, Head: true} })
	t.texts(text("parameters"), func(at place) string { return strings.TrimPrefix(at.scheme[len(name):], ":") })
	for _, q := range data.Questions {
		t.add(heat(q.Name, q.Why), func(at place) cell { return p.Notes.cell(at.machine, at.scheme, q.Name, true) })
	}
	p.Table, p.Table.Caption = t.grid, name
	return p
}

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
	numbers "github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/step"
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
	Essay  []string         // paragraphs and, indented, pictures
	Plays  []step.Operation // on a small table
	Export []string         // commands
	Lacks  string           // why it has no steps, or no essay
}

// Generator marks the front page of a site.
const (
	Generator = "hashzoo site"
	front     = "index.html"
)

// siteData is shared by all pages of a site.
type siteData struct {
	Machines  []*machine
	Newest    string // the ID of the one that was measured last, which the front page shows first
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
	data.Newest = slices.MaxFunc(data.Machines, func(a, b *machine) int { return a.Run.Started.Compare(b.Run.Started) }).ID
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
	write := func(name string) error { return regular.WriteText(filepath.Join(folder, name), files[name]) }
	if err := lists.Each(slices.Sorted(maps.Keys(files)), write); err != nil {
		return err
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
	marked := fmt.Sprintf("%.40s-%04x", safe, uint16(crc32.ChecksumIEEE([]byte(name))))
	return lists.Either(safe == strings.ReplaceAll(strings.ToLower(name), " ", "-"), safe, marked)
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
	words := slices.Concat([]string{"hashzoo", "run", q.Script, "--device", m.kind()}, analysis.Flags("--set", q.Set), analysis.Flags("--axis", q.Axis))
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

// machine is a file of hashzoo suite: what each scheme answered to each question.
type machine struct {
	ID, Name, Short string // the last is that of the file
	analysis.File
	names   []string // of schemes
	answers map[[2]string]answer
	Answers []verdictOf
	Table   grid
	Notes   notes
}

// answer is that of a scheme to a question. One without a rank says why.
type answer struct {
	measured
	why    string
	failed bool
}

func (a answer) ratio() float64 { return a.Rate / a.best }

func (a answer) bytes() string { return optional(a.BytesPerPair, 1) }

// question is the axis of the suite's questions.
const question = "question"

func newMachine(f analysis.File) *machine {
	m := &machine{Name: f.Run.Device.Model, Short: filepath.Base(f.Path), File: f, answers: map[[2]string]answer{}}
	if m.kind() == "cpu" {
		m.Name += ", " + numbers.Count(f.Run.Device.Threads, "thread")
	}
	for _, l := range f.LeftOut {
		m.add(l.Scheme, fmt.Sprint(l.Point[question]), answer{why: l.Reason, failed: l.Failed})
	}
	asked := f.Run.Suite.Questions
	for _, row := range measure([]analysis.Side{{Files: []analysis.File{f}}}) {
		name := fmt.Sprint(row.Point[question])
		if i := slices.IndexFunc(asked, func(q results.Question) bool { return q.Name == name }); i >= 0 && asked[i].Phase == row.Phase && asked[i].Op == row.Op {
			m.add(m.given(row.Scheme, asked[i]), name, newAnswer(row))
		}
	}
	slices.Sort(m.names)
	m.Answers = lists.Map(asked, func(q results.Question) verdictOf { return newVerdict(q, m.ranked(q.Name)) })
	m.Table = m.table()
	return m
}

// kind is the device of commands. GPUs have a driver, and come before CPUs.
func (m *machine) kind() string { return lists.Either(m.Run.Device.Driver != "", "cuda:0", "cpu") }

func newAnswer(row measured) answer {
	a := answer{measured: row, why: row.Mark, failed: row.Mark != "" && row.Mark != analysis.Noisy}
	if row.Completed < row.N {
		a.why = fmt.Sprintf("%s of %s operations failed", grouped(fmt.Sprint(row.N-row.Completed)), grouped(fmt.Sprint(row.N)))
	}
	return a
}

func (m *machine) add(scheme, question string, a answer) {
	m.names = lists.Add(m.names, scheme)
	m.answers[[2]string{scheme, question}] = a
}

// given is the scheme as it was asked: a script may set a parameter, such as how a table grows.
func (m *machine) given(scheme string, q results.Question) string {
	asked := slices.Contains(m.Run.Suite.Schemes, scheme) || slices.Contains(q.Chosen, scheme)
	return lists.Either(asked || !slices.Contains(m.Run.Suite.Schemes, base(scheme)), scheme, base(scheme))
}

// table has a row for each scheme on a machine.
func (m *machine) table() grid {
	t := tableOf(m.names)
	t.Caption = m.Name
	t.add(text("scheme"), schemeCell)
	for _, q := range m.Run.Suite.Questions {
		t.add(heat(q.Name, q.Why), func(name string) cell { return m.Notes.cell(m, name, q.Name, false) })
	}
	return t.grid
}

// base is a scheme without its parameters.
func base(scheme string) string {
	name, _, _ := strings.Cut(scheme, ":")
	return name
}

// ranked are the answers to a question that have a rank, the fastest first, under the names that were asked.
func (m *machine) ranked(question string) (list []answer) {
	for _, name := range m.names {
		if a, ok := m.answers[[2]string{name, question}]; ok && a.why == "" {
			a.Scheme = name
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b answer) int { return cmp.Compare(b.Rate, a.Rate) })
	return list
}

// found says in one line which tables are the fastest, those that answer most questions first.
func (m *machine) found() string {
	const mostFound = 4 // tables that the line of a machine names
	answered := lists.Filter(m.Answers, func(v verdictOf) bool { return v.Best != "" })
	list := lists.Groups(answered, func(v verdictOf) string { return v.Best })
	slices.SortStableFunc(list, func(a, b []verdictOf) int { return cmp.Compare(len(b), len(a)) })
	best := lists.Map(list[:min(len(list), mostFound)], func(of []verdictOf) string { return fmt.Sprintf("%s at %d", of[0].Best, len(of)) })
	if more := len(list) - mostFound; more > 0 {
		best = append(best, numbers.Count(more, "other"))
	}
	return fmt.Sprintf("%s: fastest table of %s: %s", m.Name, numbers.Count(len(m.Answers), "question"), cmp.Or(strings.Join(best, ", "), "none"))
}

// verdictOf is the sentence that answers a question on a machine.
type verdictOf struct {
	results.Question
	Best, Rate, Lead, Bytes string
	Smaller                 string // the fastest of those that take at most four fifths of the memory
}

func newVerdict(q results.Question, ranked []answer) verdictOf {
	v := verdictOf{Question: q}
	if len(ranked) == 0 {
		return v
	}
	best := ranked[0]
	v.Best, v.Rate, v.Lead, v.Bytes = best.Scheme, grouped(results.RateText(best.Rate)), "the only table that answers", best.bytes()
	if len(ranked) == 1 {
		return v
	}
	second := ranked[1]
	low, _ := best.Interval()
	_, high := second.Interval()
	lead := 100 * (best.Rate/second.Rate - 1)
	v.Lead = lists.Either(low <= high, fmt.Sprintf("level with %s (%.1f %% apart is within the noise)", second.Scheme, lead),
		fmt.Sprintf("%.1f %% ahead of %s", lead, second.Scheme))
	for _, a := range ranked {
		if v.Smaller == "" && best.BytesPerPair != nil && a.BytesPerPair != nil && *a.BytesPerPair <= 0.8**best.BytesPerPair {
			v.Smaller = fmt.Sprintf("%s has %.0f %% of the rate in %s bytes", a.Scheme, 100*a.Rate/best.Rate, a.bytes())
		}
	}
	return v
}

// grouped separates thousands: 39,490.
func grouped(number string) string {
	whole, _, _ := strings.Cut(number, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		number = number[:i] + "," + number[i:]
	}
	return number
}

// notes are the footnotes of a table.
type notes []string

// number is that of a note, from 1 on.
func (n *notes) number(text string) string {
	*n = lists.Add(*n, text)
	return fmt.Sprint(1 + slices.Index(*n, text))
}

// cell shows an answer: as its ratio to the best with the noise, or as its rate with the ratio. Both are sorted by rate.
func (n *notes) cell(m *machine, scheme, question string, asRate bool) cell {
	a, asked := m.answers[[2]string{scheme, question}]
	switch {
	case !asked:
		return cell{Class: "none"}
	case a.failed:
		return cell{Text: "failed", Small: n.number(a.why), Class: "failed"}
	case a.why == analysis.Noisy:
		return cell{Text: "noisy", Small: n.number(a.why), Class: "none"}
	case a.why != "":
		return cell{Text: "–", Small: n.number(a.why), Class: "none"}
	}
	ratio, noise := lists.Either(a.ratio() == 1, "1", fmt.Sprintf("%.2f", min(a.ratio(), 0.99))), "±?"
	if a.Noise != nil {
		noise = fmt.Sprintf("±%.1f%%", max(0.1, 100**a.Noise))
	}
	c := cell{Text: ratio, Small: noise, Class: fmt.Sprintf("h%.0f", 10*a.ratio())}
	if ratio == "1" {
		c.Class = "best"
	}
	if asRate {
		c.Text, c.Small = grouped(results.RateText(a.Rate)), ratio
	} else {
		c.At = strings.TrimSpace(results.RateText(a.Rate) + " " + a.bytes())
	}
	return c
}

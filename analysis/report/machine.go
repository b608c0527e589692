package report

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	numbers "github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/results"
)

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
	if slices.Contains(m.Run.Suite.Schemes, scheme) || slices.Contains(q.Chosen, scheme) || !slices.Contains(m.Run.Suite.Schemes, base(scheme)) {
		return scheme
	}
	return base(scheme)
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

// mostFound is how many tables the line of a machine names.
const mostFound = 4

// found says in one line which tables are the fastest, those that answer most questions first.
func (m *machine) found() string {
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
	v.Lead = fmt.Sprintf("%.1f %% ahead of %s", lead, second.Scheme)
	if low <= high {
		v.Lead = fmt.Sprintf("level with %s (%.1f %% apart is within the noise)", second.Scheme, lead)
	}
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
	ratio, noise := fmt.Sprintf("%.2f", math.Min(a.ratio(), 0.99)), "±?"
	if a.ratio() == 1 {
		ratio = "1"
	}
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

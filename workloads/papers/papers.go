// Package papers holds what the papers claim against what their scripts show here.
//
// Beside the scripts of scripts/paper is a file for each paper, NAME.claims.toml: its mechanisms, its figures and
// tables with the small runs that show them, and what it says of each as a claim: in words, in the paper's numbers, and
// as an expression over the results. The check, the page docs/papers.md and its test all read these files. A claim
// holds, or the file says why it does not; a claim that is said not to hold and does is an error, too.
package papers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/tomlfile"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Paper is what is known of a paper.
type Paper struct {
	Name       string      `toml:"-"` // that its scripts begin with
	Title      string      `toml:"title"`
	By         string      `toml:"by"`
	Mechanisms []Mechanism `toml:"mechanism"`
	Figures    []Figure    `toml:"figure"`
}

// Mechanism is a part of a paper's scheme, and how it is here.
type Mechanism struct {
	What string `toml:"what"`
	Here string `toml:"here"`
}

// Figure is a figure or a table, or several that one run shows.
type Figure struct {
	What    string   `toml:"what"`
	Script  string   `toml:"script"`
	Measure string   `toml:"measure"`  // instead of a script: one of measures
	Not     string   `toml:"not_here"` // why there is neither
	Set     []string `toml:"set"`      // options of the small run
	GPU     []string `toml:"gpu"`      // options on a GPU, which override those of the small run
	Axis    []string `toml:"axis"`
	GPUAxis []string `toml:"gpu_axis"` // on a GPU, instead of axis
	Schemes []string `toml:"schemes"`
	Claims  []Claim  `toml:"claim"`
}

// Claim is what a paper says of a figure.
type Claim struct {
	Claim   string `toml:"claim"`
	Paper   string `toml:"paper"`   // its numbers, as text
	Ours    string `toml:"ours"`    // an expression: a number, or a list of numbers
	Holds   string `toml:"holds"`   // a condition on ours
	Differs string `toml:"differs"` // why the condition does not hold
	Rate    bool   `toml:"rate"`    // it is about times, so only a GPU shows it

	GPUDiffers string `toml:"gpu_differs"` // why it does not hold on a GPU, for sizes of the paper
}

// All reads the files of all papers that ship.
func All() (list []Paper, err error) {
	for name, text := range scripts.Claims() {
		p, err := read(name, text)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Paper) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

func read(name, text string) (p Paper, err error) {
	file := name + scripts.ClaimsExtension
	if err := tomlfile.Decode(file, text, &p); err != nil {
		return p, err
	}
	p.Name = strings.TrimPrefix(name, "paper/")
	for _, f := range p.Figures {
		if err := f.check(); err != nil {
			return p, fmt.Errorf("%s: %s: %w", file, f.What, err)
		}
	}
	return p, nil
}

func (f Figure) check() error {
	given := slices.DeleteFunc([]string{f.Script, f.Measure, f.Not}, func(s string) bool { return s == "" })
	if len(given) != 1 {
		return fmt.Errorf("it takes either script, measure or not_here")
	}
	switch {
	case f.Not != "":
		return nil
	case f.Measure != "":
		return cmp.Or(checkMeasure(f.Measure), f.checkClaims())
	}
	if _, err := scripts.Find(f.path()); err != nil {
		return err
	}
	if _, err := session.Schemes(f.Schemes); err != nil {
		return err
	}
	return f.checkClaims()
}

func (f Figure) checkClaims() error {
	for _, c := range f.Claims {
		if c.Claim == "" || c.Paper == "" || c.Ours == "" || c.Holds == "" {
			return fmt.Errorf("claim %q: it takes claim, paper, ours and holds", c.Claim)
		}
	}
	return nil
}

// path is that of the script, or of what is measured instead.
func (f Figure) path() string {
	return lists.Either(f.Measure != "", "hashzoo devices --"+f.Measure, "paper/"+f.Script)
}

// isOf reports whether one of the schemes is measured; of none, all are meant.
func (f Figure) isOf(names []string) bool {
	return len(names) == 0 || slices.ContainsFunc(f.Schemes, func(text string) bool {
		name, _, _ := strings.Cut(text, ":")
		return slices.Contains(names, name)
	})
}

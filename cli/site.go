package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/analysis"
	reports "github.com/hashzoo/hashzoo/analysis/report"
	"github.com/hashzoo/hashzoo/export"
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/step"
)

func newSiteCommand(env *Env) *cobra.Command {
	out := ""
	command := &cobra.Command{Use: "site", RunE: func(_ *cobra.Command, args []string) error { return env.site(args, out) }}
	command.Flags().StringVarP(&out, "output", "o", "", "the `folder` to write, such as site")
	env.usesSchemes(command)
	return command
}

func (env *Env) site(folders []string, out string) error {
	if out == "" {
		return misused(errors.New("-o is missing: it takes the folder to write, such as -o site"))
	}
	site := reports.Site{Schemes: map[string]reports.Scheme{}, Scripts: map[string]string{}}
	sides, err := sidesOf(folders, analysis.ReadParts)
	if err != nil {
		return err
	}
	for _, side := range sides {
		site.Files = append(site.Files, side.Files...)
	}
	for _, s := range slices.Concat(schemes.All(), schemes.References()) {
		site.Schemes[s.Name] = describeForSite(s.Defaults())
	}
	for _, script := range scripts.All() {
		site.Scripts[script.Name] = script.Source
	}
	if err := site.Write(out); err != nil {
		return usage(err)
	}
	return env.lines("site: " + filepath.Join(out, "index.html"))
}

func describeForSite(c schemes.Config) reports.Scheme {
	s := reports.Scheme{Scheme: c.Scheme}
	if c.Reference {
		return s // its library has the rest
	}
	essays, err := c.Essays()
	if err == nil {
		s.Plays, err = plays(c)
	}
	if err != nil {
		s.Lacks = err.Error()
		return s
	}
	for _, block := range blocks(essays[0].Lines) {
		joint := " "
		if isIndented(block[0]) {
			joint = "\n"
		}
		if text := strings.TrimPrefix(strings.Join(block, joint), essays[0].Header+": "); text != "" {
			s.Essay = append(s.Essay, text)
		}
	}
	for _, lang := range export.Langs {
		s.Export = append(s.Export, fmt.Sprintf("hashzoo export --lang %s %s my-%s", lang, c.Name, lang))
	}
	return s
}

// mostStills is the number of steps up to which an operation is shown.
const mostStills = 12

// plays are what adds a pair to a small table and what removes one: of the scheme's vectors, the operations with the highest rank.
func plays(c schemes.Config) (list []reports.Play, err error) {
	var longest [2]step.Operation
	err = step.Play(c, func(l step.Line) error {
		if l.Done == nil || len(l.Done.Steps) > mostStills {
			return nil
		}
		o := kernels.Op(l.Words[0])
		for i, does := range []bool{o.Adds, o.Removes != kernels.RemovesNone} {
			if does && rank(*l.Done) > rank(longest[i]) {
				longest[i] = *l.Done
			}
		}
		return nil
	})
	for _, o := range longest {
		if len(o.Steps) > 0 {
			list = append(list, play(o))
		}
	}
	return list, err
}

// rank prefers operations on a single key, then those of many steps.
func rank(o step.Operation) int {
	if len(strings.Fields(o.Text)) == 2 {
		return 1000 + len(o.Steps)
	}
	return len(o.Steps)
}

func play(o step.Operation) reports.Play {
	steps := append([]step.Step{{Text: "Before", State: o.Before}}, o.Steps...)
	return reports.Play{Title: o.Text, Stills: lists.Map(steps, func(s step.Step) reports.Still { return reports.Still{Text: s.Text, Rows: stillRows(s)} })}
}

func stillRows(s step.Step) (list []reports.StillRow) {
	for i, r := range s.Rows {
		row := reports.StillRow{Title: r.Title}
		for j, text := range r.Cells {
			class := ""
			here := func(p step.Place) bool { return p.Row == i && (p.Cell == j || p.Cell == -1) }
			switch {
			case slices.Contains(s.Changed, step.Place{Row: i, Cell: j}):
				class = "changed"
			case slices.ContainsFunc(s.At, here):
				class = "at"
			}
			row.Cells = append(row.Cells, [2]string{class, text})
		}
		list = append(list, row)
	}
	return list
}

package survey

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/schemes"
)

// Page is a survey as a page for people, in Markdown.
func Page(rows []Row, loads []float64) string {
	var b strings.Builder
	line := func(cells ...string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	fmt.Fprintf(&b, "## What each can do\n\n")
	line("scheme", "what it is", "operations", "may share a batch", "stable", "duplicates", "in host memory", "pairs")
	line(slices.Repeat([]string{"---"}, 8)...)
	for _, r := range rows {
		c := r.Scheme.Caps
		line("`"+r.Scheme.Name+"`", r.Scheme.Title, strings.Join(c.Ops, ", "), orDash(strings.Join(c.Concurrent, ", ")),
			stable(r.Scheme), yes(c.Duplicates), yes(c.HostMemory), pairs(c))
	}
	fmt.Fprintf(&b, "\n## What each takes\n\n")
	line(slices.Concat([]string{"scheme", "fills to"}, columns(loads))...)
	line(append([]string{"---", "---:"}, slices.Repeat([]string{"---:"}, 4*len(loads))...)...)
	for _, r := range rows {
		line(slices.Concat([]string{"`" + r.Scheme.Name + "`", reached(r)}, figures(r, loads))...)
	}
	fmt.Fprintf(&b, "\n## What can be watched\n\n")
	line("scheme", "gauge", "of", "what it shows")
	line(slices.Repeat([]string{"---"}, 4)...)
	for _, r := range rows {
		for _, g := range r.Scheme.Gauges {
			line("`"+r.Scheme.Name+"`", g.Name, g.Unit, g.Help)
		}
	}
	return b.String()
}

func columns(loads []float64) []string {
	var list []string
	for _, load := range loads {
		for _, what := range []string{"insert", "found", "absent", "bytes"} {
			list = append(list, fmt.Sprintf("%s at %g", what, load))
		}
	}
	return list
}

func reached(r Row) string {
	if r.Grows {
		return "grows"
	}
	return fmt.Sprintf("%.2f", r.Reached)
}

// figures are a scheme's cells. A table that was not filled as far as asked for, or
// is never so full, says so.
func figures(r Row, loads []float64) []string {
	var cells []string
	for i, p := range r.Probes {
		if p.Failed > 0 {
			cells = append(cells, "full", "", "", "")
			continue
		}
		note := ""
		if off := p.Filled - loads[i]; off > 0.01 || off < -0.01 {
			note = fmt.Sprintf(" (is %.2f full)", p.Filled)
		}
		cells = append(cells, fmt.Sprintf("%.2f%s", p.Insert, note), fmt.Sprintf("%.2f", p.Present),
			fmt.Sprintf("%.2f", p.Absent), fmt.Sprintf("%.1f", p.Bytes))
	}
	return cells
}

func pairs(c schemes.Capabilities) string {
	var list []string
	for _, p := range c.Pairs {
		list = append(list, p.String())
	}
	return strings.Join(list, " ")
}

// stable says whether pairs stay where they were put, and with which choices they do not.
func stable(s *schemes.Scheme) string {
	if with := s.MovesWith(); with != nil {
		return yes(s.Caps.Stable) + ", but not with " + strings.Join(with, " or ")
	}
	return yes(s.Caps.Stable)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func orDash(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// Package survey measures what schemes are like apart from their speed: how full they
// get, how often they look at memory, and how much of it they take. Such figures are a
// property of the scheme and its parameters, the same on every machine.
package survey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Row describes one scheme.
type Row struct {
	schemes.Config
	fill    results.Document // of the script stress/fill
	counted results.Document // of the script standard, with its probes
}

// Measure surveys one scheme, with n pairs or slots.
func Measure(ctx context.Context, q session.Request, config schemes.Config, n int, loads string) (row Row, err error) {
	q.Choice.Schemes, q.Pair, q.Policy, q.LeaveOut = []string{config.String()}, config.Caps.Pairs[0], engine.Policy{Least: 1, Most: 1}, true
	row.Config = config
	q.Script, q.Set = "stress/fill", []string{fmt.Sprint("capacity=", n)}
	if row.fill, err = carryOut(ctx, q); err != nil {
		return row, err
	}
	q.Script, q.Set, q.Axis, q.Count = "standard", []string{fmt.Sprint("n=", n), "present=1,0"}, []string{"load=" + loads}, new(true)
	row.counted, err = carryOut(ctx, q)
	return row, err
}

func carryOut(ctx context.Context, q session.Request) (d results.Document, err error) {
	if d, err = q.Results(ctx); err != nil && !errors.Is(err, run.ErrThreshold) {
		return d, fmt.Errorf("survey: %w", err)
	}
	return d, nil
}

// Page is a survey in Markdown.
func Page(rows []Row, loads []float64) string {
	var common []string // operations of all
	if len(rows) > 1 {
		common = lists.Filter(rows[0].Scheme.Caps.Ops, func(op string) bool {
			return !slices.ContainsFunc(rows, func(r Row) bool { return !slices.Contains(r.Scheme.Caps.Ops, op) })
		})
	}
	operations := strings.TrimSuffix("operations besides "+strings.Join(common, ", "), " besides ")
	able := results.TableOf("scheme | what it is | "+operations+" | may share a batch | stable | duplicates | in host memory | pairs", rows, func(r Row) []string {
		c := r.Scheme.Caps
		further := lists.Filter(c.Ops, func(op string) bool { return !slices.Contains(common, op) })
		return []string{"`" + r.String() + "`", r.Title, cmp.Or(strings.Join(further, ", "), "none"), cmp.Or(strings.Join(c.Concurrent, ", "), "none"),
			stable(r.Scheme), yes(c.Duplicates), yes(c.HostMemory), strings.Join(lists.Map(c.Pairs, schemes.Pair.String), " ")}
	})
	titles := "scheme | #fills to"
	for _, load := range loads {
		titles += fmt.Sprintf(" | #insert at %g | #found at %[1]g | #absent at %[1]g | #bytes at %[1]g", load)
	}
	taken := results.TableOf(titles, rows, func(r Row) []string {
		values := r.fill.Summaries[0].Values
		reached := lists.Either(values["grows"] == true, "grows", fmt.Sprintf("%.2f", values["fills to"]))
		return slices.Concat([]string{"`" + r.String() + "`", reached}, figures(r, loads))
	})
	var b strings.Builder
	b.WriteString("## What each can do\n\n")
	_ = able.Markdown(&b) // into memory
	b.WriteString("\n## What each takes\n\n")
	_ = taken.Markdown(&b)
	return b.String()
}

// figures are a scheme's cells. A table that was not filled as far as requested says so.
func figures(r Row, loads []float64) (cells []string) {
	for _, load := range loads {
		at := map[string]results.Row{}
		for _, row := range r.counted.Rows {
			if row.Point["load"] == load {
				at[row.Phase] = row
			}
		}
		build, full := at["build"], []string{"full", "", "", ""}
		if len(at) == 0 || build.Counts["failed"] > 0 {
			cells = append(cells, full...)
			continue
		}
		note := lists.Either(math.Abs(build.Load-load) > 0.01, fmt.Sprintf(" (is %.2f full)", build.Load), "")
		probes := func(phase string) string { return fmt.Sprintf("%.2f", at[phase].PerOp["probes"]) }
		cells = append(cells, probes("build")+note, probes("find 100 %"), probes("find 0 %"), fmt.Sprintf("%.1f", *build.BytesPerPair))
	}
	return cells
}

// stable says whether pairs stay in place, and with which choices they do not.
func stable(s *schemes.Scheme) string {
	return yes(s.Caps.Stable) + lists.Either(s.Moves == nil, "", ", but not with "+strings.Join(s.Moves, " or "))
}

func yes(b bool) string { return lists.Either(b, "yes", "no") }

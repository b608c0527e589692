package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// summary has a script's own values for a scheme in one file.
type summary struct {
	results.Summary
	side string
}

func summaries(sides []analysis.Side) (list []summary) {
	for _, s := range sides {
		for i, f := range s.Files {
			name := s.Name
			if len(s.Files) > 1 {
				name = fmt.Sprintf("%s, run %d", s.Name, i+1)
			}
			for _, one := range f.Summaries {
				list = append(list, summary{one, name})
			}
		}
	}
	return list
}

// reported is the table of what scripts say: their values, conditions and notes.
func reported(sides []analysis.Side) grid {
	all := slices.DeleteFunc(summaries(sides), func(s summary) bool { return len(s.Values)+len(s.Thresholds)+len(s.Notes) == 0 })
	g := grid{Rows: lists.Map(all, func(s summary) row { return row{} })}
	add := func(c column, of func(summary) cell) { g.add(c, lists.Map(all, of)) }
	if len(lists.Unique(lists.Map(all, func(s summary) string { return s.side }))) > 1 {
		add(text("results"), func(s summary) cell { return words(s.side) })
	}
	add(text("scheme"), func(s summary) cell { return words(s.Scheme) })
	for _, axis := range keys(all, func(s summary) map[string]any { return s.Point }) {
		add(text(axis), func(s summary) cell { return words(analysis.Text(s.Point[axis])) })
	}
	for _, name := range keys(all, func(s summary) map[string]any { return s.Values }) {
		c := text(name)
		c.Number = !slices.ContainsFunc(all, func(s summary) bool { _, isText := s.Values[name].(string); return isText })
		add(c, func(s summary) cell { return value(s.Values[name]) })
	}
	add(text("conditions"), func(s summary) cell {
		return long(strings.Join(lists.Map(s.Thresholds, func(t results.Threshold) string {
			if t.Holds {
				return t.Condition + " holds"
			}
			return fmt.Sprintf("%s does not hold: it has %s", t.Condition, value(t.Value).Text)
		}), "; "))
	})
	add(text("notes"), func(s summary) cell { return long(strings.Join(s.Notes, "; ")) })
	return g
}

func value(v any) cell {
	if x, ok := v.(float64); ok {
		return cell{Text: strconv.FormatFloat(x, 'g', 5, 64), Number: full(x)}
	}
	return words(analysis.Text(v))
}

// inputs is the table of digests: rows with the same input are comparable, and equal results agree.
func inputs(rows []measured) grid {
	same := lists.Groups(rows, func(m measured) string { return fmt.Sprint(m.Op, m.Phase, m.Pair, m.Point, m.Input, m.Result) })
	all := lists.Map(same, func(same []measured) measured { return same[0] })
	g := grid{Rows: lists.Map(all, func(measured) row { return row{} })}
	g.where(all)
	g.add(text("input"), lists.Map(all, func(m measured) cell { return cell{Text: m.Input, Class: "digest"} }))
	g.add(text("results"), lists.Map(all, func(m measured) cell { return cell{Text: m.Result, Class: "digest"} }))
	g.add(text("schemes"), lists.Map(same, func(same []measured) cell {
		return words(strings.Join(lists.Unique(lists.Map(same, func(m measured) string { return m.Scheme })), ", "))
	}))
	return g
}

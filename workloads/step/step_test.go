package step

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // the schemes that ship
	"github.com/hashzoo/hashzoo/schemes"
)

// The vectors of every scheme, step by step. Play compares them with what they say.
func TestStepsOfVectors(t *testing.T) {
	for _, s := range schemes.All() {
		t.Run(s.Name, func(t *testing.T) {
			operations, evicted := 0, 0
			before := State{}
			err := Play(s.Defaults(), func(l Line) error {
				if l.Done != nil {
					operations++
					wantChained(t, before, l)
					evicted = 0
					for _, s := range l.Done.Steps {
						if s.Kind == Exchange && strings.Contains(s.Text, "is evicted") {
							evicted++
						}
					}
					evicted -= handedBack(l.Done)
				}
				want, ok := evictions(l.Words)
				must.Hold(t, !ok || want == evicted, "line %d: %d evictions, and %d were seen", l.Number, want, evicted)
				before = l.State
				return nil
			})
			must.Hold(t, err == nil, "%v", err)
			must.Hold(t, operations >= 4, "only %d operations were seen", operations)
		})
	}
}

// handedBack is 1 if the last exchange evicts the pair that is handed back, which kernels
// that do not read a slot before they exchange it do not count.
func handedBack(o *Operation) int {
	_, left, _ := strings.Cut(o.Gave, "left ")
	if n := len(o.Steps); left != "" && strings.HasSuffix(o.Steps[n-2].Text, ", "+left+" is evicted") {
		return 1
	}
	return 0
}

// wantChained checks that the steps of a line lead from one state to the next, that each
// names the cells that it changes, and that the last one ends the operation.
func wantChained(t *testing.T, before State, l Line) {
	t.Helper()
	last := l.Done.Before
	must.Hold(t, slices.EqualFunc(last.Rows, before.Rows, sameRow), "line %d begins with %v, and the one before ended with %v", l.Number, last.Rows, before.Rows)
	for i, s := range l.Done.Steps {
		must.Hold(t, !strings.Contains(s.Text, "=18446744073709551615 goes in"), "line %d, step %d shows half a pair: %s", l.Number, i, s.Text)
		must.Hold(t, s.Text != "" && s.Kind != "" && !strings.Contains(s.Text, "\n"), "line %d, step %d: %q of kind %q", l.Number, i, s.Text, s.Kind)
		if len(s.Rows) == len(last.Rows) && sameLengths(s.Rows, last.Rows) && s.Kind != Host {
			must.Match(t, differences(last, s.State), s.Changed, l.Number, i, s.Text)
		}
		last = s.State
	}
	n := len(l.Done.Steps)
	must.Hold(t, n != 0 && l.Done.Steps[n-1].Kind == End, "line %d does not end", l.Number)
	must.Hold(t, slices.EqualFunc(last.Rows, l.State.Rows, sameRow), "line %d: the last step leaves %v, and the table has %v", l.Number, last.Rows, l.State.Rows)
}

func sameRow(a, b Row) bool { return a.Title == b.Title && slices.Equal(a.Cells, b.Cells) }

func sameLengths(a, b []Row) bool {
	return slices.EqualFunc(a, b, func(a, b Row) bool { return len(a.Cells) == len(b.Cells) })
}

func differences(before, after State) (changed []Place) {
	for i, r := range after.Rows {
		for j, text := range r.Cells {
			if text != before.Rows[i].Cells[j] {
				changed = append(changed, Place{i, j})
			}
		}
	}
	return changed
}

func count(steps []Step, kind Kind) (n int) {
	for _, s := range steps {
		if s.Kind == kind {
			n++
		}
	}
	return n
}

// evictions are what a line of counts says of them.
func evictions(words []string) (n int, ok bool) {
	for _, word := range words {
		if said, yes := strings.CutPrefix(word, "evictions="); yes {
			_, err := fmt.Sscan(said, &n)
			return n, err == nil
		}
	}
	return 0, false
}

// Every scheme opens with its own small table and with parameters, carries out what it has, and takes it back.
func TestStepsOfOwnKeys(t *testing.T) {
	for _, s := range schemes.All() {
		t.Run(s.Name, func(t *testing.T) {
			for _, config := range []schemes.Config{s.Defaults(), given(t, s)} {
				table := must.Get(Open(config))(t)
				slots := table.player.Table.Capacity()
				must.Hold(t, slots <= 200, "%s: that is not a small table", table.Title())
				carryOut(t, table)
				must.OK(t, table.Close())
			}
		})
	}
}

// given is a configuration with one parameter that was set, to its default.
func given(t *testing.T, s *schemes.Scheme) schemes.Config {
	t.Helper()
	return must.Get(s.Defaults().With(s.Params[0].Name, s.Params[0].Text(s.Params[0].Default)))(t)
}

// carryOut inserts and finds a key, makes a change, and undoes it. Where values lie apart, the step shows their count.
func carryOut(t *testing.T, table *Table) {
	t.Helper()
	insert := do(t, table, "insert", "7=70")
	must.Hold(t, (mentions(insert.Steps, "7=70") || mentions(insert.Steps, "7=1")) && insert.Gave == "ok",
		"%s: insert gave %s: %v", table.Title(), insert.Gave, texts(insert.Steps))
	find := do(t, table, "find", "7")
	must.Hold(t, find.Gave == "70" && count(find.Steps, Visit) != 0 && count(find.Steps, Read) != 0,
		"%s: find gave %s: %v", table.Title(), find.Gave, texts(find.Steps))
	before := table.State()
	if table.player.Table.Config().Caps.Has("erase") {
		do(t, table, "erase", "7")
	} else {
		do(t, table, "insert", "8=80")
	}
	err := table.Keep(2)
	must.Hold(t, err == nil && slices.EqualFunc(before.Rows, table.State().Rows, sameRow) && len(table.done) == 2,
		"%s: a change that was taken back leaves %v after %v: %v", table.Title(), table.State().Rows, before.Rows, err)
	err = must.Err(table.Do("find", "seven"))
	must.Hold(t, err != nil && len(table.done) == 2, "%s: find seven is carried out", table.Title())
}

func do(t *testing.T, table *Table, op string, words ...string) Operation {
	t.Helper()
	done, err := table.Do(op, words...)
	must.Hold(t, err == nil, "%s: %v", table.Title(), err)
	return done
}

func texts(steps []Step) (list []string) {
	for _, s := range steps {
		list = append(list, s.Text)
	}
	return list
}

// mentions reports whether a step tells of a pair that goes in.
func mentions(steps []Step, pair string) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return strings.Contains(s.Text, pair+" goes in") })
}

// A scheme without vectors shows a few operations.
func TestStepsWithoutVectors(t *testing.T) {
	for _, s := range schemes.All() {
		bare := *s
		bare.Vectors = ""
		seen := map[string]int{}
		err := Play(bare.Defaults(), func(l Line) error {
			if l.Done != nil {
				seen[l.Words[0]] += len(l.Done.Steps)
			}
			return nil
		})
		must.Hold(t, err == nil && seen["insert"] >= 16 && seen["find"] >= 4 && (!bare.Caps.Has("erase") || seen["erase"] >= 4), "%s shows %v: %v", s.Name, seen, err)
	}
}

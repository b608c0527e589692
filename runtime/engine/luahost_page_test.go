package engine

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/schemes"
)

// The examples of docs/host.md are host sides. The first line says of what: they do on
// tables of that scheme what they are for, and the oracle agrees.
func TestExamplesOfTheHostPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/host.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```lua\n-- ([^\n]*)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if all := strings.Count(string(page), "```lua"); len(examples) != all || all < 5 {
		t.Fatalf("%d of %d examples say which scheme they are of", len(examples), all)
	}
	for _, e := range examples {
		t.Run(e[1], func(t *testing.T) {
			grows := strings.Contains(e[2], "2 * t.capacity")
			on := luaTable(t, openCPU(t, 2), e[1], e[2], 64, 1)
			passing(t, on, insert(from(1, 30)))
			s := passing(t, on, insert(from(100, 500)))
			if failed := s.Counts.Get("failed"); grows != (failed == 0) {
				t.Errorf("%d inserts fail, notes %q", failed, s.Notes)
			}
			if strings.Contains(e[2], "t:note") && strings.Contains(e[2], "function insert") && s.Notes == nil {
				t.Error("there is no note")
			}
			contents(t, on)
			for _, b := range []Batch{{Op: "flush"}, {Op: "resize", Capacity: 3000}, {Op: "resize", Capacity: 1}} {
				if on.Config().Host[b.Op] != nil && strings.Contains(e[2], "function "+b.Op) {
					passing(t, on, b)
					contents(t, on)
				}
			}
			passing(t, on, find(from(1, 700)))
		})
	}
}

// A mixed batch runs in phases on a scheme whose operations share no launch. What failed in
// one is not carried out again in the next.
func TestAgainInPhases(t *testing.T) {
	c := inLua(t, "linear:bucket=1", `
	function upsert(t, batch)
	  local done = t:launch(t:remember(batch))
	  if done.failed == 0 then return done end
	  local all = t:pairs()
	  t:swap(t:make{ capacity = 1000 })
	  t:launch(all)
	  return t:again(done)
	end
	function insert(t, batch) return t:launch(batch) end`)
	c.Caps.Concurrent, c.Scheme.Caps.Concurrent = nil, nil
	on := table(t, openCPU(t, 1), Spec{Config: c, Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 64}, Verify: true})
	var keys, ops List
	for i := range uint64(200) {
		keys, ops = append(keys, i), append(ops, opCode([]string{"insert", "upsert"}[i%2]))
	}
	s := passing(t, on, Batch{Op: Mix, Keys: keys, Values: keys, Ops: ops})
	if s.Counts.Get("failed") != 36 || s.Counts.Get("ok") != 164 || len(s.Phases) < 2 {
		t.Errorf("%v in the phases %v", s.Counts.Named(), s.Phases)
	}
	contents(t, on)
}

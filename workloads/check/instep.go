package check

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// sequences compares the verbs of tiles that would move in step on a GPU. What a tile does next may only depend on what
// its verbs `any` and `branch` have answered: of all others, the tiles of a warp have different answers. A CPU runs one
// tile after the other, so any two steps of a launch are compared, and each with that of an idle tile.
type sequences struct {
	op    string // of the launch
	first *point
	tiles [2]tile // one that is busy, and an idle one
	err   error   // the first mistake
}

// tile is the position of a tile in its step.
type tile struct {
	at   *point
	done []string // since the step began
}

// point is a point of a step. All tiles that come there do the same.
type point struct {
	verb string // empty: none was here yet
	next [2]*point
}

const ending = "the end of the step"

func (s *sequences) see(e engine.Event) {
	switch e.What {
	case "launch":
		s.op, s.first = e.Op, &point{}
		s.tiles = [2]tile{{at: s.first}, {at: s.first}}
	case "verb":
		s.does(int(e.Step.Step), kernels.Verbs[e.Key], e.Place)
	case "stepped", "idle":
		idle := lists.Either(e.What == "idle", 1, 0)
		s.does(idle, ending, 0)
		s.tiles[idle] = tile{at: s.first, done: s.tiles[idle].done[:0]}
	case "spoilt":
		s.fail("an idle tile changes memory %s; hint: do so only where tile.busy()", after(s.tiles[1].done))
	}
}

func (s *sequences) fail(format string, args ...any) {
	s.err = cmp.Or(s.err, fmt.Errorf("%s: %s", s.op, fmt.Sprintf(format, args...)))
}

// does takes a tile a verb further.
func (s *sequences) does(idle int, verb string, answer uint32) {
	t := &s.tiles[idle]
	switch t.at.verb {
	case "":
		t.at.verb = verb
	case verb:
	default:
		s.fail("tiles of a warp part, and a GPU hangs or is wrong: %s, one comes to %s, and %s to %s; "+
			"hint: no verb under a condition that differs between tiles, unless tile.any() says it holds for one",
			after(t.done), t.at.verb, []string{"another", "an idle one"}[idle], verb)
		return
	}
	if t.at.next[answer] == nil {
		t.at.next[answer] = &point{}
	}
	t.at, t.done = t.at.next[answer], append(t.done, verb)
}

// after names the last verbs.
func after(done []string) string {
	return lists.Either(len(done) == 0, "as the step begins", "after "+strings.Join(done[max(0, len(done)-6):], ", "))
}

// inStep watches the verbs of tiles by instrumented kernels, and what an idle tile would do.
func inStep(c *climb) {
	t := c.tableOn(c.cpu("cpu", device.Options{Threads: 1}), c.small, func(s *engine.Spec) { s.Counted = true })
	var s sequences
	c.must(t.Table.WatchVerbs(s.see))
	n := t.half()
	t.do("insert", c.keys().Take(n))
	for _, op := range c.keyed() {
		if op != "insert" {
			t.do(op, c.keys().Take(2*n).Shuffle(3))
		}
		c.must(s.err)
	}
	t.do("insert", c.keys().Slice(2*n, 4*n)) // until it is full
	c.must(s.err)
}

package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// crowd is how many keys race side by side: as many operations as a worker of a CPU takes at once.
const crowd = 32

// racer is a device on which neighboring operations meet: workers of a CPU take small pieces.
func (c *climb) racer() device.Device {
	if !isCPU(c.dev) {
		return c.dev
	}
	return c.cpu(c.dev.Info().Name, device.Options{Threads: max(2, c.dev.Info().Threads), Piece: crowd})
}

// act is an operation on one of the keys of a race.
type act struct {
	key int
	op  string
}

// arrange puts the acts of a key side by side, for one worker, or a piece apart, for two.
func arrange(random *rand.Rand, acts [][]act) (order []act) {
	for group := range slices.Chunk(acts, crowd) {
		if random.IntN(2) == 0 {
			order = append(order, slices.Concat(group...)...)
			continue
		}
		for round, more := 0, true; more; round++ {
			more = false
			for _, i := range random.Perm(len(group)) {
				if round < len(group[i]) {
					order, more = append(order, group[i][round]), true
				}
			}
		}
	}
	return order
}

func (c *climb) distinct(random *rand.Rand, n int) engine.List {
	list := make(engine.List, 0, n)
	for len(list) < n {
		if key := random.Uint64N(c.pair.ErasedKey()); !slices.Contains(list, key) {
			list = append(list, key)
		}
	}
	return list
}

func batchOf(op string, keys engine.List, acts []act, first uint64) engine.Batch {
	b := engine.Batch{Op: op}
	var at, values, ops engine.List
	for i, a := range acts {
		at, values, ops = append(at, keys[a.key]), append(values, first+uint64(i)), append(ops, opCode(a.op))
		if op == engine.Mix && !slices.Contains(b.Mixed, a.op) {
			b.Mixed = append(b.Mixed, a.op)
		}
	}
	b.Keys = at
	if kernels.Op(op).Value {
		b.Values = values
	}
	if op == engine.Mix {
		b.Ops = ops
	}
	return b
}

func opCode(op string) uint64 { return uint64(kernels.OpNumber(op)) }

// aloneInMix checks that an operation does the same in a shared launch and in its own.
func aloneInMix(c *climb) {
	for _, op := range c.config.Caps.Concurrent {
		alone, n := c.filled(c.large / 4)
		mixed, _ := c.filled(c.large / 4)
		from := n / 2
		if kernels.Op(op).Blind() {
			from, n = n, n/2 // a table that is as full as it gets may refuse a pair in one order and take it in another
		}
		b := engine.Batch{Op: op, Keys: c.keys().Slice(from, n), Values: c.values("alone", n)}
		first := alone.run(b)
		b.Op, b.Ops, b.Mixed = engine.Mix, slices.Repeat(engine.List{opCode(op)}, int(n)), []string{op}
		second := mixed.run(b)
		if x, y := alone.contents().Digest, mixed.contents().Digest; x != y || !slices.Equal(first.Counts, second.Counts) {
			c.fail("%s counts %v and leaves %s, and in a shared launch %v and %s", op, first.Counts.Named(), x, second.Counts.Named(), y)
		}
	}
}

// meet repeats what depends on how tiles meet, with different seeds.
func (c *climb) meet(what string, do func(dev device.Device, seed uint64)) {
	dev := c.racer()
	for seed := range c.seeds {
		func() {
			defer c.adding(fmt.Sprintf("%s %d", what, seed))
			do(dev, seed)
		}()
	}
}

// race lets operations that add a key race with one that removes it. No key may be duplicated, resurrected or lost.
func (c *climb) race(dev device.Device, seed uint64) {
	random := rand.New(rand.NewPCG(c.seed, seed))
	keys := c.distinct(random, int(c.small))
	t := c.tableOn(dev, 8*c.small, func(s *engine.Spec) { s.Seed += seed })
	half := len(keys) / 2
	t.do(c.adds(), keys[:half])

	acts := make([][]act, len(keys))
	for i := range acts {
		for _, op := range c.rivals(random, i < half) {
			acts[i] = append(acts[i], act{i, op})
		}
	}
	order := arrange(random, acts)
	if s := t.run(batchOf(engine.Mix, keys, order, 1<<20)); len(s.Phases) > 0 {
		c.fail("ran in the phases %v, and the scheme says that %v may share one", s.Phases, c.config.Caps.Concurrent)
	}
	t.contents()
	t.do("find", keys)
	if c.has("erase") {
		for range 4 { // as often as a key may be there
			t.do("erase", keys)
			t.contents()
			t.do("find", keys)
		}
		t.holds(0)
		t.do("find", keys, want{"missing", uint64(len(keys))})
	}
}

func (c *climb) adds() string { return lists.Either(c.has("insert"), "insert", "upsert") }

// rivals are the operations on one key: two that add it if the scheme allows that, one that removes it, and others.
func (c *climb) rivals(random *rand.Rand, there bool) (list []string) {
	one := func(is func(kernels.Operation) bool) bool {
		ops := c.sharing(is)
		if len(ops) > 0 {
			list = append(list, ops[random.IntN(len(ops))])
		}
		return len(ops) > 0
	}
	adds := func(op kernels.Operation) bool { return op.Adds }
	looks := func(op kernels.Operation) bool { return op.Adds && !op.Blind() }
	removes := func(op kernels.Operation) bool { return op.Removes != kernels.RemovesNone }
	switch {
	case !c.can(uniqueKeys):
		one(adds)
		one(adds)
	case one(looks):
		one(looks)
	case !there: // nothing else may add it: a blind operation does not look for its key
		one(adds)
	}
	one(removes)
	one(func(op kernels.Operation) bool { return !adds(op) && !removes(op) })
	one(func(op kernels.Operation) bool { return op.Answer == kernels.OneValue })
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

const (
	historyKeys    = 2 * crowd
	historyBatches = 4
	actsPerKey     = 8
	mostPairs      = 4 // of one key
	mostChoices    = 3 // of a batch, on one key
)

// history checks a small history for linearizability: is there an order of the operations, batch after batch,
// that explains what each gave? Operations that go through a key's pairs one by one are left out.
func (c *climb) history(dev device.Device, seed uint64) {
	random := rand.New(rand.NewPCG(c.seed, 1<<32+seed))
	h := &historian{
		trial:  c.tableOn(dev, 2*historyKeys*historyBatches*actsPerKey, func(s *engine.Spec) { s.Seed += seed }),
		random: random, keys: c.distinct(random, historyKeys), value: 1,
		there: make([]int, historyKeys), past: make([][]porcupine.Operation, historyKeys),
	}
	for range historyBatches {
		if op := c.adds(); len(c.sharing(func(op kernels.Operation) bool { return op.Adds })) == 0 {
			h.alone(op, func(key int) bool { return h.there[key] == 0 && random.IntN(4) > 0 })
		}
		h.carryOut(engine.Mix, arrange(random, lists.Make(len(h.keys), h.draw)))
		h.look()
		if c.has("erase") && !c.shares("erase") {
			h.alone("erase", func(int) bool { return random.IntN(2) == 0 })
		}
	}
	for key, past := range h.past {
		switch porcupine.CheckOperationsTimeout(sequential(c.pair), past, 10*time.Second) {
		case porcupine.Illegal:
			c.fail("key %#x: there is no order of these operations:\n%s", h.keys[key], describe(past))
		case porcupine.Unknown:
			c.fail("key %#x: whether there is an order of these operations was not decided in 10 seconds:\n%s", h.keys[key], describe(past))
		}
	}
}

type historian struct {
	*trial
	random *rand.Rand
	keys   engine.List
	there  []int // how often each key is in the table
	past   [][]porcupine.Operation
	clock  int64
	value  uint64 // the next one, which nobody has had
}

// call is an operation and the value that it is given.
type call struct {
	op    string
	value uint64
}

func (h *historian) draw(key int) (list []act) {
	added, blind, choices := 0, 0, 0
	for range actsPerKey {
		ops := slices.DeleteFunc(kernels.OpsThat(kernels.Operation.OnePair), func(op string) bool {
			return !h.c.shares(op) || !h.may(kernels.Op(op), h.there[key]+added, blind, choices)
		})
		if len(ops) == 0 {
			break
		}
		list = append(list, act{key, ops[h.random.IntN(len(ops))]})
		switch op := kernels.Op(list[len(list)-1].op); {
		case op.Blind():
			added, blind = added+1, blind+1
		case !op.Looks():
			choices++
			if op.Adds {
				added++
			}
		}
	}
	return list
}

// may reports whether a key with at most that number of pairs may have one more operation. A key that must be unique
// is not inserted while in the table, and nothing else adds one that is inserted. Other keys have few pairs and few
// operations that choose among them, since each multiplies the histories to search.
func (h *historian) may(op kernels.Operation, pairs, blind, choices int) bool {
	switch unique := h.c.can(uniqueKeys); {
	case op.Blind():
		return pairs == 0 || !unique && pairs < mostPairs
	case op.Looks():
		return true
	case unique:
		return !op.Adds || blind == 0
	}
	return choices < mostChoices
}

// alone carries out an operation that shares no launch, in a batch of its own.
func (h *historian) alone(op string, on func(key int) bool) {
	var order []act
	for key := range h.keys {
		if on(key) {
			order = append(order, act{key, op})
		}
	}
	h.carryOut(op, order)
}

// carryOut runs a batch and records what each operation gave. Those of one batch overlap.
func (h *historian) carryOut(op string, order []act) {
	in := h.load(batchOf(op, h.keys, order, h.value))
	_, err := h.Run(in)
	h.c.must(err)
	given, err := in.Given()
	h.c.must(err)
	for i, a := range order {
		asked := call{op: a.op}
		if kernels.Op(op).Value && h.c.pair.Value > 0 {
			asked.value = h.value + uint64(i)
		}
		h.write(a.key, asked, given[i])
		switch op := kernels.Op(a.op); {
		case given[i].Outcome != "ok":
		case op.Adds:
			h.there[a.key]++
		case op.Removes == kernels.RemovesOne:
			h.there[a.key]--
		}
	}
	h.value += uint64(len(order))
	h.clock += 2
}

func (h *historian) write(key int, asked call, gave any) {
	h.past[key] = append(h.past[key], porcupine.Operation{
		ClientId: len(h.past[key]), Input: asked, Output: gave, Call: h.clock, Return: h.clock + 1,
	})
}

// look records the contents, without which several pairs of a key have too many histories to search.
func (h *historian) look() {
	left := map[uint64][]uint64{}
	contents := h.contents()
	for i, key := range contents.Keys {
		left[key] = append(left[key], contents.Values[i])
	}
	for i, key := range h.keys {
		h.write(i, call{op: "contents"}, sorted(left[key]))
	}
	h.clock += 2
}

// sequential is what a table does with one key in turn. A state is the sorted values of the key's pairs.
func sequential(pair schemes.Pair) porcupine.Model {
	return (&porcupine.NondeterministicModel{
		Init:  func() []any { return []any{sorted(nil)} },
		Equal: func(a, b any) bool { return slices.Equal(a.([]uint64), b.([]uint64)) },
		Step: func(state, input, output any) []any {
			values, asked := state.([]uint64), input.(call)
			if asked.op != "contents" {
				next := engine.Next(pair, asked.op, values, asked.value, output.(engine.Given))
				return lists.Map(next, func(after []uint64) any { return sorted(after) })
			}
			if slices.Equal(values, output.([]uint64)) {
				return []any{values}
			}
			return nil
		},
	}).ToModel()
}

func sorted(values []uint64) []uint64 { return slices.Sorted(slices.Values(values)) }

func describe(past []porcupine.Operation) string {
	var text strings.Builder
	for i, p := range past {
		if i == 0 || past[i-1].Call != p.Call {
			text.WriteString("\n   ")
		}
		asked := p.Input.(call)
		switch gave := p.Output.(type) {
		case []uint64:
			fmt.Fprintf(&text, " %s %v", asked.op, gave)
		case engine.Given:
			fmt.Fprintf(&text, " %s %d %s", asked.op, asked.value, gave.Outcome)
			if kernels.Op(asked.op).Answer == kernels.OneValue && gave.Outcome == "ok" {
				fmt.Fprintf(&text, " %d", gave.Value)
			}
			text.WriteString(";")
		}
	}
	return strings.TrimPrefix(text.String(), "\n")
}

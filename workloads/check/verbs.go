package check

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Layout of the self-test's memory (kernels/selftest.h): words of input per item, and words
// of a line that has one shared word.
const (
	inputWords = 64
	lineWords  = 16
)

// selfTest is the table block of a self-test kernel.
type selfTest struct {
	Input, Memory, Results, Rows, Shared, Items uint64
}

// selfTestRun is a run of such a kernel, and what is in memory after it.
type selfTestRun struct {
	width, items, rows             int
	input, memory, results, shared []uint64
}

func (r *selfTestRun) row(item, i int) []uint64 {
	at := (item*r.rows + i) * r.width
	return r.results[at : at+r.width]
}

func (r *selfTestRun) inputOf(item int) []uint64 { return r.input[item*inputWords:][:inputWords] }

// selfTests are the kernels by the end of their names. There are more items than one worker of a CPU takes at once,
// so that tiles really run side by side.
var selfTests = map[string]struct {
	what        string
	items, rows int
	check       func(*selfTestRun) error
}{
	"verbs":           {"every verb", 2000, 80, comparing(expectVerbs)},
	"in_step":         {"verbs in step", 2000, 10, comparing(expectInStep)},
	"k8v8_verbs":      {"verbs on 16-byte words", 2000, 20, comparing(expectWideVerbs)},
	"contention":      {"many tiles on few words", 20000, 11, (*selfTestRun).checkContention},
	"k8v8_contention": {"many tiles on few 16-byte words", 20000, 4, (*selfTestRun).checkWideContention},
	"claiming":        {"slots claimed by many", 40000, 2, (*selfTestRun).checkClaiming},
	"locking":         {"words under locks", 20000, 2, (*selfTestRun).checkLocking},
	"helping":         {"lanes that help each other", 2000, 2, (*selfTestRun).checkHelping},
}

func selfTestKernel(name string, width int) string {
	return fmt.Sprintf("hz_selftest_w%d_%s", width, name)
}

func runSelfTest(dev device.Device, name string, width int, seed uint64) (*selfTestRun, error) {
	items, rows := selfTests[name].items, selfTests[name].rows
	run := &selfTestRun{
		width: width, items: items, rows: rows,
		input: make([]uint64, items*inputWords), memory: make([]uint64, items*inputWords),
		results: make([]uint64, items*rows*width), shared: make([]uint64, kernels.SharedWords*lineWords+items),
	}
	random := rand.New(rand.NewPCG(seed, uint64(width)))
	for i := range run.input {
		run.input[i] = random.Uint64()
	}
	for i := range uint64(lineWords) { // the line on which bits are taken away starts full
		run.shared[kernels.SharedAnd*lineWords+i] = ^uint64(0)
	}
	c := &climb{dev: dev}
	return run, c.try(func(c *climb) {
		block := selfTest{
			Input: c.put(kernels.BytesOf(run.input)), Memory: c.put(kernels.BytesOf(run.memory)), Results: c.put(kernels.BytesOf(run.results)), Shared: c.put(kernels.BytesOf(run.shared)),
			Rows: uint64(rows), Items: uint64(items),
		}
		c.launch(selfTestKernel(name, width), c.put(kernels.Bytes(&block)), 0, items)
		c.get(run.memory, block.Memory)
		c.get(run.results, block.Results)
		c.get(run.shared, block.Shared)
	})
}

func comparing(expect func(x []uint64, w int) [][]uint64) func(*selfTestRun) error {
	return func(r *selfTestRun) error {
		for item := range r.items {
			rows := expect(r.inputOf(item), r.width)
			if written := r.row(item, r.rows-1)[0]; written != uint64(len(rows)) {
				return fmt.Errorf("item %d: %d results were written, %d expected", item, written, len(rows))
			}
			for i, want := range rows {
				if have := r.row(item, i); !slices.Equal(have, want) {
					return fmt.Errorf("item %d, result %d: %x instead of %x", item, i, have, want)
				}
			}
		}
		return nil
	}
}

// checkContention: every change by fetch_add, compare-and-swap or exchange was seen by exactly one other.
func (r *selfTestRun) checkContention() error {
	for i, what := range []string{"fetch_add of 8 bytes", "fetch_add of 4 bytes", "cas of 8 bytes", "cas of 4 bytes",
		"exchange of 8 bytes", "exchange of 4 bytes", "lane_add of 8 bytes", "lane_add of 4 bytes", "lane_cas"} {
		numbers, n := r.firstOf(i), r.shared[i*lineWords]
		switch verb, _, _ := strings.Cut(what, " "); verb {
		case "exchange":
			numbers, n = append(numbers, n), uint64(r.items)+1
		case "lane_add", "lane_cas":
			numbers = r.all(i)
		}
		if err := everyNumberOnce(what, numbers, n); err != nil {
			return err
		}
	}
	for i := range uint64(8) { // 16 words of 4 bytes
		if or, and := r.shared[kernels.SharedOr*lineWords+i], r.shared[kernels.SharedAnd*lineWords+i]; or != ^uint64(0) || and != 0 {
			return fmt.Errorf("lane_or left %x, and lane_and %x, of all bits", or, and)
		}
	}
	return r.checkMessages()
}

// checkMessages: an item that saw a message's flag saw the message. Half of the items look for one, so some saw one.
func (r *selfTestRun) checkMessages() error {
	seen := 0
	for item, answer := range r.firstOf(9) {
		if answer > 1 {
			return fmt.Errorf("item %d saw what another published, but not what it wrote before", item)
		}
		seen += int(answer)
	}
	if seen == 0 {
		return fmt.Errorf("publish: none of %d items saw what another had published", r.items)
	}
	return nil
}

// checkWideContention: the counter was seen at every value once, and no word was torn.
func (r *selfTestRun) checkWideContention() error {
	for item, torn := range r.firstOf(2) {
		if torn != 0 {
			return fmt.Errorf("item %d read a torn word of 16 bytes: lanes %b, cas %d, exchange %d", item, torn>>2, torn>>1&1, torn&1)
		}
	}
	if err := everyNumberOnce("cas of 16 bytes", r.firstOf(0), r.shared[0]); err != nil {
		return err
	}
	// Each of 32 words was exchanged by every 32nd item.
	returned := append(r.firstOf(1), lists.Make(32, func(i int) uint64 { return r.shared[2*(32+i)] })...)
	slices.Sort(returned)
	empty := min(32, r.items) // each word was once empty
	for i, have := range returned[empty:] {
		if have != uint64(i)+1 {
			return fmt.Errorf("exchange of 16 bytes: %d came back instead of %d", have, i+1)
		}
	}
	return nil
}

// checkClaiming: every item's pair is in the slot that it says, whole, and nowhere else.
func (r *selfTestRun) checkClaiming() error {
	taken := len(lists.Filter(r.memory, func(pair uint64) bool { return pair != 0 }))
	for item, slot := range r.firstOf(0) {
		key := uint32(item) + 1
		if have := r.memory[slot]; uint32(have) != key || uint32(have>>32) != 3*key {
			return fmt.Errorf("item %d claimed slot %d, which holds %#x", item, slot, have)
		}
	}
	if taken != r.items {
		return fmt.Errorf("%d slots are taken by %d items", taken, r.items)
	}
	return nil
}

// checkLocking: each holder of a lock saw what the holder before had written.
func (r *selfTestRun) checkLocking() error {
	numbers := make([][]uint64, kernels.Locks)
	for i, number := range r.all(0) {
		lock := (i/r.width + i%r.width) % kernels.Locks
		numbers[lock] = append(numbers[lock], number)
	}
	for lock, list := range numbers {
		if err := everyNumberOnce(fmt.Sprint("lock ", lock), list, uint64(len(list))); err != nil {
			return err
		}
	}
	return nil
}

// checkHelping: each operation took its attempts once, and no lane was idle except at the very end.
func (r *selfTestRun) checkHelping() error {
	for item := range r.items {
		attempts := uint64(0)
		for i, word := range r.inputOf(item) {
			want := word%8 + 1
			if have := r.memory[item*inputWords+i]; have != want {
				return fmt.Errorf("item %d, operation %d: %d attempts instead of %d", item, i, have, want)
			}
			attempts += want
		}
		if rounds := r.row(item, 0)[0]; rounds > attempts/uint64(r.width)+8 {
			return fmt.Errorf("item %d: %d rounds for %d attempts by %d lanes", item, rounds, attempts, r.width)
		}
	}
	return nil
}

// firstOf are the i-th results of all items, which are the same for all lanes.
func (r *selfTestRun) firstOf(i int) []uint64 {
	return lists.Make(r.items, func(item int) uint64 { return r.row(item, i)[0] })
}

func (r *selfTestRun) all(i int) []uint64 {
	return slices.Concat(lists.Make(r.items, func(item int) []uint64 { return r.row(item, i) })...)
}

func everyNumberOnce(what string, numbers []uint64, n uint64) error {
	if uint64(len(numbers)) != n {
		return fmt.Errorf("%s: counted to %d instead of %d", what, n, len(numbers))
	}
	for i, number := range slices.Sorted(slices.Values(numbers)) {
		if number != uint64(i) {
			return fmt.Errorf("%s: %d came back instead of %d", what, number, i)
		}
	}
	return nil
}

func (p Plan) verbSteps() (list []step) {
	add := func(what, kernel string, run func() error) {
		list = append(list, p.one(what, Finding{Part: "verbs", What: what}, []string{kernel}, run))
	}
	for _, name := range slices.Sorted(maps.Keys(selfTests)) {
		test := selfTests[name]
		for _, width := range []int{1, 2, 4, 8, 16, 32} {
			add(fmt.Sprintf("%s, tiles of %d", test.what, width), selfTestKernel(name, width), func() error {
				run, err := runSelfTest(p.Device, name, width, p.Seed)
				if err == nil {
					err = test.check(run)
				}
				return err
			})
		}
	}
	for _, width := range []int{4, 8} {
		c := &climb{dev: p.Device, seed: p.Seed}
		add(fmt.Sprintf("hash functions of %d-byte keys", width), hashKernel(width),
			func() error { return c.try(func(c *climb) { c.hashFunctions(width) }) })
	}
	return list
}

func (c *climb) hashFunctions(width int) {
	random := rand.New(rand.NewPCG(c.seed, uint64(width)))
	for _, family := range []uint32{kernels.Fast, kernels.Universal} {
		table := kernels.Table{Buckets: 1 + random.Uint64N(1<<32-1), Family: family, Hashes: kernels.MaxHashes}
		for i := range table.Hash {
			table.Hash[i] = kernels.Hash{A: 1 + random.Uint64N(engine.Prime-1), B: random.Uint64N(engine.Prime), C: 1 + random.Uint64N(engine.Prime-1)}
			if family == kernels.Fast {
				table.Hash[i] = kernels.Hash{A: random.Uint64() | 1, B: random.Uint64()}
			}
		}
		keys := someKeys(random, 5000, width)
		places := c.hashes(&table, keys, width)
		for i, key := range keys {
			for f := range table.Hash {
				have, want := places[i*len(table.Hash)+f], engine.PlaceOf(table, f, key, width)
				if have != want {
					c.fail("function %d of family %d: key %#x goes to %d of %d, instead of %d", f, family, key, have, table.Buckets, want)
				}
			}
		}
	}
}

func hashKernel(width int) string { return fmt.Sprintf("hz_selftest_hash_%d", width) }

// someKeys has small keys, large ones, those around engine.Prime, and random ones.
func someKeys(random *rand.Rand, n, width int) []uint64 {
	most := ^uint64(0) >> (64 - 8*width)
	keys := []uint64{0, 1, 2, engine.Prime - 1, engine.Prime, engine.Prime + 1, most, most - 1, most - 2, most/2 + 1}
	for len(keys) < n {
		keys = append(keys, random.Uint64()&most)
	}
	return keys
}

// hashes asks the kernel; the keys are laid out in their own width.
func (c *climb) hashes(table *kernels.Table, keys []uint64, width int) []uint64 {
	places := make([]uint64, len(keys)*int(table.Hashes))
	batch := kernels.Batch{Keys: c.put(kernels.BytesOf(keys)), Out: c.put(kernels.BytesOf(places))}
	if width == 4 {
		narrow := lists.Map(keys, func(key uint64) uint32 { return uint32(key) })
		batch.Keys = c.put(kernels.BytesOf(narrow))
	}
	c.launch(hashKernel(width), c.put(kernels.Bytes(table)), c.put(kernels.Bytes(&batch)), len(keys))
	c.get(places, batch.Out)
	return places
}

// put copies bytes to the device, until the end of the rung.
func (c *climb) put(bytes []byte) uint64 {
	at, err := c.dev.Alloc(int64(max(8, len(bytes))))
	c.must(err)
	c.held = append(c.held, func() error { return c.dev.Release(at) })
	c.must(c.dev.Write(at, bytes))
	return uint64(at)
}

func (c *climb) get(words []uint64, at uint64) {
	c.must(c.dev.Read(kernels.BytesOf(words), device.Addr(at)))
}

func (c *climb) launch(kernel string, table, batch uint64, count int) {
	c.must(c.dev.Prepare(kernel))
	c.must(c.dev.Launch(kernel, device.Addr(table), device.Addr(batch), uint64(count)))
}

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
	c.must(t.Table.Watch(s.see, true))
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

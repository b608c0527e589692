package engine

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// inside is a table, seen in two ways: by its gauges, and slot by slot.
type inside struct {
	*Table
	readings map[string][]schemes.Bar
	rows     [][]string
	put      uint64 // pairs that were inserted since the table was empty or flushed
}

// gauges says of each gauge what its bars have to be. One that is not here fails the test.
var gauges = map[string]func(inside) []schemes.Bar{
	"bucket fill": inside.fill,
	"slots":       func(in inside) []schemes.Bar { return in.use(in.Capacity()) },
	"items": func(in inside) []schemes.Bar {
		return in.use(uint64(in.slabs()) * (16*8/uint64(in.Pair().Bytes()) - 8/uint64(in.Pair().Bytes())))
	},
	"directory fill": func(in inside) []schemes.Bar {
		in.readings["bucket fill"] = in.readings["directory fill"]
		return in.withoutValues().fill()
	},
	"keys": func(in inside) []schemes.Bar { return in.withoutValues().use(uint64(4 * len(in.withoutValues().rows))) },
	"pairs of a key": func(in inside) []schemes.Bar { // which all differ here
		return []schemes.Bar{{Value: min(1, float64(in.Size()))}}
	},
	"slabs per bucket": func(in inside) []schemes.Bar { return lengths(in.lists("|"), 1) },
	"nodes per bucket": func(in inside) []schemes.Bar { return lengths(in.lists(""), 0) },
	"allocated":        inside.units,
	"pool":             inside.pool,
	"tickets":          inside.tickets,
	"longest walk":     inside.longest,
	"subtables":        inside.subtables,
	"buckets":          inside.buckets,
	"renewed":          inside.renewed,
	"directory":        inside.directory,
}

// live is how many pairs, or keys, a row shows, and erased how many markers.
func live(row []string) (n int) {
	for _, text := range row {
		if text[0] >= '0' && text[0] <= '9' {
			n++
		}
	}
	return n
}

func (in inside) erased() (n uint64) {
	for _, row := range in.rows {
		for _, text := range row {
			if text == "x" {
				n++
			}
		}
	}
	return n
}

func (in inside) fill() []schemes.Bar {
	bars := slices.Clone(in.readings["bucket fill"])
	for i := range bars {
		from, to := bounds(bars[i].Label)
		bars[i].Value, bars[i].Of = 0, 0
		for _, row := range in.rows {
			if n := live(row); n >= from && n <= to {
				bars[i].Value++
			}
		}
	}
	if use := in.readings["buckets"]; use != nil {
		bars[0].Value -= use[1].Value // spare ones
	}
	return bars
}

// bounds reads 4, 5-8 and 17+.
func bounds(label string) (from, to int) {
	first, second, isRange := strings.Cut(label, "-")
	from, _ = strconv.Atoi(strings.TrimSuffix(first, "+"))
	switch {
	case isRange:
		to, _ = strconv.Atoi(second)
	case strings.HasSuffix(label, "+"):
		to = 1 << 30
	default:
		to = from
	}
	return from, to
}

func (in inside) use(all uint64) []schemes.Bar {
	erased := in.erased()
	return whole(all, "pairs", in.Size(), "erased", erased, "unused", all-in.Size()-erased)
}

// whole makes bars that are parts of a total, from labels and values.
func whole(of uint64, labeled ...any) []schemes.Bar {
	var bars []schemes.Bar
	for i := 0; i < len(labeled); i += 2 {
		bars = append(bars, schemes.Bar{Label: labeled[i].(string), Value: float64(labeled[i+1].(uint64)), Of: float64(of)})
	}
	return bars
}

// lists are the lengths of the rows: as many texts, or one more than there are bars.
func (in inside) lists(bar string) []int {
	var list []int
	for _, row := range in.rows {
		n := len(row)
		if bar != "" {
			n = 1 + strings.Count(strings.Join(row, ""), bar)
		}
		list = append(list, n)
	}
	return list
}

func (in inside) slabs() (n int) {
	for _, length := range in.lists("|") {
		n += length
	}
	return n
}

func lengths(list []int, least int) []schemes.Bar {
	var bars []schemes.Bar
	for _, label := range append([]string{"0"}, schemes.LengthLabels...)[least:] {
		from, to := bounds(label)
		bars = append(bars, schemes.Bar{Label: label})
		for _, n := range list {
			if n >= from && n <= to {
				bars[len(bars)-1].Value++
			}
		}
	}
	return bars
}

// units: all slabs but the base slabs were allocated, from a super block or the one piece.
func (in inside) units() []schemes.Bar {
	have := in.readings["allocated"]
	var used, of float64
	for _, b := range have {
		used, of = used+b.Value, of+b.Of
	}
	base := float64(len(in.rows))
	if used != float64(in.slabs())-base || of != float64(in.Capacity())/float64(128/in.Pair().Bytes())-base {
		return whole(0, "in lists", uint64(in.slabs())-uint64(base))
	}
	return have
}

func (in inside) pool() []schemes.Bar {
	erased := in.erased()
	used := max(in.put, in.Size()+erased)
	return whole(in.Capacity(), "pairs", in.Size(), "erased", erased, "unlinked", used-in.Size()-erased, "unused", in.Capacity()-used)
}

// tickets: erased ones are used again by inserts, and with one bit cannot be told.
func (in inside) tickets() []schemes.Bar {
	erased := uint64(in.readings["tickets"][1].Value)
	if told := in.spec.Config.Get("ticket") > 1 || in.access(); in.put > in.Size() != (erased > 0) && told || erased > in.put-in.Size() {
		return nil
	}
	return whole(in.Capacity(), "pairs", in.Size(), "erased", erased, "unused", in.Capacity()-in.Size()-erased)
}

func (in inside) access() bool {
	_, access, err := in.spec.Config.Param("access")
	return err == nil && access == 1
}

// longest: walks were as long as they had to be, which is a power of two.
func (in inside) longest() []schemes.Bar {
	have := in.readings["longest walk"]
	if steps := uint64(have[0].Value); steps&(steps-1) != 0 || steps < 16 || steps > 16 && in.put == 0 {
		return nil
	}
	return []schemes.Bar{{Value: have[0].Value, Of: float64(in.Capacity())}}
}

func (in inside) subtables() []schemes.Bar {
	have := slices.Clone(in.readings["subtables"])
	bucket, rows := in.Capacity()/uint64(len(in.rows)), in.rows
	for i := range have {
		n := uint64(have[i].Of) / bucket
		have[i].Label, have[i].Value = "subtable "+strconv.Itoa(i), 0
		for _, row := range rows[:n] {
			have[i].Value += float64(live(row))
		}
		rows = rows[n:]
	}
	if len(rows) > 0 {
		return nil
	}
	return have
}

// buckets: those that were split are one more each, and those merged one less.
func (in inside) buckets() []schemes.Bar {
	renewed, all := in.readings["renewed"], uint64(len(in.rows))
	used := in.roots() + uint64(renewed[1].Value) - uint64(renewed[2].Value)
	return whole(all, "in use", used, "spare", all-used)
}

// roots are the buckets that a table was made with, without those to spare.
func (in inside) roots() uint64 { return in.block.Buckets - in.block.Arg[5] }

// renewed buckets have other numbers than they were made with, so some are there.
func (in inside) renewed() []schemes.Bar {
	have := in.readings["renewed"]
	return []schemes.Bar{{Label: "rehashed", Value: have[0].Value}, {Label: "split", Value: have[1].Value}, {Label: "merged", Value: have[2].Value}}
}

// withoutValues leaves out the last row, which has values and no keys.
func (in inside) withoutValues() inside {
	in.rows = in.rows[:len(in.rows)-1]
	return in
}

func (in inside) directory() []schemes.Bar {
	return []schemes.Bar{{Value: float64(in.roots() << in.block.Arg[6])}}
}

// look reads the gauges, compares them with what the slots hold, and makes sure that the table is as it was.
func look(t *testing.T, on *Table, put uint64) map[string][]schemes.Bar {
	t.Helper()
	before, block := memoryOf(t, on), on.block
	readings := must.Get(on.Gauges())(t)
	if block.Here = on.block.Here; !bytes.Equal(before, memoryOf(t, on)) || block != on.block {
		t.Errorf("%v: a look has changed the table", on.Config())
	}
	in := inside{on, map[string][]schemes.Bar{}, nil, put}
	rows, err := on.Rows()
	must.Need(t, err == nil || on.spec.Config.Scheme.Rows == nil, "%v", err)
	for _, row := range rows {
		in.rows = append(in.rows, texts(row))
	}
	for _, r := range readings {
		in.readings[r.Name] = r.Bars
	}
	for _, r := range readings {
		want := gauges[r.Name]
		if want == nil {
			t.Fatalf("%v: nobody knows what the gauge %s has to show: tell this test", on.Config(), r.Name)
		}
		if bars := want(in); !slices.Equal(r.Bars, bars) {
			t.Errorf("%v, %d pairs of %d: %s shows\n%v instead of\n%v", on.Config(), on.Size(), put, r.Name, r.Bars, bars)
		}
	}
	return in.readings
}

func memoryOf(t *testing.T, of *Table) []byte {
	t.Helper()
	var all []byte
	for i, r := range of.layout.Regions {
		raw := make([]byte, r.Bytes)
		must.OK(t, of.dev.Read(raw, device.Addr(of.block.Region[i])))
		all = append(all, raw...)
	}
	return all
}

// Gauges show what is in the slots, whatever was done to a table, with any number of threads, of all schemes.
func TestGauges(t *testing.T) {
	for _, threads := range []int{1, 2}[shorter(0, 1):] {
		dev := must.Get(devices.Open("cpu", device.Options{Threads: threads, Piece: 3}))(t)
		defer dev.Close()
		for _, c := range gaugedConfigs(t) {
			for _, pair := range []schemes.Pair{c.Caps.Pairs[0], c.Caps.Pairs[len(c.Caps.Pairs)-1]} {
				if twin := testing.Short() && c.String() == "slab" && pair.Value == 0; c.CompiledFor(pair) == nil && !twin { // alloc=super has such pairs, too
					lifeOf(t, dev, c, pair)
				}
			}
		}
	}
}

// gaugedConfigs are the schemes with their defaults, and some whose slots are otherwise.
func gaugedConfigs(t *testing.T) []schemes.Config {
	var list []schemes.Config
	for _, s := range schemes.All() {
		must.Hold(t, len(s.Gauges) != 0, "scheme %s has no gauge: declare what is worth watching in its tables", s.Name)
		list = append(list, s.Defaults())
	}
	texts := []string{"bcht:bucket=1", "linear:resize=auto", "slab:alloc=super,super_blocks=5", "slab:beta=900", "chained:chain=5", "fks:bucket=8",
		"stash:ticket=1,access=off", "dycuckoo:subtables=5",
		"bcht:bucket=4", "bcht:bucket=8,placement=least_loaded", "linear:bucket=32", "double:window=2", "fks:bucket=32", "fks:bucket=8192", "stash:ticket=8", "clstash:ticket=2"}
	for _, text := range texts[:shorter(len(texts), 8)] {
		list = append(list, config(t, text))
	}
	return list
}

// lifeOf looks at a table again and again: empty, filled, after erases, after a flush, and
// filled further than it was made for if it grows.
func lifeOf(t *testing.T, dev device.Device, c schemes.Config, pair schemes.Pair) {
	const n = 3000
	on := table(t, dev, Spec{Config: c, Shape: schemes.Shape{Pair: pair, Capacity: 2 * n}, Seed: 5})
	look(t, on, 0)
	run(t, on, insert(from(1, n)))
	look(t, on, n)
	if c.Caps.Has("erase") {
		run(t, on, Batch{Op: "erase", Keys: from(1, n/3)})
		look(t, on, n)
	}
	put := uint64(n)
	if c.Caps.Has("flush") {
		run(t, on, Batch{Op: "flush"})
		put = on.Size()
		look(t, on, put)
	}
	more := n
	if c.Caps.Has("resize") {
		more = 4 * n
	}
	run(t, on, insert(from(n+1, more)))
	look(t, on, put+uint64(more))
	if c.Caps.Has("erase") {
		run(t, on, Batch{Op: "erase", Keys: from(n+1, more)})
		look(t, on, put+uint64(more))
	}
	must.OK(t, on.Clear())
	look(t, on, 0)
}

// Gauges of states that are rare in other tests: buckets that are rehashed, split and
// merged, long walks, a second super block, lists of all lengths.
func TestGaugesOfWhatIsRare(t *testing.T) {
	dev := openCPU(t, 2)
	for _, test := range []struct {
		scheme  string
		slots   uint64
		n       int
		gauge   string
		at      int     // bar
		more    float64 // than that it shows
		erasing bool    // when most keys have been erased again
	}{
		{"fks:bucket=8", 4000, 3000, "renewed", 0, 0, false},
		{"fks:bucket=8", 4000, 3000, "renewed", 1, 0, false},
		{"fks:bucket=32,reserve=64", 8000, 3200, "renewed", 2, 0, true},
		{"stash", 4000, 4000, "longest walk", 0, 16, false},
		{"slab:alloc=super,super_blocks=5", 4000, 9000, "allocated", 1, 0, false},
		{"slab:beta=900", 4000, 4000, "slabs per bucket", 5, 0, false},
		{"chained:chain=20", 4000, 4000, "nodes per bucket", 7, 0, false},
		{"bcht", 4000, 4000, "bucket fill", 8, 100, false},
		{"dycuckoo", 4000, 9000, "bucket fill", 7, 0, false},
	} {
		on := table(t, dev, Spec{Config: config(t, test.scheme), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: test.slots}, Seed: 5})
		run(t, on, insert(from(1, test.n)))
		if test.erasing {
			run(t, on, Batch{Op: "erase", Keys: from(1, test.n/5*3)})
		}
		if bars := look(t, on, uint64(test.n))[test.gauge]; len(bars) <= test.at || bars[test.at].Value <= test.more {
			t.Errorf("%s: %s shows %v, and bar %d must be above %g for this test to be one", test.scheme, test.gauge, bars, test.at, test.more)
		}
	}
}

// Instrumented kernels count operations by their number of probes, and the probes
// of all agree with that. Host sides may carry inserts out again.
func TestProbesOfOperations(t *testing.T) {
	dev := openCPU(t, 2)
	const n = 2000
	for _, s := range schemes.All() {
		for _, counted := range []bool{true, false} {
			pair := s.Caps.Pairs[0]
			on := table(t, dev, Spec{Config: s.Defaults(), Shape: schemes.Shape{Pair: pair, N: n, Load: s.MaxLoad(s.Defaults())}, Seed: 3, Counted: counted})
			for _, b := range []Batch{insert(from(1, n)), find(from(n/2, n)), {Op: "update", Keys: from(n/2, n), Values: from(7, n)},
				{Op: "upsert", Keys: from(n/2, n), Values: from(9, n)}, {Op: "erase", Keys: from(n/2, n)}, mixed(n)} {
				if Supports(s.Defaults(), b.Op) == nil || b.Op == Mix && s.Caps.Has("erase") {
					lengthsAgree(t, s.Name, run(t, on, b), counted)
				}
			}
		}
	}
}

// mixed has finds only, and one erase.
func mixed(n int) Batch {
	ops := make(List, n)
	for i := range ops {
		ops[i] = opCode("find")
	}
	ops[n/2] = opCode("erase")
	return Batch{Op: Mix, Keys: from(1, n), Values: from(1, n), Ops: ops}
}

func lengthsAgree(t *testing.T, scheme string, s Sample, counted bool) {
	t.Helper()
	var sum, least, most uint64
	for i, name := range kernels.Lengths {
		from, to := bounds(schemes.LengthLabels[i])
		if n := s.Counts.Get(name); n > 0 {
			sum, least, most = sum+n, least+n*uint64(from), most+n*uint64(to)
		}
	}
	again := s.Op == "insert" || s.Op == "upsert"
	switch probes := s.Counts.Get("probes"); {
	case !counted && sum > 0:
		t.Errorf("%s: kernels that are timed count %d operations by their probes", scheme, sum)
	case counted && (sum < s.N || sum > s.N && !again):
		t.Errorf("%s: %d operations of %d %s took a number of probes", scheme, sum, s.N, s.Op)
	case counted && !again && (probes < least || probes > most):
		t.Errorf("%s: %d probes of %s, and by operations between %d and %d", scheme, probes, s.Op, least, most)
	}
	for _, name := range kernels.Lengths {
		_, there := s.Counts.PerOp(s.N)[name]
		must.Hold(t, !there, "%s: %s is given for each operation, and is a distribution", scheme, name)
	}
}

// Lane utilization of inserts, from empty to a load factor: lanes that attempt something, of those issued. Stadium
// Hashing, Table I, has 25 to 22 percent for cuckoo hashing, 49 to 41 for Stash and 88 to 86 for clStash. It was
// measured over all instructions, among them those that all lanes carry out alike; here only attempts count. So the
// figures differ, but the order must not, nor that clStash stays above 80 percent.
func TestLaneUtilization(t *testing.T) {
	dev := openCPU(t, 2)
	for _, load := range few([]float64{0.8, 0.85, 0.9, 0.95}) {
		cuckoo := utilization(t, dev, "1cht:hashes=4", load)
		stash := utilization(t, dev, "stash", load)
		hybrid := utilization(t, dev, "clstash:threshold=60", load)
		together := utilization(t, dev, "clstash", load)
		must.Hold(t, cuckoo < stash && stash < hybrid && hybrid < together && together >= 0.8,
			"load factor %.2f: lanes of cuckoo are used to %.3f, of stash to %.3f, of a hybrid to %.3f, of clstash to %.3f", load, cuckoo, stash, hybrid, together)
	}
}

// utilization fills a table by one batch of inserts.
func utilization(t *testing.T, dev device.Device, text string, load float64) float64 {
	t.Helper()
	const n = 1 << 18
	made := table(t, dev, Spec{
		Config: config(t, text), Shape: schemes.Shape{Pair: schemes.Pair4, N: n, Load: load}, Seed: 1, Counted: true,
	})
	s := run(t, made, Batch{Op: "insert", Keys: from(1, n), Values: from(1, n)})
	must.Need(t, s.Counts.Get("ok") == n, "%s, load factor %.2f: %d of %d inserts found room", text, load, s.Counts.Get("ok"), n)
	return s.PerOp("lanes_active") / s.PerOp("lanes_issued")
}

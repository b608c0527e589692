package export

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/digest"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/plugin"
	"github.com/hashzoo/hashzoo/schemes"
)

// trial is a configuration whose exported table is compared with the engine's.
type trial struct {
	settings string
	keys     uint64 // that the table is made for
	pair     schemes.Pair
	compiler string
}

const (
	many = 20000     // keys of the first batch
	few  = many / 10 // what tables that grow are made for
	cxx  = "clang++-19"
)

// short is the trial of the small tier.
var short = trial{"dycuckoo", few, schemes.Pair4, cxx}

func long() []trial {
	list := append([]trial{short}, trial{"dycuckoo", few, schemes.Pair4, "g++"}, trial{"dycuckoo", few, schemes.Pair8, cxx})
	for _, s := range []string{"linear:resize=auto", "megakv:resize=auto", "fks"} {
		list = append(list, trial{s, few, schemes.Pair4, cxx})
	}
	for _, s := range []string{"linear:resize=auto,beta=95", "megakv:resize=auto,beta=95", "dycuckoo:beta=97"} { // some inserts fail at first
		list = append(list, trial{s, few, schemes.Pair4, cxx})
	}
	list = append(list, trial{"slab:alloc=super,super_blocks=4", many / 2, schemes.Pair4, cxx}) // lists are slow at -O0
	list = append(list, trial{"bcht:hashes=2,on_failure=rebuild", many, schemes.Pair4, cxx})
	for _, s := range append(schemes.Names(), "bcht:on_failure=rebuild") {
		switch s {
		case "dycuckoo":
		case "csr": // nothing is erased before its second insert
			list = append(list, trial{s, many + many/4, schemes.Pair4, cxx})
		default:
			list = append(list, trial{s, many, schemes.Pair4, cxx})
		}
	}
	return list
}

// An exported table gives the same digests as the engine's on the same batches, growth and erase included.
func TestDigests(t *testing.T) {
	list := []trial{short}
	if !testing.Short() {
		list = append(long(), trial{robinhood(t), many, schemes.Pair4, cxx})
	}
	for _, tr := range list {
		t.Run(fmt.Sprintf("%s %d %v %s", tr.settings, tr.keys, tr.pair, tr.compiler), func(t *testing.T) { t.Parallel(); tr.compare(t) })
	}
}

// robinhood adds the plugin in examples/ to the zoo.
func robinhood(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "robinhood")
	must.OK(t, os.CopyFS(folder, os.DirFS("../examples/robinhood")))
	must.Get(plugin.Build(t.Context(), folder, plugin.Options{Say: &strings.Builder{}}))(t)
	at := must.Get(plugin.UpToDate(folder))(t)
	scheme := must.Get(plugin.Load(at, ""))(t)
	return scheme.Name
}

func (tr trial) compare(t *testing.T) {
	needs(t, tr.compiler)
	c := must.Get(schemes.Parse(tr.settings))(t)
	steps := script(c, tr.keys == few)
	want := tr.ofEngine(t, c, steps)
	program := tr.compiled(t)
	for _, threads := range []int{1, 4} {
		diff := cmp.Diff(want, tr.ofProgram(t, program, c, steps, threads, false))
		must.Hold(t, diff == "", "with %d threads, the exported table differs from the engine's\n%s", threads, diff)
	}
	for i, g := range tr.ofProgram(t, program, c, steps, 1, true) {
		must.Hold(t, !steps[i].digested() || g != want[i], "%v: what is wrong is not seen", steps[i])
	}
}

// step is a batch of an operation on n keys in a row, or the contents of the table.
type step struct {
	op      string
	from, n uint64
}

// digested: an operation on the whole table shows in its contents.
func (s step) digested() bool { return s.op == contents || kernels.Op(s.op).Kind != kernels.OnTable }

func (s step) answers() bool {
	return s.op == engine.Mix || s.op != contents && kernels.Op(s.op).Answer != kernels.NoAnswer
}

const contents = "contents"

// script lists the batches: at most as many pairs as the first brings, until there is a resize.
func script(c schemes.Config, grows bool) []step {
	const n = many
	list := []step{
		{"insert", 0, n}, {"find", n / 2, n}, {"update", n / 4, n}, {"erase", 0, n / 4}, {"find", 0, n}, {"flush", 0, 0},
		{"insert", 2 * n, n / 8}, {"upsert", n - n/16, n / 8}, {"add", n - n/32, n / 8}, {"min", n / 2, n / 8}, {"max", n / 2, n / 4}, {"tally", n / 4, n / 8},
		{"find", 0, 2 * n}, {engine.Mix, n / 2, n / 4}, {"find_all", n / 2, n}, {"retrieve", n / 2, n}, {contents, 0, 0},
		{"resize", 0, 4 * n}, {"find", 0, 3 * n}, {"erase", n / 2, 2 * n}, {"erase_all", n / 4, n / 8}, {"insert", 3 * n, n / 8}, {"find", 0, 4 * n}, {contents, 0, 0},
	}
	if grows { // nobody knows before how many keys of upserts are new
		list = append(list, step{"upsert", 4 * n, n * 21 / 32}, step{contents, 0, 0})
	}
	return slices.DeleteFunc(list, func(s step) bool {
		return s.op != contents && !c.Caps.Has(s.op) && (s.op != engine.Mix || len(mixed(c)) == 0)
	})
}

// mixed are the operations of a mixed batch: no inserts, since keys may be there, and none that lists.
func mixed(c schemes.Config) (ops []uint64) {
	for _, name := range c.Caps.Concurrent {
		if op := kernels.Op(name); name != "insert" && !op.Lists() {
			ops = append(ops, uint64(kernels.OpNumber(name)))
		}
	}
	slices.Sort(ops)
	return ops
}

// gave is what a batch gave, and the table afterwards.
type gave struct {
	Op             string
	Counts         [len(counted)]uint64
	Size, Capacity uint64
	Digest         string
}

var counted = [...]string{"ok", "failed", "missing", "rejected", "replaced", "added", "removed", "found"}

func (tr trial) shape(c schemes.Config) schemes.Shape {
	return schemes.Shape{Pair: tr.pair, N: tr.keys, Load: 0.9 * c.MaxLoad(c)}
}

const seed = 7

// ofEngine carries the batches out on the engine's table.
func (tr trial) ofEngine(t *testing.T, c schemes.Config, steps []step) (list []gave) {
	t.Helper()
	dev := must.Get(devices.Open("cpu", device.Options{Threads: 1}))(t)
	table := must.Get(engine.New(dev, engine.Spec{Config: c, Shape: tr.shape(c), Seed: seed, Verify: true}))(t)
	for _, s := range steps {
		g := must.Get(s.onEngine(dev, table))(t)
		g.Op, g.Size, g.Capacity = s.op, table.Size(), table.Capacity()
		list = append(list, g)
	}
	must.OK(t, errors.Join(table.Close(), dev.Close()))
	return list
}

func (s step) onEngine(dev device.Device, table *engine.Table) (g gave, err error) {
	if s.op == contents {
		c, err := table.Contents()
		return gave{Digest: c.Digest}, err
	}
	in, err := engine.Load(dev, table.Pair(), s.batch(table.Config()))
	if err != nil {
		return g, err
	}
	sample, err := table.Run(in)
	if s.digested() {
		g.Digest = sample.Result
		for i, name := range counted {
			g.Counts[i] = sample.Counts.Get(name)
		}
	}
	return g, errors.Join(err, in.Release())
}

func (s step) batch(c schemes.Config) engine.Batch {
	op := kernels.Op(s.op)
	if op.Kind == kernels.OnTable {
		return engine.Batch{Op: s.op, Capacity: s.n}
	}
	keys, values := make(engine.List, s.n), make(engine.List, s.n)
	for i := range s.n {
		keys[i], values[i] = (s.from+i)*0x9e3779b97f4a7c15, (s.from+i)*7+s.n
	}
	b := engine.Batch{Op: s.op, Keys: keys}
	if op.Value || s.op == engine.Mix {
		b.Values = values
	}
	if s.op == engine.Mix {
		ops, list := mixed(c), make(engine.List, s.n)
		for i := range list {
			list[i] = ops[i%len(ops)]
		}
		b.Ops = list
	}
	return b
}

// compiled exports the table, and compiles the program that carries the batches out on it.
func (tr trial) compiled(t *testing.T) string {
	t.Helper()
	dir, done := exported(t, tr.settings, "cuda")
	headers := amalgam{read: must.Get(schemes.Parse(tr.settings))(t).Header}
	write(t, dir, "digest.h", must.Get(headers.text("digest.h"))(t))
	name, _, _ := strings.Cut(tr.settings, ":")
	table := fmt.Sprintf("-DTABLE=hashzoo::%s<uint%d_t, uint%d_t>", done.Class, 8*tr.pair.Key, 8*tr.pair.Value)
	args := []string{"-std=c++20", "-Wall", "-Wextra", "-I" + dir, fmt.Sprintf("-DHEADER=%q", name+".h"), table}
	program := filepath.Join(dir, "digests")
	run(t, ".", nil, "", append(append([]string{tr.compiler}, append(args, strings.Fields(flags())...)...), "testdata/digests.cc", "-o", program, "-pthread")...)
	return program
}

// ofProgram carries the batches out on the exported table. wrong: something in each is.
func (tr trial) ofProgram(t *testing.T, program string, c schemes.Config, steps []step, threads int, wrong bool) (list []gave) {
	t.Helper()
	shape := tr.shape(c)
	command := bounded.Command(t, program, fmt.Sprint(shape.N), fmt.Sprint(shape.Load), fmt.Sprint(seed), fmt.Sprint(threads), fmt.Sprint(wrong))
	var in, out, said bytes.Buffer
	for _, s := range steps {
		answers := 0
		if s.answers() {
			answers = 1
		}
		fmt.Fprintln(&in, s.op, s.from, s.n, answers)
	}
	command.Stdin, command.Stdout, command.Stderr = &in, &out, &said
	err := command.Run()
	must.Need(t, err == nil, "%v\n%s%s", err, &out, &said)
	for _, s := range steps {
		list = append(list, tr.scanned(t, s, &out))
	}
	return list
}

// scanned reads what the program prints of a batch, and completes its digest as the engine does.
func (tr trial) scanned(t *testing.T, s step, from *bytes.Buffer) (g gave) {
	t.Helper()
	var sums, found [2]uint64
	numbers := []any{&g.Op}
	for i := range g.Counts {
		numbers = append(numbers, &g.Counts[i])
	}
	must.Get(fmt.Fscan(from, append(numbers, &g.Size, &g.Capacity, &sums[0], &sums[1], &found[0], &found[1])...))(t)
	switch key, value := tr.pair.Key, tr.pair.Value; {
	case s.op == contents:
		g.Digest = finished("contents", g.Size, sums, key, value)
	case s.digested():
		what, ops, out := "result/"+s.op, 0, 0
		if s.op == engine.Mix {
			ops = 1
		}
		if n := g.Counts[len(counted)-1]; n > 0 {
			what += "/" + finished("found", n, found, 4, value)
		}
		if s.answers() {
			out = tr.pair.AnswerBytes()
		}
		g.Digest = finished(what, s.n, sums, key, ops, 1, out)
	}
	return g
}

// finished is a digest of numbers of some widths.
func finished(what string, n uint64, sums [2]uint64, widths ...int) string {
	block := kernels.Digest{Sum: sums}
	for i, width := range widths {
		if width > 0 {
			block.Part[i], block.PartWidth[i] = 1, uint64(width)
		}
	}
	return digest.Finish(what, n, &block)
}

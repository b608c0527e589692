package lua

import (
	"fmt"
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// generous are limits that no test reaches by accident.
var generous = Limits{Steps: 100_000_000, Time: time.Minute, Memory: 1 << 30, Vectors: 1 << 30, From: 1 << 20, Batches: 100_000}

// fake is a table that records its batches. Everything succeeds.
type fake struct {
	config  schemes.Config
	batches []engine.Batch
	asked   []string // batches as text
	notes   []string
	cleared []bool
	fail    error
	counted bool
	forgets bool // to cost nothing
	size    uint64
}

func (f *fake) Do(b engine.Batch) (engine.Sample, error) {
	if f.fail != nil {
		return engine.Sample{}, f.fail
	}
	if !f.forgets {
		f.batches, f.asked = append(f.batches, b), append(f.asked, batchText(b))
	}
	n := b.Keys.Len()
	s := engine.Sample{Op: b.Op, N: n, Service: time.Millisecond, Counts: make(schemes.Counts, len(kernels.Counters))}
	s.Counts.Set("ok", n)
	if f.counted {
		s.Counts.Set("probes", 3*n)
	}
	if b.Op == "insert" || b.Op == "fill" {
		f.size += n
	}
	return s, nil
}

func (f *fake) Fill(b engine.Batch) (engine.Sample, error) {
	b.Op = "fill"
	return f.Do(b)
}

func batchText(b engine.Batch) string {
	text := b.Op + " " + b.Keys.String()
	if b.Values != nil {
		text += " = " + b.Values.String()
	}
	if b.Ops != nil {
		text += " : " + b.Ops.String()
	}
	return text
}

func (f *fake) Clear(reseed bool) error {
	f.cleared, f.size = append(f.cleared, reseed), 0
	return f.fail
}
func (f *fake) Size() uint64     { return f.size }
func (f *fake) Capacity() uint64 { return 4096 }
func (f *fake) Load() float64    { return float64(f.size) / 4096 }
func (f *fake) Bytes() int64     { return 32768 }
func (f *fake) Scheme() string   { return f.config.String() }
func (f *fake) Note(text string) { f.notes = append(f.notes, text) }

func (f *fake) Gave(string) ([]uint64, error) { return []uint64{3, 1, 3}, f.fail }

func (f *fake) Supports(op string) error {
	if op == engine.Mix {
		return nil
	}
	return engine.Supports(f.config, op)
}

func config(t testing.TB, text string) schemes.Config {
	t.Helper()
	return must.Get(schemes.Parse(text))(t)
}

// started is a script instance on a fake table.
type started struct {
	*host
	*run.Instance
	script  *Script
	table   *fake
	printed []string
}

// start1 inspects and starts a script.
func start1(t testing.TB, source string, change ...func(*Script, *run.Setup)) (*started, error) {
	t.Helper()
	return startIn(t, nil, source, change...)
}

// begun is a script that starts without an error.
func begun(t testing.TB, source string, change ...func(*Script, *run.Setup)) *started {
	t.Helper()
	return must.Get(start1(t, source, change...))(t)
}

func startIn(t testing.TB, folder fs.FS, source string, change ...func(*Script, *run.Setup)) (*started, error) {
	t.Helper()
	s, err := Inspect("test.lua", source, folder, generous)
	if err != nil {
		return nil, err
	}
	made := &started{script: s, table: &fake{config: config(t, "bcht")}}
	setup := run.Setup{Seed: 7, Config: made.table.config}
	s.Print = func(_, line string) { made.printed = append(made.printed, line) }
	for _, c := range change {
		c(s, &setup)
	}
	if made.host, err = s.load(setup, made.table); err != nil {
		return nil, err
	}
	t.Cleanup(made.host.Close)
	made.Instance, err = made.instance()
	return made, err
}

// body returns a script with these lines in prepare.
func body(lines string) string {
	return "shape = { n = 1000, load = 0.8 } function prepare(t)\n" + lines + "\nend"
}

// prepared runs lines in prepare.
func prepared(t testing.TB, lines string, change ...func(*Script, *run.Setup)) (*started, error) {
	t.Helper()
	s, err := start1(t, body(lines), change...)
	if err != nil {
		return nil, err
	}
	return s, s.Prepare()
}

// does runs lines in prepare that must succeed.
func does(t testing.TB, lines string) *started {
	t.Helper()
	return must.Get(prepared(t, lines))(t)
}

func equal[T comparable](t testing.TB, what string, have, want []T) {
	t.Helper()
	must.Match(t, fmt.Sprint(have), fmt.Sprint(want), what)
}

// Entries returns the names that the reference must explain.
func Entries() []string {
	names := append(slices.Clone(ownNames), functions...)
	names = append(names, "gen.from", "gen.file", "v:distinct", "print", "require", "math.random")
	for _, kind := range generators() {
		names = append(names, "gen."+kind.Name)
	}
	for _, method := range methods {
		names = append(names, "v:"+method)
	}
	for method := range (&host{}).tableMethods() {
		names = append(names, "t:"+method)
	}
	return names
}

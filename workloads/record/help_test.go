package record

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// everything is a script that does to its table all that can be recorded.
const everything = `-- All that can be recorded
options = { n = 200, word = "two words" }
axes = { size = { "small", "large" } }
shape = { n = opt.size == "small" and 1000 or 2000, load = 0.5 }
stages = { { name = "first", warmup = 1, batches = 2 }, { name = "second, paced", batches = 2, rate = 1e9 } }
local keys = gen.keys{}
function prepare(t)
  t:insert(keys:take(opt.n), gen.random{})
end
function event(t, i, stage)
  if stage == "first" then
    t:find(gen.hits{ of = keys:take(opt.n), ratio = 0.5, n = 100 })
    t:erase(keys:slice(0, 10 * i))
  else
    t:clear{ reseed = i == 5 }
    t:insert(keys:take(opt.n), i)
    t:mix{ find = 0.5, update = 0.5, keys = keys:take(100):at(gen.uniform{ n = 100, count = 50 }), values = gen.random{} }
    if t:has("flush") then t:flush() end
    t:update(keys:take(20), 7)
  end
end
`

// little is a script whose recording is short.
const little = `shape = { n = 100, load = 0.5 }
stages = { batches = 2 }
local keys = gen.keys{}:take(20)
function prepare(t) t:insert(keys, 1) end
function event(t) t:find(keys) end
`

func silent(run.Event) error { return nil }

func open(t testing.TB, threads int) device.Device {
	t.Helper()
	dev := must.Get(cpu.Backend().Open(0, device.Options{Threads: threads}))(t)
	t.Cleanup(func() { must.OK(t, dev.Close()) })
	return dev
}

// recorded records a script that is run on some schemes.
func recorded(t testing.TB, source string, kind Kind, on ...string) string {
	t.Helper()
	return stoppedFor(t, "", source, kind, on...)
}

// stoppedFor records a script, and that its run ended early, unless why is empty.
func stoppedFor(t testing.TB, why, source string, kind Kind, on ...string) string {
	t.Helper()
	limits := lua.Limits{Steps: 1e6, Time: time.Minute, Memory: 1 << 26, Vectors: 1 << 26, From: 1 << 20, Batches: 100_000}
	script := must.Get(lua.Inspect("test.lua", source, os.DirFS("testdata"), limits))(t)
	points := must.Get(run.Points(script.Axes))(t)
	dev := open(t, 1)
	path := filepath.Join(t.TempDir(), "recording")
	to, err := NewRecorder(path, Header{Kind: kind, Seed: 5, Device: "a device", Script: Script{Name: "test.lua", Source: source},
		Options: []Option{{"n", "200"}, {"word", `"two" words`}}}, dev)
	must.OK(t, err)
	must.OK(t, run.Run(t.Context(), dev, plan(t, script.Start, points, 5, on), to.Hear))
	if why != "" {
		must.OK(t, to.Stopped(why))
	}
	must.OK(t, to.Close())
	return path
}

func plan(t testing.TB, script run.Script, points []run.Point, seed uint64, on []string) run.Plan {
	t.Helper()
	p := run.Plan{Script: script, Points: points, Seed: seed, Rules: run.Rules{Policy: engine.Policy{Least: 6, Noise: 0.02}, Timeout: time.Minute}, Digests: true}
	for _, name := range on {
		config := must.Get(schemes.Parse(name))(t)
		p.Schemes = append(p.Schemes, config)
	}
	return p
}

// replayed replays a recording and returns the checker.
func replayed(t testing.TB, r *Recording, pace Pace, verify bool, on ...string) (*Checker, error) {
	t.Helper()
	checker := NewChecker(r, verify, silent)
	p := plan(t, (&Replay{Recording: r, Pace: pace}).Start, r.Coordinates(), r.Seed, on)
	p.Verify = verify
	err := run.Run(t.Context(), open(t, 2), p, checker.Hear)
	return checker, err
}

// file returns what a recording has.
func contents(t testing.TB, path string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(path))(t)
}

type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

func readBytes(all []byte) (*Recording, error) { return read(inMemory{bytes.NewReader(all)}) }

// sealed gives changed lines an end that fits them.
func sealed(text string) []byte {
	lines, _, _ := strings.Cut(text, `{"end":`)
	var e end
	for text := range strings.Lines(lines) {
		var l struct{ Batch *struct{ N uint64 } }
		if _ = json.Unmarshal([]byte(text), &l); l.Batch != nil {
			e.Batches++
			e.Operations += l.Batch.N
		}
	}
	return ended(lines, e)
}

// ended adds an end with the digest of the lines.
func ended(lines string, e end) []byte {
	e.Digest = hashOf(lines)
	last, _ := line{End: &e}.encode()
	return append([]byte(lines), last...)
}

// runOn replays a recording to a listener.
func runOn(t testing.TB, r *Recording, to *Recorder, on ...string) error {
	t.Helper()
	return run.Run(t.Context(), open(t, 1), plan(t, (&Replay{Recording: r}).Start, r.Coordinates(), r.Seed, on), to.Hear)
}

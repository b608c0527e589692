package suite

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
	"github.com/hashzoo/hashzoo/workloads/sweep"
)

// asked are schemes that answer all questions between them. Those that megakv cannot hold fail.
var asked = []string{"linear", "csr", "stash", "megakv"}

func base(seed uint64) session.Request {
	return session.Request{Choice: session.Choice{Device: "cpu", Seed: seed}, Threads: 1, Settings: map[string]string{},
		Limits: lua.Limits{Steps: 10_000_000, Time: time.Minute, Memory: 1 << 26, Vectors: 1 << 26, From: 1 << 20, Batches: 100_000},
		Rules:  run.Rules{Timeout: time.Minute, Policy: engine.Policy{Least: 6, Most: 6, Noise: 0.02}}}
}

// begun is a suite of tiny sizes in a folder.
func begun(t *testing.T, seed uint64, names ...string) (s Suite, on sweep.Sweep, points []sweep.Point) {
	t.Helper()
	s = must.Get(New(false, 1e-3))(t)
	on = sweep.Sweep{Folder: sweep.Folder(t.TempDir()), Plan: sweep.Plan{Schema: sweep.Schema, Parts: s.Parts(names)}}
	t.Cleanup(must.Get(on.Begin())(t))
	points = must.Get(on.Expand(t.Context(), base(seed)))(t)
	on.Points = lists.Map(points, func(p sweep.Point) sweep.Ref { return p.Ref })
	return s, on, points
}

// carryOut measures points in this process.
func carryOut(t *testing.T, on sweep.Sweep, points []sweep.Point) {
	t.Helper()
	names := lists.Map(points, func(p sweep.Point) string { return p.Name + "\n" })
	must.OK(t, on.Serve(t.Context(), points, "cpu", strings.NewReader(strings.Join(names, "")), io.Discard))
}

func measured(t *testing.T, seed uint64, names ...string) results.Document {
	t.Helper()
	s, on, points := begun(t, seed, names...)
	carryOut(t, on, points)
	return must.Get(s.Document(on, points))(t)
}

// copied is a document as another program reads it.
func copied(t *testing.T, d results.Document) (c results.Document) {
	t.Helper()
	must.OK(t, json.Unmarshal(must.Get(json.Marshal(d))(t), &c))
	return c
}

// Every question has an answer, every scheme has one or a reason, and a file that nobody touched is verified whole.
func TestEveryQuestionIsAnswered(t *testing.T) {
	d := measured(t, 1, asked...)
	for _, q := range d.Run.Suite.Questions {
		answered := func(r results.Row) bool {
			return r.Point[Axis] == q.Name && r.Op == q.Op && r.Noise != nil && r.Rate > 0
		}
		must.Hold(t, slices.ContainsFunc(d.Rows, answered), "nobody answers %s", q.Name)
	}
	for _, l := range d.LeftOut {
		must.Hold(t, !l.Failed && l.Reason != "", "%+v", l)
	}
	list := must.Get(Verify(t.Context(), copied(t, d), base(0), []string{"all"}))(t)
	for _, c := range list {
		ops := lists.Filter(d.Rows, func(r results.Row) bool { return r.Point[Axis] == c.Question && !isTableOp(r) })
		failed := lists.Filter(ops, fails)
		if !c.Oracle || c.Inputs != len(ops) || c.Results != len(ops)-len(failed) || c.Rows < len(ops) || c.Tables == 0 ||
			len(failed) == 0 && c.Question == "brim" {
			t.Errorf("%+v, %d rows of operations, %d failed", c, len(ops), len(failed))
		}
	}
	edits(t, d)
}

// edit changes a row, which is that of csr for the question hits, or something else.
type edit struct {
	what string
	do   func(d *results.Document, r *results.Row)
	// sealed: only the digests show it, which a forger can make again. Of all others, what is derived again shows it.
	sealed bool
}

func edits(t *testing.T, d results.Document) {
	other := measured(t, 2, "csr")
	twice := measured(t, 1, "csr", "csr:hash=universal")
	list := planted(other, twice)
	must.Hold(t, len(list) >= 50, "%d edits", len(list))
	for _, e := range list {
		c := copied(t, d)
		i := slices.IndexFunc(c.Rows, func(r results.Row) bool { return r.Scheme == "csr" && r.Point[Axis] == "hits" })
		e.do(&c, &c.Rows[i])
		must.Hold(t, must.Err(Verify(t.Context(), copied(t, c), base(0), []string{"hits"})) != nil, "%s: it is not refused", e.what)
		if e.sealed {
			continue
		}
		c.End.Seals = c.Seals()
		_, err := Verify(t.Context(), copied(t, c), base(0), []string{"hits"})
		must.Hold(t, err != nil, "%s, with new digests: it is not refused", e.what)
		t.Logf("%s: %v", e.what, err)
	}
}

// A pass that is not whole is left out, a scheme that fails once says why, and points of two machines make no file.
func TestUnevenPasses(t *testing.T) {
	s, on, points := begun(t, 1, "csr", "stash")
	carryOut(t, on, points)
	run := func(p sweep.Point) string { return filepath.Join(string(on.Folder), "runs", p.Name+".ndjson") }
	last := run(points[len(points)-1])
	must.OK(t, os.Rename(last, last+".away"))
	if d := must.Get(s.Document(on, points))(t); d.Run.Suite.Passes != 1 || d.Rows[0].Noise == nil {
		t.Errorf("%d passes, noise %v", d.Run.Suite.Passes, d.Rows[0].Noise)
	}
	must.OK(t, os.WriteFile(filepath.Join(string(on.Folder), "failed", points[len(points)-1].Name+".txt"), []byte("it hung\n"), 0o666))
	d := must.Get(s.Document(on, points))(t)
	out := func(l results.LeftOut) bool {
		return l.Scheme == "stash" && l.Point[Axis] == "grow" && l.Failed && l.Reason == "it hung"
	}
	must.Hold(t, d.Run.Suite.Passes == 2 && slices.ContainsFunc(d.LeftOut, out), "%d passes, left out %v", d.Run.Suite.Passes, d.LeftOut)
	text := must.Get(os.ReadFile(run(points[0])))(t)
	must.OK(t, os.WriteFile(run(points[0]), []byte(strings.Replace(string(text), `"model":"`, `"model":"Other `, 1)), 0o666))
	must.Say(t, must.Err(s.Document(on, points)), "they belong into two files")
}

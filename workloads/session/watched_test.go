package session

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/live"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// long is a script that goes on until it is stopped, at two points.
const long = `-- Goes on
axes = { x = { 1, 2 } }
options = { batches = 1e9 }
shape = { n = 2000, load = 0.8 }
stages = { { name = "one", batches = 2 }, { name = "two", batches = opt.batches } }
local keys = gen.keys{ seed = 1 }:take(2000)
function prepare(t) print("hello"); t:insert(keys, 1) end
function event(t) t:find(keys) end
`

// inFolder is a host of a request, in a folder of its own with two scripts.
func inFolder(t *testing.T, change func(*Request)) *Host {
	t.Helper()
	t.Chdir(t.TempDir())
	must.OK(t, errors.Join(os.WriteFile("long.lua", []byte(long), 0o644), os.WriteFile("quick.lua", []byte(quick), 0o644)))
	r := Request{Choice: Choice{Device: "cpu", Seed: 1}, Threads: 1,
		Rules:    run.Rules{Policy: engine.Policy{Least: 6, Noise: 0.02}, Timeout: time.Minute, KeepGoing: true, LeaveOut: true},
		Limits:   lua.Limits{Steps: 1e9, Time: time.Minute, Memory: 1 << 28, Vectors: 1 << 30, From: 1e6, Batches: 100_000},
		Settings: map[string]string{}, Pace: record.Pace{Speed: 1}}
	change(&r)
	return NewHost(t.Context(), r)
}

// on is a request for these schemes.
func on(names ...string) func(*Request) { return func(r *Request) { r.Choice.Schemes = names } }

// writing is a request for these schemes that writes files.
func writing(json, recording string, names ...string) func(*Request) {
	return func(r *Request) { r.Choice.Schemes, r.JSON, r.Recording = names, json, recording }
}

func open(t *testing.T, h *Host, script string, set ...string) *Watched {
	t.Helper()
	c := h.request.Choice
	c.Script, c.Set = script, set
	w := must.Get(h.Start(c))(t).(*Watched)
	t.Cleanup(func() { w.Stop(); bounded.Wait(t, w.done) })
	return w
}

func start(t *testing.T, h *Host, script string, set ...string) *Watched {
	t.Helper()
	w := open(t, h, script, set...)
	w.Begin()
	return w
}

// finish waits for the last session.
func finish(h *Host) (left bool, err error) {
	return h.runs[len(h.runs)-1].Steered.(*Watched).Wait(bounded.Limit, func() { panic("the session does not end") })
}

// A run waits until it is shown, and need not have begun to be ended.
func TestBeforeTheRunBegins(t *testing.T) {
	h := inFolder(t, writing("all.json", "", "bcht"))
	s := open(t, h, "long.lua")
	select {
	case <-s.done:
		t.Error("it has ended")
	case <-time.After(20 * time.Millisecond):
	}
	shown := s.Snapshot(live.View{Columns: 1})
	must.Hold(t, shown.Phase.Name == "" && shown.State != live.Ended, "in phase %q, state %v", shown.Phase.Name, shown.State)
	s.Stop()
	left, err := finish(h)
	must.Hold(t, left && err == nil, "%v %v", left, err)
	d := document(t, "all.json")
	must.Hold(t, d.End.Interrupted && len(d.Rows) == 0, "%+v, %d rows", d.End, len(d.Rows))
	s.Begin()
}

// until waits for a snapshot of which something is true.
func until(t *testing.T, s *Watched, what string, is func(*live.Snapshot) bool) *live.Snapshot {
	t.Helper()
	for late := time.Now().Add(bounded.Limit); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if shown := s.Snapshot(live.View{Columns: 10}); is(shown) {
			return shown
		}
	}
	shown := s.Snapshot(live.View{Columns: 1})
	t.Fatalf("never: %s; in phase %q: %v, %s", what, shown.Phase.Name, shown.Err, entries(shown))
	return nil
}

func in(phase string) func(*live.Snapshot) bool {
	return func(s *live.Snapshot) bool { return s.Phase.Name == phase && s.Schemes[1].All.Batches > 3 }
}

// Results so far are saved while the run goes on and while it pauses; when the user leaves, the table shows them.
func TestWatched(t *testing.T) {
	h := inFolder(t, writing("all.json", "", "1cht", "bcht"))
	s := start(t, h, "long.lua")
	until(t, s, "measuring", in("two"))
	first, err := s.Save()
	must.Need(t, err == nil && first == "results.json", "%s, %v", first, err)
	s.Pause(true)
	shown := until(t, s, "paused", func(s *live.Snapshot) bool { return s.State == live.Paused })
	must.Match(t, must.Get(s.Save())(t), "results-2.json")
	d := document(t, "results-2.json")
	find := d.Rows[slices.IndexFunc(d.Rows, func(r results.Row) bool { return r.Phase == "two" })]
	got := shown.Schemes[0].All.Batches
	must.Hold(t, find.Batches == got && d.End.Interrupted && len(d.Rows) == 6, "%d batches of %d, %d rows, %+v", find.Batches, got, len(d.Rows), d.End)
	free := shown.Machine.Free
	must.Hold(t, free > 0 && free <= shown.Device.Memory, "%d bytes of the machine's memory are free", free)
	text := entries(shown)
	must.Hold(t, strings.Contains(text, "two begins") && strings.Contains(text, "results: results.json") && strings.Contains(text, "hello"), "the log: %s", text)
	must.Hold(t, len(shown.Schemes[0].Gauges) != 0, "no gauges")
	s.Stop()
	left, err := finish(h)
	must.Hold(t, err == nil && left, "leaving is an error: %v, %v", left, err)
	d = document(t, "all.json")
	must.Hold(t, d.End.Interrupted && d.End.Error == "" && len(d.Rows) == 6, "%+v, %d rows", d.End, len(d.Rows))
}

func document(t *testing.T, path string) results.Document {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer file.Close()
	var d results.Document
	must.OK(t, json.NewDecoder(file).Decode(&d))
	return d
}

func entries(s *live.Snapshot) string {
	return strings.Join(lists.Map(s.Log, func(e live.Entry) string { return e.Text }), "\n")
}

// A recording that is begun while the run goes on is of the points from the next one on;
// it is whole, and says that it was ended. It replays, there and back.
func TestRecordAndReplay(t *testing.T) {
	h := inFolder(t, on("1cht,bcht"))
	s := start(t, h, "long.lua", "batches=2000")
	s.Pause(true)
	until(t, s, "paused", func(s *live.Snapshot) bool { return s.State == live.Paused })
	must.OK(t, s.Record("some.rec"))
	must.Say(t, s.Record("other.rec"), "already: some.rec")
	s.Pause(false)
	until(t, s, "the end", func(s *live.Snapshot) bool { return s.State == live.Ended })
	must.Get(finish(h))(t)
	r, err := record.Open("some.rec", false)
	must.Need(t, err == nil && len(r.Points) == 1 && r.Batches == 1+2+2000, "%v, %+v", err, r)
	r.Close()
	replay(t, h)
}

func replay(t *testing.T, h *Host) {
	s := start(t, h, "some.rec")
	s.Pause(true)
	shown := until(t, s, "paused", func(s *live.Snapshot) bool { return s.State == live.Paused })
	for _, want := range []int{2, 1, 2} {
		must.OK(t, s.Skip(want-shown.Phase.Index))
		shown = until(t, s, "there", func(s *live.Snapshot) bool { return s.State == live.Paused && s.Phase.Index == want })
	}
	must.Hold(t, strings.Contains(entries(shown), "starts over"), "the log: %s", entries(shown))
	must.Say(t, s.Speed(2), "--pace recorded")
	s.Pause(false)
	shown = until(t, s, "the end", func(s *live.Snapshot) bool { return s.State == live.Ended })
	must.Hold(t, shown.Err == nil && shown.Replay && shown.Schemes[0].All.Batches == 2000, "%v, %+v", shown.Err, shown.Schemes[0].All)
	must.Match(t, len(s.Document.Rows), 6, "rows: of the last time through only")
}

// Impossible requests are refused with a reason.
func TestWatchedRefuses(t *testing.T) {
	h := inFolder(t, writing("r.json", "", "bcht,bcht:bucket=16"))
	s := start(t, h, "long.lua")
	until(t, s, "measuring", in("two"))
	for what, err := range map[string]error{
		"a speed":      s.Speed(2),
		"phases":       s.Skip(1),
		"a file there": s.Record("long.lua"),
		"the results":  s.Record("./r.json"),
		"a device":     must.Err(h.Start(Choice{Script: "long.lua", Device: "abacus"})),
	} {
		must.Hold(t, err != nil && !strings.Contains(err.Error(), "\n"), "%s: %v", what, err)
	}
}

// Scripts and recordings of the folder are offered besides those that ship, with what is wrong with them.
func TestCatalog(t *testing.T) {
	h := inFolder(t, func(r *Request) { r.Choice.Schemes, r.Seed = []string{"bcht:bucket=8,hashes=2,1cht"}, 7 })
	for name, text := range map[string]string{"bad.lua": "-- Bad\nshape = 3", "cut.rec": `{"recording":`} {
		must.OK(t, os.WriteFile(name, []byte(text), 0o644))
	}
	c := h.Catalog()
	find := func(name string) Offer {
		return c.Scripts[slices.IndexFunc(c.Scripts, func(s Offer) bool { return s.Name == name })]
	}
	s := find("long.lua")
	must.Hold(t, s.Err == nil && s.Title == "Goes on" && len(s.Options) == 2 && s.Options[1].Default == "1,2" && s.Options[1].Axis, "%+v", s)
	for value, wrong := range map[string]bool{"7": false, "1e3": false, "1,2": false, "7abc": true, "": true} {
		for _, o := range find("long.lua").Options {
			err := o.Check(value)
			must.Hold(t, (err != nil) == (wrong || value == "1,2" && !o.Axis), "%s=%s: %v", o.Name, value, err)
		}
	}
	must.Hold(t, find("quickstart").Err == nil && find("bad.lua").Err != nil && find("cut.rec").Err != nil,
		"%v, %v, %v", find("quickstart").Err, find("bad.lua").Err, find("cut.rec").Err)
	must.Hold(t, slices.Equal(c.Default.Schemes, []string{"bcht:bucket=8,hashes=2,1cht"}) && c.Default.Seed == 7 && len(c.Devices) != 0, "%+v", c.Default)
}

// A run stopped by a signal is an error, as in `run`.
func TestWatchedInterrupted(t *testing.T) {
	h := inFolder(t, on("bcht,1cht"))
	var stop context.CancelFunc
	h.ctx, stop = context.WithCancel(t.Context())
	s := start(t, h, "long.lua")
	until(t, s, "measuring", in("two"))
	stop()
	_, err := finish(h)
	must.Hold(t, errors.Is(err, ErrInterrupted), "%v", err)
}

// A run that follows another writes files of its own, and says which.
func TestRunsWriteApart(t *testing.T) {
	h := inFolder(t, writing("all.json", "a.rec", "bcht"))
	for range 2 {
		s := start(t, h, "long.lua", "batches=3")
		shown := until(t, s, "the end", func(s *live.Snapshot) bool { return s.State == live.Ended })
		must.Match(t, strings.Contains(entries(shown), "this run is written to all-2.json, a-2.rec"), s.JSON == "all-2.json", entries(shown))
	}
	for _, stem := range []string{"", "-2"} {
		d := document(t, "all"+stem+".json")
		must.Hold(t, !d.End.Interrupted && len(d.Rows) != 0, "all%s.json: %+v, %d rows", stem, d.End, len(d.Rows))
		r := must.Get(record.Open("a"+stem+".rec", false))(t)
		r.Close()
	}
	left, err := finish(h)
	must.Hold(t, !left && err == nil, "%v %v", left, err)
}

// A name is in use while a file of that name is being written.
func TestUnused(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"r.json", "r-2.json.partial"} {
		must.OK(t, os.WriteFile(name, nil, 0o600))
	}
	must.Match(t, Unused("r.json"), "r-3.json", "is unused")
}

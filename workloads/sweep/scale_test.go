package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// tiny is a script whose points take next to no time of their own.
const tiny = `
axes = { at = { 1 } }
shape = { n = 1000, load = 0.8 }
stages = { batches = 1 }
function prepare(t) keys = gen.keys{}:take(1000); t:insert(keys, opt.at) end
function event(t) t:find(gen.hits{ of = keys, ratio = 0.5, n = 1000 }) end
`

// many is a sweep of n points of the script, in a new folder.
func many(t testing.TB, n int) (s Sweep, base session.Request) {
	t.Helper()
	folder := t.TempDir()
	script := filepath.Join(folder, "tiny.lua")
	must.OK(t, os.WriteFile(script, []byte(tiny), 0o666))
	base = session.Request{Choice: session.Choice{Device: "cpu", Seed: 1}, Threads: 1,
		Rules: run.Rules{Timeout: time.Minute, Policy: engine.Policy{Least: 6, Noise: 0.02}}, Settings: map[string]string{},
		Limits: lua.Limits{Steps: 1e6, Time: time.Minute, Memory: 1 << 26, Vectors: 1 << 26, From: 1 << 20, Batches: 100}}
	s.Folder = Folder(filepath.Join(folder, "sweep"))
	s.Plan = Plan{Schema: Schema, Folder: "..", Parts: []Part{{Script: script, Schemes: []string{"bcht:bucket={8,16}"}, Axis: []string{fmt.Sprintf("at=1:%d:1", n/2)}}}}
	must.Get(s.Begin())(t)()
	return s, base
}

func expand(t testing.TB, s *Sweep, base session.Request) []Point {
	t.Helper()
	points := must.Get(s.Expand(t.Context(), base))(t)
	s.Points = nil
	for _, p := range points {
		s.Points = append(s.Points, p.Ref)
	}
	return points
}

// What a sweep does with all of its points at once takes work in proportion to them. Allocations stand for work.
func TestWorkIsInProportion(t *testing.T) {
	few, more := allocations(t, 100), allocations(t, 1000)
	for what, n := range few {
		must.Hold(t, n > 0 && more[what] <= 12*n, "%s: %.0f allocations for 100 points, %.0f for 1000", what, n, more[what])
	}
}

// allocations of what is done with n points.
func allocations(t *testing.T, n int) map[string]float64 {
	t.Helper()
	s, base := many(t, n)
	points := expand(t, &s, base)
	must.OK(t, s.Serve(t.Context(), points, "cpu", strings.NewReader(points[0].Name), io.Discard))
	text, err := os.ReadFile(s.run(points[0].Name))
	for _, p := range points {
		err = errors.Join(err, os.WriteFile(s.run(p.Name), text, 0o666))
	}
	check := func(wrong error) { err = errors.Join(err, wrong) }
	list := map[string]float64{
		"names":  testing.AllocsPerRun(1, func() { expand(t, &s, base) }),
		"plan":   testing.AllocsPerRun(1, func() { check(s.write(s.Plan)) }),
		"open":   testing.AllocsPerRun(1, func() { _, wrong := s.Folder.Open(); check(wrong) }),
		"status": testing.AllocsPerRun(1, func() { _, wrong := s.Status(); check(wrong) }),
		"merge":  testing.AllocsPerRun(1, func() { _, wrong := s.Merge(); check(wrong) }),
	}
	must.OK(t, err)
	return list
}

// The point that a process was at when it ended fails. One that it was given and has not begun is carried out by the next
// process, and so is the first of another pass.
func TestPointsOfAProcessThatEnds(t *testing.T) {
	const killed = `{"begun":true}`
	for _, c := range []struct {
		last, want string
		pass       int // of the second point
	}{{killed, "a , b its process ended: signal: killed <nil> 1", 0}, {`{"beg`, "a  b 1", 0}, {killed, "a  b 1", 1}} {
		folder := Folder(t.TempDir())
		must.Get(folder.Begin())(t)()
		var heard []string
		left := make(chan Ref, 2)
		left <- Ref{Name: "b", Part: c.pass}
		left <- Ref{Name: "c"}
		_, names := io.Pipe()
		_ = names.Close() // as when the process has ended
		p := &process{sweep: Sweep{folder, Plan{Parts: []Part{{}, {Pass: 1}}}}, left: left, names: names, point: &Ref{Name: "a"},
			hear: func(o Outcome) { heard = append(heard, o.Name+" "+o.Failed) }}
		must.OK(t, p.listen(strings.NewReader("{\"begun\":true}\n{\"seconds\":1}\n"+c.last)), p.end(errors.New("signal: killed"), ""))
		next := "<nil>"
		if p.point != nil {
			next = p.point.Name
		}
		must.Match(t, fmt.Sprint(strings.Join(heard, ", "), " ", next, " ", len(left)), c.want)
	}
}

// Tasks have every point once, for any number of them.
func TestTasks(t *testing.T) {
	s := Sweep{Folder: Folder(t.TempDir())}
	for _, name := range strings.Split("abcdefghijk", "") {
		s.Points = append(s.Points, Ref{Name: name})
	}
	for which, want := range map[string]string{"0/1": "abcdefghijk", "0/4": "aei", "3/4": "dhl"[:2], "12/20": ""} {
		list, err := s.Task(which)
		have := ""
		for _, p := range list {
			have += p.Name
		}
		must.Hold(t, have == want && err == nil, "task %s: %s, %v, want %s", which, have, err, want)
	}
	for _, which := range []string{"4/4", "-1/4", "0", "1/2/3", "1/2x", "/", ""} {
		must.Say(t, must.Err(s.Task(which)), "it takes I/N", which)
	}
}

// A job's file quotes whatever a path has, and asks for a GPU where one is needed.
func TestJobs(t *testing.T) {
	j := job{Program: "/opt/it's/hashzoo", Folder: "/shared/a \"b\"/loads", Tasks: 25, GPU: true}
	script := must.Get(j.text("slurm.sh"))(t)
	must.Has(t, script, "--array=0-24 ", "\n#SBATCH --gres=gpu:1\n", "\nexec '/opt/it'\\''s/hashzoo' sweep task \"$SLURM_ARRAY_TASK_ID/25\" '/shared/a \"b\"/loads'\n")
	for _, gpu := range []bool{true, false} {
		j.GPU = gpu
		text, err := j.text("k8s.json")
		if err == nil {
			err = json.Unmarshal([]byte(text), &map[string]any{})
		}
		must.Hold(t, err == nil && strings.Contains(text, "nvidia.com/gpu") == gpu && strings.Contains(text, `"completions": 25,`), "%v\n%s", err, text)
	}
}

package check

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// apart checks in processes of which each says one of these, then why it failed.
func apart(t *testing.T, why string, said ...string) (r Report, steps, skipped []string) {
	t.Helper()
	must.OK(t, RunApart(t.Context(), Plan{Device: openCPU(t, 1)}, func(from int, skip []string) *exec.Cmd {
		skipped = append(skipped, strings.Join(skip, " "))
		return bounded.Command(t, "sh", "-c", `printf '%s\n' "$1"; echo "fault: $2" >&2; exit 3`, "sh", said[from], why)
	}, func(e Event) {
		r.Add(e.Finding)
		if e.Now != nil {
			steps = append(steps, e.Now.What)
		}
	}))
	return r, steps, skipped
}

// Where a process dies, what it was trying has failed, and another one continues with the next step.
func TestProcessesThatDie(t *testing.T) {
	r, steps, _ := apart(t, "read of 4 bytes",
		`{"now":{"what":"one","done":0,"of":3}}`+"\n"+`{"finding":{"part":"verbs","what":"a","status":"passed"}}`,
		`{"now":{"what":"two","done":1,"of":3}}`+"\n"+`{"trying":{"part":"ladder","what":"b","rung":4}}`,
		`{"now":{"what":"three","done":2,"of":3}}`+"\n"+`{"ended":true}`)
	must.Need(t, strings.Join(steps, " ") == "one two three" && len(r) == 3, "steps %v, %+v", steps, r)
	if f := r[1]; f.Part != "verbs" || f.What != "one" || f.Status != Failed || f.Why != "read of 4 bytes" {
		t.Errorf("died between checks: %+v", f)
	}
	if f := r[2]; f.Rung != 4 || f.What != "b" || f.Why != "read of 4 bytes" || !strings.Contains(f.Repeat, "--rung 4") {
		t.Errorf("died in a check: %+v", f)
	}
}

// Where a check hangs, its configuration is not checked any further; a crash ends nothing but its step.
func TestHungConfigurations(t *testing.T) {
	r, _, skipped := apart(t, "find hangs",
		`{"now":{"what":"one","done":0,"of":3}}`+"\n"+`{"trying":{"part":"ladder","config":"a:x=1","what":"b"}}`,
		`{"now":{"what":"two","done":1,"of":3}}`+"\n"+`{"trying":{"part":"ladder","config":"a:x=2","what":"b"}}`+"\n"+`{"hung":true}`,
		`{"now":{"what":"three","done":2,"of":3}}`+"\n"+`{"ended":true}`)
	must.Need(t, strings.Join(skipped, "|") == "||a:x=2" && len(r) == 2, "skipped %q, %+v", skipped, r)
	must.Hold(t, r[0].Why == "find hangs" && r[1].Why == "find hangs; it is not checked any further", "%+v", r)
}

func TestSkippedConfigurations(t *testing.T) {
	s := scheme(t, "1cht")
	p := Plan{Targets: []Target{{Scheme: s}}, Device: openCPU(t, 1), Quick: true, Rung: 1, scale: &timed}
	all := len(check(t, p))
	p.Skip = []string{s.Defaults().String()}
	r := check(t, p)
	for _, f := range r {
		must.Hold(t, f.Config != p.Skip[0], "%+v", f)
	}
	must.Hold(t, len(r) != 0 && len(r) != all, "%d findings of %d", len(r), all)
}

func TestProcessesThatSayNothing(t *testing.T) {
	for script, want := range map[string]string{
		"exit 3":                       "ended before it did anything: the process died: exit status 3",
		`echo '{"error":"no device"}'`: "no device",
	} {
		must.Say(t, RunApart(t.Context(), Plan{Device: openCPU(t, 1)}, func(int, []string) *exec.Cmd { return bounded.Command(t, "sh", "-c", script) }, func(Event) {}), want, script)
	}
}

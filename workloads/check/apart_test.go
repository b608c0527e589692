package check

import (
	"os/exec"
	"strings"
	"testing"
)

// Where a process dies, what it was trying has failed, and another one continues with the
// next step.
func TestProcessesThatDie(t *testing.T) {
	said := []string{
		`{"now":{"what":"one","done":0,"of":3}}` + "\n" + `{"finding":{"part":"verbs","what":"a","status":"passed"}}`,
		`{"now":{"what":"two","done":1,"of":3}}` + "\n" + `{"trying":{"part":"ladder","what":"b","rung":4}}`,
		`{"now":{"what":"three","done":2,"of":3}}` + "\n" + `{"ended":true}`,
	}
	var r Report
	var steps []string
	err := RunApart(t.Context(), Plan{Device: openCPU(t, 1)}, func(from int) *exec.Cmd {
		return exec.Command("sh", "-c", `printf '%s\n' "$1"; echo "fault: read of 4 bytes" >&2; exit 3`, "sh", said[from])
	}, func(e Event) {
		r.Add(e.Finding)
		if e.Now != nil {
			steps = append(steps, e.Now.What)
		}
	})
	if err != nil || strings.Join(steps, " ") != "one two three" || len(r) != 3 {
		t.Fatalf("%v, steps %v, %+v", err, steps, r)
	}
	if f := r[1]; f.Part != "verbs" || f.What != "one" || f.Status != Failed || f.Why != "read of 4 bytes" {
		t.Errorf("died between checks: %+v", f)
	}
	if f := r[2]; f.Rung != 4 || f.What != "b" || f.Why != "read of 4 bytes" || !strings.Contains(f.Repeat, "--rung 4") {
		t.Errorf("died in a check: %+v", f)
	}
}

func TestProcessesThatSayNothing(t *testing.T) {
	for script, want := range map[string]string{
		"exit 3":                       "ended before it did anything: the process died: exit status 3",
		`echo '{"error":"no device"}'`: "no device",
	} {
		err := RunApart(t.Context(), Plan{Device: openCPU(t, 1)}, func(int) *exec.Cmd { return exec.Command("sh", "-c", script) }, func(Event) {})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
	}
}

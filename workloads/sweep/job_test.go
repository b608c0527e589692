package sweep

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

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
	for _, want := range []string{"--array=0-24 ", "\n#SBATCH --gres=gpu:1\n", "\nexec '/opt/it'\\''s/hashzoo' sweep task \"$SLURM_ARRAY_TASK_ID/25\" '/shared/a \"b\"/loads'\n"} {
		must.Hold(t, strings.Contains(script, want), "no %s in\n%s", want, script)
	}
	for _, gpu := range []bool{true, false} {
		j.GPU = gpu
		text, err := j.text("k8s.json")
		if err == nil {
			err = json.Unmarshal([]byte(text), &map[string]any{})
		}
		must.Hold(t, err == nil && strings.Contains(text, "nvidia.com/gpu") == gpu && strings.Contains(text, `"completions": 25,`), "%v\n%s", err, text)
	}
}

package sweep

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Cluster is a scheduler of many machines: how its job is written and submitted.
type Cluster struct {
	Name   string
	file   string // of the sweep's folder, and of the template
	Submit string // a command that takes the file
	Edit   string // what to change in the file before
}

// Clusters are those that there is a template for.
var Clusters = []Cluster{
	{"slurm", "slurm.sh", "sbatch", ""},
	{"k8s", "k8s.json", "kubectl create -f", "IMAGE and CLAIM"},
}

//go:embed jobs
var jobs embed.FS

// maxTasks bounds the tasks of a job without --tasks: schedulers bound their arrays.
const maxTasks = 100

// job is the data of the templates.
type job struct {
	Program, Folder string
	Tasks           int
	GPU             bool // a task takes one
}

func (j job) Last() int      { return j.Tasks - 1 }
func (j job) Logs() string   { return filepath.Join(j.Folder, logs, "%A-%a.log") }
func (j job) Parent() string { return filepath.Dir(j.Folder) }
func (j job) Command() string {
	return "exec hashzoo sweep task $JOB_COMPLETION_INDEX/" + fmt.Sprint(j.Tasks) + " " + quoted(j.Folder)
}

// WriteJob writes a job for all points into the folder: `tasks` tasks, or as many as there are points, up to 100.
func (s Sweep) WriteJob(c Cluster, tasks int, gpu bool) (path string, _ int, err error) {
	tasks = cmp.Or(tasks, min(len(s.Points), maxTasks))
	folder, err := filepath.Abs(string(s.Folder))
	if err != nil {
		return "", 0, err
	}
	program, err := os.Executable()
	if err != nil {
		return "", 0, err
	}
	text, err := job{program, folder, tasks, gpu}.text(c.file)
	if err == nil {
		err = regular.WriteText(s.at(c.file), text)
	}
	return s.at(c.file), tasks, err
}

func (j job) text(file string) (string, error) {
	var text strings.Builder
	t, err := template.New(file).Funcs(template.FuncMap{"quote": quoted, "json": asJSON}).ParseFS(jobs, "jobs/"+file)
	if err == nil {
		err = t.Execute(&text, j)
	}
	return text.String(), err
}

func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

func asJSON(text string) (string, error) {
	quoted, err := json.Marshal(text)
	return string(quoted), err
}

// submitted reports whether a job was written: it may be at work in the folder.
func (f Folder) submitted() bool {
	for _, c := range Clusters {
		if _, err := os.Stat(f.at(c.file)); err == nil {
			return true
		}
	}
	return false
}

// Task returns the points of task I/N that are not done: every Nth of the plan, from the Ith on.
func (s Sweep) Task(which string) ([]Ref, error) {
	var i, n int
	if _, err := fmt.Sscanf(which+"\n", "%d/%d\n", &i, &n); err != nil || i < 0 || i >= n {
		return nil, session.Wrong(fmt.Errorf("task %q: it takes I/N, the number of a task, from 0, and how many there are, such as 0/20", which))
	}
	task := s
	for task.Points = nil; i < len(s.Points); i += n {
		task.Points = append(task.Points, s.Points[i])
	}
	return task.Missing()
}

// RunTask carries out points in this process' place, and fails if one does.
func (s Sweep) RunTask(ctx context.Context, points []Ref, device string, w Worker, hear func(Outcome)) error {
	failed := 0
	err := s.Local(ctx, points, []string{device}, w, func(o Outcome) {
		if o.Failed != "" {
			failed++
		}
		hear(o)
	})
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d points failed", failed, len(points))
	}
	return err
}

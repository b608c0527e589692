package sweep

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/template"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Folder is where a sweep lies: plan.json; in runs/ the results of each point that is done; in failed/ why others failed;
// the job of a cluster, and its logs in logs/.
type Folder string

const (
	planFile  = "plan.json"
	runs      = "runs"
	failures  = "failed"
	logs      = "logs"
	merged    = "merged"
	extension = ".ndjson"
)

func (f Folder) at(parts ...string) string {
	return filepath.Join(append([]string{string(f)}, parts...)...)
}

func (f Folder) run(name string) string     { return f.at(runs, name+extension) }
func (f Folder) failure(name string) string { return f.at(failures, name+".txt") }

// Sweep is a plan in its folder.
type Sweep struct {
	Folder
	Plan
}

// Open reads the sweep in a folder.
func (f Folder) Open() (s Sweep, err error) {
	s.Folder = f
	text, err := regular.Read(f.at(planFile), 1<<26)
	if errors.Is(err, fs.ErrNotExist) {
		return s, session.Wrong(fmt.Errorf("%s is no folder of a sweep: it has no %s; hint: hashzoo sweep SCRIPT --out %s", string(f), planFile, string(f)))
	}
	if err != nil {
		return s, session.Wrong(err)
	}
	if err = results.Strict(text, &s.Plan); err == nil && s.Schema != Schema {
		err = fmt.Errorf("schema is %q: this program reads %s", s.Schema, Schema)
	}
	if err != nil {
		err = session.Wrong(fmt.Errorf("%s: %w", f.at(planFile), err))
	}
	return s, err
}

// Begin makes the folder of a sweep, or takes the one that is there, with the points that are done. A folder with other
// files is refused. Others are kept out of it until the returned function is called.
func (f Folder) Begin() (release func(), err error) {
	list, err := os.ReadDir(string(f))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, session.Wrong(err)
	}
	if _, err := os.Stat(f.at(runs)); len(list) > 0 && err != nil {
		return nil, session.Wrong(fmt.Errorf("--out is %s, which has other files: it takes a new folder, or that of a sweep", string(f)))
	}
	for _, name := range []string{runs, failures, logs} {
		if err := os.MkdirAll(f.at(name), 0o777); err != nil {
			return nil, session.Wrong(err)
		}
	}
	return f.lock()
}

// Continue writes the plan, and lists the points that are to be measured.
func (s Sweep) Continue() ([]Ref, error) {
	if err := errors.Join(s.tidy(), s.write(s.Plan)); err != nil {
		return nil, err
	}
	return s.Missing()
}

func (f Folder) write(p Plan) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return regular.WriteText(f.at(planFile), string(text)+"\n")
}

// lock keeps other sweeps out of the folder until the returned function is called, or this process ends.
func (f Folder) lock() (release func(), err error) {
	file, err := os.OpenFile(f.at("lock"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, session.Wrong(err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s: a sweep is at work there; hint: hashzoo sweep status %s", string(f), string(f))
	}
	return func() { _ = file.Close() }, nil
}

// tidy removes what runs left that were cut off, unless a job may be at work in the folder.
func (f Folder) tidy() error {
	if f.submitted() {
		return nil
	}
	left, err := filepath.Glob(f.at(runs, "*"+regular.Partial+"*"))
	return errors.Join(append(lists.Map(left, os.Remove), err)...)
}

// names lists the files of a folder with an extension, without it.
func (f Folder) names(folder, extension string) (map[string]bool, error) {
	list, err := os.ReadDir(f.at(folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names := map[string]bool{}
	for _, entry := range list {
		if name, ok := strings.CutSuffix(entry.Name(), extension); ok {
			names[name] = true
		}
	}
	return names, nil
}

// Missing lists the points that are not done.
func (s Sweep) Missing() ([]Ref, error) { return s.points(false) }

// Done lists the points that are done.
func (s Sweep) Done() ([]Ref, error) { return s.points(true) }

func (s Sweep) points(done bool) ([]Ref, error) {
	names, err := s.names(runs, extension)
	return slices.DeleteFunc(slices.Clone(s.Points), func(p Ref) bool { return names[p.Name] != done }), err
}

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
	asJSON := func(text string) string { return string(lists.Must(json.Marshal(text))) }
	t, err := template.New(file).Funcs(template.FuncMap{"quote": quoted, "json": asJSON}).ParseFS(jobs, "jobs/"+file)
	if err == nil {
		err = t.Execute(&text, j)
	}
	return text.String(), err
}

func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// submitted reports whether a job was written: it may be at work in the folder.
func (f Folder) submitted() bool {
	return slices.ContainsFunc(Clusters, func(c Cluster) bool {
		_, err := os.Stat(f.at(c.file))
		return err == nil
	})
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

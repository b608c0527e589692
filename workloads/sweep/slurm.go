package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Slurm carries out sweeps as job arrays.
type Slurm struct {
	Arguments []string // of sbatch, besides ours: a partition, an account
	GPU       bool     // a task takes one
}

// Jobs are what a sweep submitted last. They are the file slurm.json of its folder.
type Jobs struct {
	Arrays []string `json:"arrays"`
	Merge  string   `json:"merge,omitempty"` // runs after the arrays
	Tasks  int      `json:"tasks"`
}

func (j Jobs) all() []string {
	if j.Merge == "" {
		return j.Arrays
	}
	return append(slices.Clone(j.Arrays), j.Merge)
}

const jobsFile = "slurm.json"

// Submit submits tasks of about TaskTime, and a merge after them. Without a time for each point it first waits for a
// few of them.
func (e Slurm) Submit(ctx context.Context, s Sweep, points []Ref, each time.Duration) (j Jobs, err error) {
	largest, err := maxArray()
	if err != nil {
		return j, err
	}
	if each == 0 {
		if points, each, err = e.pilot(ctx, s, points); err != nil {
			return j, err
		}
	}
	list := Tasks(points, each)
	if j, err = e.arrays(s, list, largest); err != nil || len(list) == 0 {
		return j, err
	}
	j.Merge, err = e.sbatch(s, "merge", []string{"--dependency=afterany:" + strings.Join(j.Arrays, ":"), "--output=" + s.log("merge-%j")},
		"sweep", "merge", absolute(s.Folder))
	return j, errors.Join(err, s.writeJobs(j))
}

// arrays submits tasks as arrays that are not larger than slurm allows. What was submitted is written down at once.
func (e Slurm) arrays(s Sweep, list [][]Ref, largest int) (j Jobs, err error) {
	j.Tasks = len(list)
	for chunk := range slices.Chunk(list, largest) {
		file, err := s.WriteTasks(chunk)
		if err != nil {
			return j, err
		}
		arguments := []string{fmt.Sprintf("--array=0-%d", len(chunk)-1), "--output=" + s.log("slurm-%A-%a"), "--open-mode=append", "--requeue"}
		if e.GPU {
			arguments = append(arguments, "--gres=gpu:1")
		}
		id, err := e.sbatch(s, "points", arguments, "sweep", "task", absolute(s.Folder), file)
		if err != nil {
			return j, err
		}
		j.Arrays = append(j.Arrays, id)
		if err := s.writeJobs(j); err != nil {
			return j, err
		}
	}
	return j, nil
}

// pilot waits for a few points, and returns the others and how long a point takes.
func (e Slurm) pilot(ctx context.Context, s Sweep, points []Ref) ([]Ref, time.Duration, error) {
	var single [][]Ref
	for _, p := range Samples(points) {
		single = append(single, []Ref{p})
	}
	j, err := e.arrays(s, single, len(single))
	if err != nil {
		return nil, 0, err
	}
	if err := j.wait(ctx); err != nil {
		return nil, 0, errors.Join(err, j.cancel())
	}
	each, err := s.Each()
	if err != nil {
		return nil, 0, err
	}
	if each == 0 {
		return nil, 0, fmt.Errorf("none of the first %d points was done; hint: hashzoo sweep status %s, and the logs in %s", len(single), s.Folder, s.at(logs))
	}
	points, err = s.Missing()
	return points, each, err
}

const (
	shortWait = 500 * time.Millisecond
	longWait  = 15 * time.Second
)

// wait waits until the jobs have ended.
func (j Jobs) wait(ctx context.Context) error {
	for pause := shortWait; ; pause = min(2*pause, longWait) {
		active, err := j.Active()
		if err != nil || active == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (j Jobs) cancel() error {
	_, err := slurm("scancel", "", j.all()...)
	return err
}

// Active is how many tasks of the jobs are queued or running.
func (j Jobs) Active() (n int, err error) {
	if _, missing := exec.LookPath("squeue"); len(j.Arrays) == 0 || missing != nil {
		return 0, nil // the folder may have been copied from a cluster
	}
	text, err := slurm("squeue", "", "--noheader", "--array", "--format=%F")
	for id := range strings.FieldsSeq(text) {
		if slices.Contains(j.all(), id) {
			n++
		}
	}
	return n, err
}

// Jobs are what the sweep submitted last, if it did.
func (f Folder) Jobs() (j Jobs, err error) {
	text, err := regular.Read(f.at(jobsFile), regular.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	if err != nil {
		err = session.Wrong(fmt.Errorf("%s: %w", f.at(jobsFile), err))
	}
	return j, err
}

func (f Folder) writeJobs(j Jobs) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return regular.WriteText(f.at(jobsFile), string(text)+"\n")
}

func (f Folder) log(name string) string { return filepath.Join(absolute(f), logs, name+".log") }

// absolute is the folder as other machines find it, if they have the same file systems.
func absolute(f Folder) string {
	path, err := filepath.Abs(string(f))
	if err != nil {
		return string(f)
	}
	return path
}

// sbatch submits a job that runs this program, and returns its number.
func (e Slurm) sbatch(s Sweep, what string, ours []string, command ...string) (id string, err error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	script := "#!/bin/sh\nexec"
	for _, word := range append([]string{program}, command...) {
		script += " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	arguments := append([]string{"--parsable", "--job-name=hashzoo-" + what, "--chdir=" + absolute(s.Folder)}, ours...)
	answer, err := slurm("sbatch", script+"\n", append(arguments, e.Arguments...)...)
	id, _, _ = strings.Cut(strings.TrimSpace(answer), ";") // the cluster's name may follow
	return id, err
}

var arraySize = regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*(\d+)`)

// maxArray is how many tasks an array may have: the largest number of a task is one less than MaxArraySize.
func maxArray() (int, error) {
	text, err := slurm("scontrol", "", "show", "config")
	if err != nil {
		return 0, err
	}
	found := arraySize.FindStringSubmatch(text)
	if found == nil {
		return 0, errors.New("scontrol show config names no MaxArraySize")
	}
	n, err := strconv.Atoi(found[1])
	if err == nil && n < 2 {
		err = errors.New("slurm takes no job arrays: MaxArraySize is " + found[1])
	}
	return n, err
}

// slurm runs one of slurm's commands and returns what it prints.
func slurm(command, input string, arguments ...string) (string, error) {
	c := exec.Command(command, arguments...)
	var out, trouble bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(input), &out, &trouble
	if err := c.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return "", session.Wrong(fmt.Errorf("--on slurm takes the commands of slurm, and %s is not installed here", command))
		}
		return "", fmt.Errorf("%s: %w%s", command, err, lastLine(trouble.String()))
	}
	return out.String(), nil
}

package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// WriteTasks writes lists of points into the folder, for tasks that other machines carry out, and returns the file's name there.
func (f Folder) WriteTasks(list [][]Ref) (name string, err error) {
	names := lists.Map(list, func(task []Ref) []string {
		return lists.Map(task, func(p Ref) string { return p.Name })
	})
	text, err := json.Marshal(names)
	if err != nil {
		return "", err
	}
	name = time.Now().UTC().Format("20060102T150405.000000") + ".json"
	return name, regular.WriteText(f.at(tasks, name), string(text)+"\n")
}

// Task returns the points of a task that are not done.
func (s Sweep) Task(file string, index int) (list []Ref, err error) {
	text, err := regular.Read(s.at(tasks, file), 1<<28)
	if err != nil {
		return nil, session.Wrong(err)
	}
	var all [][]string
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, session.Wrong(fmt.Errorf("%s: %w", s.at(tasks, file), err))
	}
	if index < 0 || index >= len(all) {
		return nil, session.Wrong(fmt.Errorf("task %d: %s has %d tasks, counted from 0", index, file, len(all)))
	}
	wanted := map[string]bool{}
	for _, name := range all[index] {
		wanted[name] = true
	}
	missing, err := s.Missing()
	for _, p := range missing {
		if wanted[p.Name] {
			list = append(list, p)
		}
	}
	return list, err
}

// indexVariables have the number of a task in the engines that give it one.
var indexVariables = []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}

// TaskIndex is the number of the task that an engine started this process for.
func TaskIndex() (int, error) {
	for _, name := range indexVariables {
		if text, ok := os.LookupEnv(name); ok {
			i, err := strconv.Atoi(text)
			if err != nil {
				err = session.Wrong(fmt.Errorf("%s is %q: it takes the number of a task", name, text))
			}
			return i, err
		}
	}
	return 0, session.Wrong(fmt.Errorf("neither %s nor %s is set: sweeps on other machines start this command", indexVariables[0], indexVariables[1]))
}

// RunTask carries out a task in this process' place, and fails if a point does.
func (s Sweep) RunTask(ctx context.Context, task []Ref, device string, w Worker, hear func(Outcome)) error {
	failed := 0
	err := s.Supervise(ctx, task, device, w, func(o Outcome) {
		if o.Failed != "" {
			failed++
		}
		hear(o)
	})
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d points failed", failed, len(task))
	}
	return err
}

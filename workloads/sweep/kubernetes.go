package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Kubernetes carries out sweeps as an Indexed Job.
type Kubernetes struct {
	Image       string // with this program in it
	Claim       string // a persistent volume claim
	Mount       string // where the claim is mounted, here and in the pods
	Namespace   string
	Parallelism int
	GPU         bool // a pod takes one
}

// manifestFile is the Job in a sweep's folder.
const manifestFile = "job.json"

// restarts is how often Kubernetes starts a task again whose pod failed.
const restarts = 3

// WriteManifest writes a Job with tasks of about TaskTime into the folder, and returns its path and the number of tasks.
func (e Kubernetes) WriteManifest(s Sweep, points []Ref, each time.Duration) (path string, n int, err error) {
	inside, err := filepath.Rel(e.Mount, absolute(s.Folder))
	if err != nil || strings.HasPrefix(inside, "..") || !filepath.IsAbs(e.Mount) {
		return "", 0, session.Wrong(fmt.Errorf("--mount is %q, and --out is %s: it takes the path of a volume that DIR is on, the same here and in the pods", e.Mount, absolute(s.Folder)))
	}
	list := Tasks(points, each)
	file, err := s.WriteTasks(list)
	if err != nil {
		return "", 0, err
	}
	job := e.job("hashzoo-"+strings.NewReplacer("T", "-", ".json", "", ".", "-").Replace(file), absolute(s.Folder), file, len(list))
	text, err := json.MarshalIndent(job, "", "  ")
	if err != nil {
		return "", 0, err
	}
	return s.at(manifestFile), len(list), regular.WriteText(s.at(manifestFile), string(text)+"\n")
}

type object = map[string]any

func (e Kubernetes) job(name, folder, file string, tasks int) object {
	container := object{
		"name": "points", "image": e.Image,
		"command":      []string{"hashzoo", "sweep", "task", folder, file},
		"volumeMounts": []object{{"name": "sweep", "mountPath": e.Mount}},
	}
	if e.GPU {
		container["resources"] = object{"limits": object{"nvidia.com/gpu": "1"}}
	}
	metadata := object{"name": name, "labels": object{"app": "hashzoo-sweep"}}
	if e.Namespace != "" {
		metadata["namespace"] = e.Namespace
	}
	return object{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata,
		"spec": object{
			"completionMode": "Indexed", "completions": tasks, "parallelism": min(tasks, e.Parallelism),
			"backoffLimitPerIndex": restarts, "maxFailedIndexes": tasks,
			"template": object{"spec": object{
				"restartPolicy": "Never",
				"containers":    []object{container},
				"volumes":       []object{{"name": "sweep", "persistentVolumeClaim": object{"claimName": e.Claim}}},
			}},
		},
	}
}

// Apply gives a manifest to the cluster, which checks it. Without kubectl it reports false.
func Apply(path string) (applied bool, err error) {
	text, err := exec.Command("kubectl", "create", "--validate=strict", "-f", path).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("kubectl create -f %s: %w%s", path, err, lastLine(string(text)))
	}
	return true, nil
}

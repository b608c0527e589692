package sweep

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"k8s.io/api/batch/v1"
)

// The manifest is read by Kubernetes' own types, which refuse fields that they lack and values of other types.
func TestManifest(t *testing.T) {
	folder := t.TempDir()
	s := Sweep{Folder: Folder(folder)}
	var points []Ref
	for range 25 {
		points = append(points, Ref{Name: "a"})
	}
	if err := s.Begin(); err != nil {
		t.Fatal(err)
	}
	e := Kubernetes{Image: "registry/hashzoo:1", Claim: "disk", Mount: folder, Namespace: "lab", Parallelism: 2, GPU: true}
	path, n, err := e.WriteManifest(s, points, 6*time.Second)
	if err != nil || n != 3 {
		t.Fatal(path, n, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var job v1.Job
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&job); err != nil {
		t.Fatal(err)
	}
	spec, pod := job.Spec, job.Spec.Template.Spec
	if job.Namespace != "lab" || *spec.CompletionMode != v1.IndexedCompletion || *spec.Completions != 3 || *spec.Parallelism != 2 || *spec.BackoffLimitPerIndex != restarts {
		t.Errorf("%s", text)
	}
	c := pod.Containers[0]
	gpus := c.Resources.Limits["nvidia.com/gpu"]
	if gpus.Value() != 1 || c.VolumeMounts[0].Name != pod.Volumes[0].Name || pod.Volumes[0].PersistentVolumeClaim.ClaimName != "disk" {
		t.Errorf("%s", text)
	}
	t.Setenv(indexVariables[0], "")
	if err := os.Unsetenv(indexVariables[0]); err != nil {
		t.Fatal(err)
	}
	t.Setenv(indexVariables[1], "2")
	if i, err := TaskIndex(); i != 2 || err != nil {
		t.Error(i, err)
	}
}

// Tasks have every point once, in order, and are about TaskTime long.
func TestTasks(t *testing.T) {
	points := make([]Ref, 10_000)
	for i := range points {
		points[i].Title = time.Duration(i).String()
	}
	list := Tasks(points, 700*time.Millisecond)
	n := 0
	for _, task := range list {
		for _, p := range task {
			if p != points[n] {
				t.Fatalf("point %d is %v", n, p)
			}
			n++
		}
	}
	if n != len(points) || len(list[0]) != 85 || len(list) != TasksOf(n, 700*time.Millisecond) {
		t.Errorf("%d points in %d tasks, %d in the first", n, len(list), len(list[0]))
	}
}

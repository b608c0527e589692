package sweep

import (
	"os"
	"strings"
	"testing"
	"time"
)

// `make k8s-check` reads the manifest by Kubernetes' own types.
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
	for _, want := range []string{
		`"namespace": "lab"`, `"completionMode": "Indexed"`, `"completions": 3`, `"parallelism": 2`, `"backoffLimitPerIndex": 3`,
		`"nvidia.com/gpu": "1"`, `"claimName": "disk"`, `"mountPath": "` + folder + `"`, `"image": "registry/hashzoo:1"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
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

package lua

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// careful are limits for scripts that exceed them; the expected errors contain the numbers.
var careful = Limits{Steps: 1_000_000, Time: time.Minute, Memory: 1 << 26, Vectors: 1 << 20, From: 1000, Batches: 100_000}

// runAll runs all phases of a script and returns the first error.
func runAll(s *Script, table *fake) error {
	made, err := s.Start(run.Setup{Seed: 1, Config: table.config}, table)
	if err != nil {
		return err
	}
	defer made.Close()
	if err := made.Prepare(); err != nil {
		return err
	}
	for i := range uint64(3) {
		if more, err := made.Event(i+1, "run"); err != nil {
			return err
		} else if !more {
			break
		}
	}
	_, err = made.Done(map[string]any{"size": 0.0, "insert": map[string]any{"mops": 1.0, "ms": 1.0}})
	return err
}

// Every script in testdata/broken contains one mistake, and its second line is the expected
// error. <...> stands for text that depends on the schemes.
func TestBrokenScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/broken/*.lua")
	if err != nil || len(paths) < 25 {
		t.Fatalf("%d broken scripts: %v", len(paths), err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			source := must.Get(os.ReadFile(path))(t)
			lines := strings.SplitN(string(source), "\n", 3)
			want, ok := strings.CutPrefix(lines[1], "-- error: ")
			s, err := Inspect(name, string(source), os.DirFS("testdata/broken"), careful)
			if err == nil {
				err = runAll(s, &fake{config: config(t, "bcht")})
			}
			if !ok || err == nil || !says(err.Error(), want) {
				t.Errorf("have %v\nwant %s", err, want)
			}
		})
	}
}

func says(have, want string) bool {
	start, end, open := strings.Cut(want, "<...>")
	if !open {
		return have == want
	}
	return strings.HasPrefix(have, start) && strings.HasSuffix(have, end)
}

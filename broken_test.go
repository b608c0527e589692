package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Scripts that are wrong, each in one way: the program says what its second line says,
// with file and line, and ends with exit code 2. Some go too far, so
// the limits are low.
const brokenScript = `env HASHZOO_LUA_STEPS=1000000
env HASHZOO_LUA_FROM=1000
exits 2 hashzoo run %[1]s --schemes bcht --quiet
%[4]s
-- %[1]s --
%[2]s
-- want --
hashzoo: %[3]s
`

// quoted is a text as a regular expression, in quotes of testscript.
func quoted(text string) string { return strings.ReplaceAll(regexp.QuoteMeta(text), "'", "''") }

func TestBrokenScripts(t *testing.T) {
	paths, err := filepath.Glob("workloads/lua/testdata/broken/*.lua")
	if err != nil || len(paths) < 25 {
		t.Fatalf("%d broken scripts: %v", len(paths), err)
	}
	folder := t.TempDir()
	for i, path := range paths {
		if testing.Short() && i%3 > 0 {
			continue // the tests of workloads/lua read all of them
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		want, ok := strings.CutPrefix(strings.Split(string(source), "\n")[1], "-- error: ")
		if !ok {
			t.Fatalf("%s does not say which error it gives", path)
		}
		compare := "cmp stderr want"
		if start, end, open := strings.Cut(want, "<...>"); open { // which schemes there are
			compare = fmt.Sprintf("stderr '^hashzoo: %s.*%s$'", quoted(start), quoted(end))
		}
		text := fmt.Sprintf(brokenScript, name, strings.TrimSuffix(string(source), "\n"), want, compare)
		if err := os.WriteFile(filepath.Join(folder, strings.TrimSuffix(name, ".lua")+".txtar"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir: folder, RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

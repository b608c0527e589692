package main

import (
	"errors"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"hashzoo": main}) }

// TestCommands runs the scripts, in which the program is used as a user would.
// Beyond the usual commands they have:
//
//	exits CODE PROGRAM ...         the program ends with that exit code
//	terminal COLUMNS PROGRAM ...   what it shows there is in the file screen
//	screen ...                     a program in tmux, with keys (screen_test.go)
func TestCommands(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "cli/testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "terminal": onTerminal, "screen": onScreen},
	})
}

func exits(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d instead of %d", got, want)
	}
}

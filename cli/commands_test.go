package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hashzoo/hashzoo/cli"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hashzoo": func() { os.Exit(cli.Main()) }})
}

// TestCommands runs the scripts, in which the program is used as a user would. Beyond the usual commands they have:
//
//	exits CODE PROGRAM ...         the program ends with that exit code
//	terminal COLUMNS PROGRAM ...   what it shows there is in the file screen
//	screen ...                     a program in tmux, with keys (screen_test.go)
//	replace FILE OLD NEW ...       a text in a file is replaced, and another one, ...
//	until PROGRAM ...              runs a program again and again until it succeeds; what is in the
//	                               background then has two minutes to end
//
// REPO is the folder of this repository. The condition small_disks: a script may mount file systems in a namespace.
func TestCommands(t *testing.T) {
	repository := must.Get(filepath.Abs(".."))(t)
	cache, err := os.UserCacheDir() // kernels are compiled once for all scripts
	must.OK(t, err)
	handleHangups(t)
	limit := 10 * time.Minute
	if !testing.Short() {
		limit = 50 * time.Minute
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Deadline:            time.Now().Add(limit),
		Setup: func(env *testscript.Env) error {
			env.Setenv("REPO", repository)
			env.Setenv("XDG_CACHE_HOME", cache)
			return nil
		},
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "terminal": onTerminal, "screen": onScreen, "replace": replace, "until": until},
		Condition: condition,
	})
}

func condition(name string) (bool, error) {
	if name != "small_disks" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), bounded.Limit)
	defer cancel()
	return exec.CommandContext(ctx, "unshare", "-rm", "sh", "-c", "mount -t tmpfs tmpfs /mnt").Run() == nil, nil
}

// handleHangups makes the tests' programs notice the end of a terminal under nohup, too: they inherit ignored signals, but
// not handled ones.
func handleHangups(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		unheard := make(chan os.Signal, 1)
		signal.Notify(unheard, syscall.SIGHUP)
		t.Cleanup(func() { signal.Stop(unheard) })
	}
}

func until(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) == 0 {
		ts.Fatalf("usage: until PROGRAM ...")
	}
	background := ts.BackgroundCmds()
	end := func() {
		for _, c := range background {
			_ = c.Process.Kill() // an error if it has ended
		}
	}
	for late := time.Now().Add(bounded.Limit); ts.Exec(args[0], args[1:]...) != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(late) {
			end()
			ts.Fatalf("waited in vain for %s", strings.Join(args, " "))
		}
	}
	timer := time.AfterFunc(bounded.Limit, end)
	ts.Defer(func() { timer.Stop(); end() })
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

func replace(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) < 3 || len(args)%2 == 0 {
		ts.Fatalf("usage: replace FILE OLD NEW ...")
	}
	path := ts.MkAbs(args[0])
	text := ts.ReadFile(args[0])
	for i := 1; i < len(args); i += 2 {
		if !strings.Contains(text, args[i]) {
			ts.Fatalf("%s has no %q", args[0], args[i])
		}
		text = strings.ReplaceAll(text, args[i], args[i+1])
	}
	ts.Check(os.WriteFile(path, []byte(text), 0o644))
}

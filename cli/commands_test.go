package cli_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/cli"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hashzoo": func() { os.Exit(cli.Main()) }})
}

// TestCommands runs the scripts, in which the program is used as a user would. Beyond the usual commands they have:
//
//	exits CODE PROGRAM ...         the program ends with that exit code
//	terminal COLUMNS PROGRAM ...   what it shows there is in the file screen
//	screen ...                     a program in tmux, with keys
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

// onScreen runs a program in a real terminal, tmux, presses keys, and waits for what the screen must show:
//
//	screen start 80x24 PROGRAM ...   runs the program in a terminal of that size
//	screen keys KEY ...              presses keys, as tmux names them: a letter, Enter, Escape
//	screen resize 100x30
//	screen shows REGEXP              waits until a line of the screen matches
//	screen terminates                sends the program SIGTERM
//	screen ends                      waits until the program has ended
//
// The file screen has the last screen.
func onScreen(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) == 0 {
		ts.Fatalf("usage: screen start|keys|resize|shows|terminates|ends ...")
	}
	t := terminal{ts}
	switch what, rest := args[0], args[1:]; {
	case what == "start" && len(rest) > 1:
		t.start(rest[0], rest[1:])
	case what == "keys" && len(rest) > 0:
		t.tmux(append([]string{"send-keys"}, rest...)...)
	case what == "resize" && len(rest) == 1:
		w, h, _ := strings.Cut(rest[0], "x")
		t.tmux("resize-window", "-x", w, "-y", h)
	case what == "shows" && len(rest) == 1:
		t.shows(rest[0])
	case what == "terminates" && len(rest) == 0:
		pid, err := strconv.Atoi(strings.TrimSpace(t.tmux("display-message", "-p", "#{pane_pid}")))
		ts.Check(err)
		ts.Check(unix.Kill(pid, unix.SIGTERM))
	case what == "ends" && len(rest) == 0:
		t.until("the program to end", func() bool { return strings.TrimSpace(t.tmux("display-message", "-p", "#{pane_dead}")) == "1" })
		ts.Check(os.WriteFile(ts.MkAbs("screen"), []byte(t.tmux("capture-pane", "-p", "-S", "-")), 0o644))
	default:
		ts.Fatalf("screen %s: unknown, or it takes other arguments", args[0])
	}
}

// terminal is the tmux of one script.
type terminal struct{ ts *testscript.TestScript }

// start starts tmux with a program in it. Its socket is in a folder with a short name, since
// names of sockets are limited.
func (t terminal) start(size string, program []string) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.ts.Fatalf("this test needs a real terminal: apt-get install tmux (%v)", err)
	}
	folder, err := os.MkdirTemp("", "hz")
	t.ts.Check(err)
	if t.ts.Getenv("TMUX_SOCKET") != "" {
		_ = t.command("kill-server").Run() // of the terminal before this one
	}
	t.ts.Setenv("TMUX_SOCKET", filepath.Join(folder, "tmux"))
	t.ts.Defer(func() {
		_ = t.command("kill-server").Run()
		_ = os.RemoveAll(folder)
	})
	w, h, _ := strings.Cut(size, "x")
	t.tmux(append([]string{"-f", "/dev/null", "new-session", "-d", "-x", w, "-y", h, "-c", t.ts.MkAbs("."),
		";", "set-option", "-g", "remain-on-exit", "on", ";", "respawn-pane", "-k", "-c", t.ts.MkAbs(".")}, program...)...)
}

func (t terminal) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), bounded.Limit)
	t.ts.Defer(cancel)
	command := exec.CommandContext(ctx, "tmux", append([]string{"-u", "-S", t.ts.Getenv("TMUX_SOCKET")}, args...)...)
	command.Dir = t.ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "XDG_CACHE_HOME", "NO_COLOR"} {
		if value := t.ts.Getenv(name); value != "" {
			command.Env = append(command.Env, name+"="+value)
		}
	}
	command.Env = append(command.Env, "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/sh")
	return command
}

// tmux runs a command of tmux and returns its output.
func (t terminal) tmux(args ...string) string {
	said, err := t.command(args...).CombinedOutput()
	if err != nil {
		t.ts.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, said)
	}
	return string(said)
}

func (t terminal) shows(pattern string) {
	wanted, err := regexp.Compile("(?m)" + pattern)
	t.ts.Check(err)
	t.until(pattern, func() bool { return wanted.MatchString(t.tmux("capture-pane", "-p")) })
}

// until waits for something.
func (t terminal) until(what string, happened func() bool) {
	for end := time.Now().Add(bounded.Limit); !happened(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.ts.Fatalf("waited in vain for %s; the screen shows\n%s", what, t.tmux("capture-pane", "-p"))
		}
	}
}

// onTerminal runs a program on a terminal with this many columns, and writes its output to the
// file screen. With ! the program must fail. (testscript's own terminals lose the end.)
func onTerminal(ts *testscript.TestScript, negated bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] terminal COLUMNS PROGRAM ...")
	}
	columns, err := strconv.ParseUint(args[0], 10, 16)
	ts.Check(err)
	screen, terminal, err := openTerminal(uint16(columns))
	ts.Check(err)
	defer screen.Close()
	ctx, cancel := context.WithTimeout(context.Background(), bounded.Limit)
	defer cancel()
	command := exec.CommandContext(ctx, "/usr/bin/env", args[1:]...)
	command.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "XDG_CACHE_HOME", "TERM", "NO_COLOR"} {
		if value := ts.Getenv(name); value != "" {
			command.Env = append(command.Env, name+"="+value)
		}
	}
	command.Stdin, command.Stdout, command.Stderr = terminal, terminal, terminal
	ts.Check(command.Start())
	ts.Check(terminal.Close())
	// Reading ends, with an error, when the last program has closed the terminal.
	seen, _ := io.ReadAll(screen)
	if err := command.Wait(); (err != nil) != negated {
		ts.Fatalf("%v: %v", args, err)
	}
	ts.Check(os.WriteFile(ts.MkAbs("screen"), seen, 0o644))
}

func openTerminal(columns uint16) (screen, terminal *os.File, err error) {
	if screen, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	fd := int(screen.Fd())
	if err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	if err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		return nil, nil, err
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	return screen, terminal, err
}

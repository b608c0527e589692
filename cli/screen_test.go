package cli_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/hashzoo/hashzoo/runtime/bounded"
)

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

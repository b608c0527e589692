package cli_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/hashzoo/hashzoo/runtime/bounded"
)

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

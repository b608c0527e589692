package main

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestBadInputs runs every line of inputs.txt, in the small tier every third, and compares exit codes and errors.
func TestBadInputs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	setup, err := os.ReadFile("cli/testdata/bad_inputs/setup.sh")
	if err != nil {
		t.Fatal(err)
	}
	inputs, err := os.ReadFile("cli/testdata/bad_inputs/inputs.txt")
	if err != nil {
		t.Fatal(err)
	}
	if said, code := inShell(dir, string(setup)); code != 0 {
		t.Fatal(said)
	}
	n := 0
	var code, command string
	for line := range strings.Lines(string(inputs)) {
		switch want, isAnswer := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "  "); {
		case isAnswer:
			if n++; testing.Short() && n%3 > 0 {
				continue // a program is started for each
			}
			refused(t, dir, command, code, want)
		case !strings.HasPrefix(line, "#"):
			code, command, _ = strings.Cut(want, " ")
		}
	}
	if n < 150 {
		t.Errorf("%d inputs, and there should be 150 at least", n)
	}
}

func refused(t *testing.T, dir, command, code, want string) {
	t.Helper()
	said, ended := inShell(dir, command)
	lines := slices.DeleteFunc(strings.Split(said, "\n"), func(line string) bool { return !strings.HasPrefix(line, "hashzoo: ") })
	have := strings.TrimPrefix(append([]string{""}, lines...)[len(lines)], "hashzoo: ") // warnings come before
	begin, isBegin := strings.CutSuffix(want, "...")
	if strconv.Itoa(ended) != code || have != want && !(isBegin && strings.HasPrefix(have, begin)) {
		t.Errorf("%s\nexit code %d, %s\nwant      %s, %s", command, ended, have, code, want)
	}
}

// inShell returns what a command writes to standard error, and its exit code.
func inShell(dir, command string) (said string, code int) {
	c := exec.Command("sh", "-c", command)
	var text strings.Builder
	c.Dir, c.Stderr = dir, &text
	c.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	if err := c.Run(); c.ProcessState == nil {
		return err.Error(), -1
	}
	return text.String(), c.ProcessState.ExitCode()
}

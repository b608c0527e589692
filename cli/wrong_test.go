package cli_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// TestBadInputs runs every line of inputs.txt, in the small tier every third, and compares exit codes and errors.
func TestBadInputs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if said, code := inShell(t, dir, read(t, "testdata/bad_inputs/setup.sh")); code != 0 {
		t.Fatal(said)
	}
	n := 0
	var code, command string
	for line := range strings.Lines(read(t, "testdata/bad_inputs/inputs.txt")) {
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
	must.Hold(t, n >= 150, "%d inputs, and there should be 150 at least", n)
}

// refused runs a command, and compares its exit code and its error, in which "..." stands for any text.
func refused(t *testing.T, dir, command, code, want string) {
	t.Helper()
	said, ended := inShell(t, dir, command)
	lines := slices.DeleteFunc(strings.Split(said, "\n"), func(line string) bool { return !strings.HasPrefix(line, "hashzoo: ") })
	have := strings.TrimPrefix(append([]string{""}, lines...)[len(lines)], "hashzoo: ") // warnings come before
	begin, end, open := strings.Cut(want, "...")
	matches := have == want || open && strings.HasPrefix(have, begin) && strings.HasSuffix(have, end)
	must.Hold(t, strconv.Itoa(ended) == code && matches, "%s\nexit code %d, %s\nwant      %s, %s", command, ended, have, code, want)
}

// inShell returns what a command writes to standard error, and its exit code.
func inShell(t *testing.T, dir, command string) (said string, code int) {
	c := bounded.Command(t, "sh", "-c", command)
	var text strings.Builder
	c.Dir, c.Stderr = dir, &text
	c.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	if err := c.Run(); c.ProcessState == nil {
		return err.Error(), -1
	}
	return text.String(), c.ProcessState.ExitCode()
}

func read(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return string(text)
}

package tools_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// bareMachine has these programs and what a shell script needs, and says what apt-get was asked.
func bareMachine(t *testing.T, programs map[string]string) (path, asked string) {
	t.Helper()
	path, asked = t.TempDir(), filepath.Join(t.TempDir(), "asked")
	for _, name := range []string{"dirname", "sed", "tr", "head", "env", "grep"} {
		real := must.Get(exec.LookPath(name))(t)
		programs[name] = `exec ` + real + ` "$@"`
	}
	for name, does := range programs {
		script := "#!/bin/sh\nasked=" + asked + "\n" + does + "\n"
		must.OK(t, os.WriteFile(filepath.Join(path, name), []byte(script), 0o755))
	}
	return path, asked
}

// Programs of a machine.
const (
	nothing  = "exit 0"
	root     = "echo 0"
	someone  = "echo 1000"
	apt      = `echo "$@" >>$asked`
	aptFails = apt + "; exit 100"
	noClang  = `[ "$2" != clang-19 ] && [ "$2" != clang-20 ]` // no lists of packages have these
	clang    = `case $1 in -E) echo 19;; *) echo nvptx64;; esac`
	sudo     = `[ "$2" != true ] && echo sudo >>$asked; shift; "$@"`
	noSudo   = "exit 1"
)

func TestSetup(t *testing.T) {
	const install = "update -qq\ninstall -qq --no-install-recommends "
	for name, c := range map[string]struct {
		programs map[string]string
		env      string
		fails    bool
		says     string // part of it
		asks     string // of apt-get
	}{
		"complete":        {programs: map[string]string{"g++": nothing, "clang++-19": clang, "tmux": nothing}},
		"bare, root":      {programs: map[string]string{"id": root, "apt-get": apt, "apt-cache": nothing}, says: "missing: g++ tmux clang-19: installing", asks: install + "g++ tmux clang-19\n"},
		"other clang":     {programs: map[string]string{"id": root, "apt-get": apt, "apt-cache": noClang}, says: "installing", asks: install + "g++ tmux clang-21\n"},
		"no clang":        {programs: map[string]string{"id": root, "apt-get": apt, "apt-cache": noSudo}, says: "installing", asks: install + "g++ tmux\n"},
		"no clang at all": {programs: map[string]string{"g++": nothing, "tmux": nothing, "id": root, "apt-get": apt, "apt-cache": noSudo}, says: "g++ compiles the kernels instead", asks: "update -qq\n"},
		"bare, sudo":      {programs: map[string]string{"id": someone, "sudo": sudo, "apt-get": apt, "apt-cache": nothing}, says: "installing", asks: "sudo\nupdate -qq\nsudo\n" + strings.TrimPrefix(install, "update -qq\n") + "g++ tmux clang-19\n"},
		"bare, no sudo":   {programs: map[string]string{"id": someone, "sudo": noSudo, "apt-get": apt}, fails: true, says: "run sudo apt-get update && sudo apt-get install -y g++ tmux clang-19\n"},
		"only clang":      {programs: map[string]string{"g++": nothing, "tmux": nothing, "id": someone, "sudo": noSudo, "apt-get": apt}, says: "sudo apt-get install -y clang-19\n"},
		"not asked to":    {programs: map[string]string{"id": root, "apt-get": apt}, env: "HASHZOO_NO_INSTALL=1", fails: true, says: "run apt-get update && apt-get install -y g++ tmux clang-19\n"},
		"no network":      {programs: map[string]string{"id": root, "apt-get": aptFails}, fails: true, says: "run apt-get update && ", asks: "update -qq\n"},
		"no apt":          {programs: map[string]string{"id": root}, fails: true, says: "missing: g++ tmux clang-19: install what has these names"},
	} {
		t.Run(name, func(t *testing.T) {
			path, asked := bareMachine(t, c.programs)
			setup := bounded.Command(t, "/bin/sh", "tools/setup.sh", "tmux")
			setup.Env = []string{"PATH=" + path, c.env}
			said, err := setup.CombinedOutput()
			must.Hold(t, (err != nil) == c.fails && strings.Contains(string(said), c.says) && (c.says != "" || len(said) == 0), "%v, it says:\n%s", err, said)
			have, _ := os.ReadFile(asked)
			must.Hold(t, string(have) == c.asks, "it asked apt-get for\n%s", have)
		})
	}
}

// The demo has the schemes that the Makefile names, and no others.
func TestDemoHasItsSchemes(t *testing.T) {
	make := must.Get(os.ReadFile("Makefile"))(t)
	_, names, _ := strings.Cut(string(make), "\nDEMO := ")
	names, _, _ = strings.Cut(names, "\n")
	overlay := must.Get(bounded.Command(t, "tools/demo.sh", names).Output())(t)
	file := strings.TrimSpace(string(overlay))
	said, err := bounded.Command(t, "go", "vet", "-overlay", withoutHosts(t, file), "./runtime/zoo").CombinedOutput()
	must.Need(t, err == nil, "the demo does not compile: %v\n%s", err, said)
	list := must.Get(bounded.Command(t, "go", "list", "-deps", "-overlay", file, "./runtime/zoo").Output())(t)
	var have []string
	for line := range strings.Lines(string(list)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), module+"/schemes/"); ok && !strings.Contains(name, "/") {
			have = append(have, name)
		}
	}
	want := strings.Split(names, ",")
	slices.Sort(want)
	if slices.Sort(have); !slices.Equal(have, want) {
		t.Errorf("the demo has %v instead of %v", have, want)
	}
}

// withoutHosts is an overlay with another one's files and no host sides, which are those of the program and take C++
// compilers long.
func withoutHosts(t *testing.T, file string) string {
	t.Helper()
	empty, other := filepath.Join(t.TempDir(), "hosts.cc"), filepath.Join(t.TempDir(), "overlay.json")
	must.OK(t, os.WriteFile(empty, nil, 0o644))
	hosts := must.Get(filepath.Abs("runtime/zoo/hosts.cc"))(t)
	text := strings.Replace(string(must.Get(os.ReadFile(file))(t)), `": {`, fmt.Sprintf(`": {%q: %q, `, hosts, empty), 1)
	must.OK(t, os.WriteFile(other, []byte(text), 0o644))
	return other
}

package settings

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
)

// Every setting is in config.toml, with a comment above it.
func TestShippedFileDocumentsEverySetting(t *testing.T) {
	f := Defaults()
	must.OK(t, f.Check())
	for _, s := range f.Table {
		_, name, _ := strings.Cut("."+s.Key, ".")
		name = name[strings.LastIndex(name, ".")+1:]
		commented := regexp.MustCompile(`(?m)^#.*\n` + name + ` = `)
		must.Hold(t, commented.MatchString(shipped) && f.From[s.Key] == FromDefault, "config.toml: no %s with a comment above it", s.Key)
		err := s.Check(f.Text(s.Key))
		must.Hold(t, err == nil, "%s: its own text does not read back: %v", s.Key, err)
	}
}

func TestFlagsAndVariablesAreTold(t *testing.T) {
	seen := map[string]string{}
	for _, s := range Defaults().Table {
		for _, name := range []string{s.Key, "--" + s.Flag, s.Variable()} {
			other, taken := seen[name]
			must.Hold(t, !taken, "%s is a name of both %s and %s", name, s.Key, other)
			seen[name] = s.Key
		}
	}
}

func TestPrecedence(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "threads = 2\nseed = 5\n[repeat]\nnoise = 0.5\n")
	f := Defaults()
	must.OK(t, f.Load([]string{"HASHZOO_SEED=6", "HASHZOO_REPEAT_NOISE=0.25", "HOME=/", "HASHZOO_DEVICE="}))
	must.OK(t, f.Set(f.Find("repeat.noise"), "0.125", "--noise"))
	for key, want := range map[string][2]string{
		"device":       {"cpu", "default"},
		"threads":      {"2", "config.toml"},
		"seed":         {"6", "HASHZOO_SEED"},
		"repeat.noise": {"0.125", "--noise"},
	} {
		must.Hold(t, f.Text(key) == want[0] && f.From[key] == want[1], "%s is %s from %s instead of %s from %s", key, f.Text(key), f.From[key], want[0], want[1])
	}
}

// Each kind of wrong value in a file gives an error with its line.
func TestBadFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for config, want := range map[string]string{
		"seed = 1\n\nthreds = 2\n":             `config.toml:3: unknown setting "threds": did you mean threads?`,
		"[bench]\n# a\npiar = \"k4v4\"\n":      `config.toml:3: unknown setting "bench.piar": did you mean bench.pair?`,
		"\n[colours]\nred = 1\n":               `config.toml:3: unknown setting "colours.red"`,
		"\n[colours]\n":                        `config.toml:2: unknown setting "colours"`,
		"a.b.c = 1\n":                          `config.toml:1: unknown setting "a.b.c"`,
		"[engine.batch_timeout]\nx = 1\n":      `config.toml:2: unknown setting "engine.batch_timeout.x": did you mean engine.batch_timeout?`,
		"[[bench]]\nn = 1\n":                   `config.toml:1: unknown setting "bench"`,
		"seed = 1\nbench = 3\n":                `config.toml:2: unknown setting "bench"`,
		"threads = \"two\"\n":                  `config.toml:1: threads is "two": it takes an integer, 0 to 1024`,
		"threads = 2000\n":                     `config.toml:1: threads is "2000": it takes an integer, 0 to 1024`,
		"threads = 1.5\n":                      `config.toml:1: threads is "1.5"`,
		"device = \"\"\n":                      `config.toml:1: device is "": it takes a text`,
		"[repeat]\nnoise = nan\n":              `config.toml:2: repeat.noise is "NaN": it takes a number`,
		"[repeat]\nmax_time = \"soon\"\n":      `config.toml:2: repeat.max_time is "soon": it takes a duration such as`,
		"[repeat]\nmax_time = 5\n":             `config.toml:2: repeat.max_time is "5"`,
		"[bench]\nload = []\n":                 `config.toml:2: bench.load is "": it takes numbers`,
		"[bench]\nload = [0.5, \"a\"]\n":       `config.toml:2: bench.load is "0.5,a"`,
		"[bench]\nload = [\n  0.5,\n  1.5 ]\n": `config.toml:2: bench.load is "0.5,1.5": it takes numbers, 0.01 to 1 each`,
		"[bench]\npair = \"k2v2\"\n":           `config.toml:2: bench.pair is "k2v2": it takes `,
		"bench.n = 0\n":                        `config.toml:1: bench.n is "0": it takes an integer, 1 to`,
		"seed = \n":                            `config.toml:1: `,
		"seed = 1\nseed = 2\n":                 `config.toml:2: `,
	} {
		write(t, config)
		if err := Defaults().Load(nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", config, err, want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: more than one line: %v", config, err)
		}
	}
}

func TestBadVariables(t *testing.T) {
	t.Chdir(t.TempDir())
	for variable, want := range map[string]string{
		"HASHZOO_THREADS=many": `HASHZOO_THREADS is "many": it takes an integer, 0 to 1024`,
		"HASHZOO_THREDS=2":     `unknown variable "HASHZOO_THREDS": did you mean HASHZOO_THREADS?`,
	} {
		must.Equal(t, Defaults().Load([]string{variable}), want, variable)
	}
}

func TestLeastIsNotMoreThanMost(t *testing.T) {
	f := Defaults()
	must.OK(t, f.Set(f.Find("repeat.least"), "31", "--least"))
	want := "repeat.least is 31 (--least), repeat.most is 30 (default): the least must not exceed the most"
	must.Equal(t, f.Check(), want)
}

func TestValuesArriveInTheirFields(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "engine.batch_timeout = \"3s\"\nbench = { n = \"20M\", load = [1, 0.25], pair = \"k8v8\" }\n")
	f := Defaults()
	must.OK(t, f.Load(nil))
	must.Hold(t, f.BatchTimeout == 3*time.Second && f.Bench.N == 20_000_000 && slices.Equal(f.Bench.Load, []float64{1, 0.25}) && f.Bench.Pair.Key == 8,
		"%+v", f.Settings)
}

// Keys are a table in config.toml, and a text elsewhere.
func TestBindings(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "[tui]\nrate = 5\nascii = true\n[tui.keys]\npause = \"space\"\nquit = [\"q\", \"ctrl+q\", \"=\"]\n")
	f := Defaults()
	must.OK(t, f.Load(nil))
	got := f.Text("tui.keys")
	must.Hold(t, got == "pause=space;quit=q ctrl+q =" && f.TUI.Ascii && f.TUI.Hz == 5, "%q, %+v", got, f.TUI)
	must.OK(t, f.Load([]string{"HASHZOO_TUI_KEYS=quit=x"}))
	must.Match(t, f.TUI.Keys, map[string][]string{"quit": {"x"}})
	for _, text := range []string{"quit", "=q", "a=b;a=c", ";"} {
		must.Hold(t, f.Find("tui.keys").Check(text) != nil, "%q is no error", text)
	}
	for _, wrong := range []string{"[tui]\nkeys = 3\n", "[tui.keys]\nquit = [\"a;b\"]\n", "[tui]\nascii = \"yes\"\n"} {
		write(t, wrong)
		must.Begin(t, Defaults().Load(nil), "config.toml:", wrong)
	}
}

// For any file, either every setting is in its range and reads back, or the error is one line.
func FuzzConfig(f *testing.F) {
	f.Add(shipped)
	f.Add("[bench]\nload = [0.5, \"a\"]\n")
	f.Add("bench.load = [[]]\nthreads = 0x10")
	f.Add("seed = 9223372036854775807\n[repeat]\nnoise = inf\n")
	f.Add("[[repeat]]\n[repeat.least]\n\"\" = 1\n'a.b' = 2")
	f.Fuzz(func(t *testing.T, config string) {
		all := Defaults()
		if err := all.decode(file, file, config); err != nil {
			must.Need(t, strings.HasPrefix(err.Error(), file) && !strings.Contains(err.Error(), "\n"), "error %q", err)
			return
		}
		for _, s := range all.Table {
			must.Say(t, s.Check(all.Text(s.Key)), "", s.Key)
		}
	})
}

func write(t *testing.T, config string) {
	t.Helper()
	must.OK(t, os.WriteFile(file, []byte(config), 0o644))
}

// The user's own file may name plugins and raise limits; the one in the current folder, which
// may have come with an archive, may not.
func TestWhatAFolderMayNotSet(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Chdir(t.TempDir())
	write := func(path, text string) {
		t.Helper()
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
	}
	own := filepath.Join(home, "hashzoo", "config.toml")
	write(own, "plugins = [\"/mine\"]\n[lua]\nsteps = 2000000000\n[bench]\nn = 5\n")
	for text, want := range map[string]string{
		"":                                  "",
		"plugins = []":                      "",
		"[lua]\nsteps = 1500000000":         "",
		"[bench]\nn = 7":                    "",
		"plugins = [\"/theirs\"]":           "config.toml: plugins are native code",
		"[lua]\nsteps = 2000000001":         "config.toml: the current folder's file must not raise a limit",
		"[lua]\ntime = \"31s\"\nfrom = 100": "config.toml: the current folder's file must not raise a limit",
	} {
		write("config.toml", text)
		f := Defaults()
		switch err := f.Load(nil); {
		case want == "" && err != nil:
			t.Errorf("%q: %v", text, err)
		case want == "" && (f.Text("plugins") != "/mine" || f.From["plugins"] != own):
			t.Errorf("%q: plugins are %s (%s)", text, f.Text("plugins"), f.From["plugins"])
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("%q: %v", text, err)
		}
	}
	must.OK(t, os.Remove(file))
	must.OK(t, os.Symlink("nowhere", file))
	must.Say(t, Defaults().Load(nil), "config.toml: the link leads nowhere")
	must.OK(t, os.Remove(file), os.Mkdir(file, 0o755))
	must.Begin(t, Defaults().Load(nil), "settings: config.toml is a folder")
}

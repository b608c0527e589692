// Package settings holds everything a user can set: a table of settings and the sources of
// their values. A flag overrides a HASHZOO_ variable, which overrides config.toml in the
// current folder, which overrides the user's config.toml, which overrides the defaults.
package settings

import (
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/tui"
	"github.com/hashzoo/hashzoo/workloads/lua"
)

// Settings are the values in effect.
type Settings struct {
	Device       string
	Threads      int
	Seed         uint64
	BatchTimeout time.Duration
	Repeat       engine.Policy
	Bench        Bench
	Lua          lua.Limits
	TUI          tui.Options
	// Plugins are folders of built plugins, or folders that contain such folders.
	Plugins []string
}

// Bench is what the standard measurement measures.
type Bench struct {
	N       uint64
	Load    []float64
	Present []float64
	Pair    schemes.Pair
	// Placement is the memory that holds the tables: device or host.
	Placement string
}

// Setting is a line of the table.
type Setting struct {
	Key  string // in config.toml, with its section
	Flag string // on the command line
	Help string
	At   func(*Settings) Value
}

// Variable returns the environment variable of the setting.
func (s Setting) Variable() string {
	return prefix + strings.ToUpper(strings.ReplaceAll(s.Key, ".", "_"))
}

// Check returns why a text is not a value of the setting.
func (s Setting) Check(text string) error { return s.At(&Settings{}).Set(text) }

// Table lists all settings. Flags, variables, keys of config.toml and help texts derive from
// it; only config.toml has the defaults.
var Table = []Setting{
	{"device", "device", "device to run on: cpu, cuda:0",
		func(s *Settings) Value { return text(&s.Device) }},
	{"threads", "threads", "worker threads of the CPU; 0 is all",
		func(s *Settings) Value { return Integer(&s.Threads, 0, 1024) }},
	{"seed", "seed", "seed of all random choices",
		func(s *Settings) Value { return Integer(&s.Seed, 0, 1<<63-1) }},
	{"engine.batch_timeout", "batch-timeout", "time limit of one batch, after which its scheme is given up",
		func(s *Settings) Value { return duration(&s.BatchTimeout) }},
	{"repeat.warmup", "warmup", "unmeasured runs before each measurement",
		func(s *Settings) Value { return Integer(&s.Repeat.Warmup, 0, 1000) }},
	{"repeat.least", "least", "minimum number of runs",
		func(s *Settings) Value { return Integer(&s.Repeat.Least, 1, 10000) }},
	{"repeat.most", "most", "maximum number of runs",
		func(s *Settings) Value { return Integer(&s.Repeat.Most, 1, 10000) }},
	{"repeat.noise", "noise", "noise at which a measurement is settled, as a fraction of the median",
		func(s *Settings) Value { return Number(&s.Repeat.Noise, 0.0001, 1) }},
	{"repeat.max_time", "max-time", "device time after which a measurement starts no further run",
		func(s *Settings) Value { return duration(&s.Repeat.MaxTime) }},
	{"bench.n", "n", "number of pairs inserted and of keys looked up",
		func(s *Settings) Value { return Integer(&s.Bench.N, 1, 1<<40) }},
	{"bench.load", "load", "load factors of the tables",
		func(s *Settings) Value { return numbers(&s.Bench.Load, 0.01, 1) }},
	{"bench.present", "present", "fractions of present keys among those looked up",
		func(s *Settings) Value { return numbers(&s.Bench.Present, 0, 1) }},
	{"bench.pair", "pair", "bytes of a key and a value",
		func(s *Settings) Value { return pair(&s.Bench.Pair) }},
	{"bench.placement", "placement", "memory that holds the tables: device or host",
		func(s *Settings) Value { return Word(&s.Bench.Placement, "device", "host") }},
	{"plugins", "plugin", "folder of a built plugin (native code), or of several; repeat the flag for more",
		func(s *Settings) Value { return folders(&s.Plugins) }},
	{"lua.steps", "lua-steps", "limit of instructions per call of a script",
		func(s *Settings) Value { return Integer(&s.Lua.Steps, 1000, 1<<50) }},
	{"lua.time", "lua-time", "time limit per call of a script, without its batches",
		func(s *Settings) Value { return duration(&s.Lua.Time) }},
	{"lua.memory", "lua-memory", "limit of bytes in tables and strings of a script",
		func(s *Settings) Value { return Integer(&s.Lua.Memory, 1<<20, 1<<40) }},
	{"lua.vectors", "lua-vectors", "limit of bytes in a script's numbers of gen.from and gen.file",
		func(s *Settings) Value { return Integer(&s.Lua.Vectors, 0, 1<<40) }},
	{"lua.from", "lua-from", "limit of numbers per gen.from",
		func(s *Settings) Value { return Integer(&s.Lua.From, 0, 1<<32) }},
	{"lua.batches", "lua-batches", "limit of batches per call of a script",
		func(s *Settings) Value { return Integer(&s.Lua.Batches, 1, 1<<40) }},
	{"tui.rate", "rate", "screen updates per second",
		func(s *Settings) Value { return Number(&s.TUI.Hz, 1, 30) }},
	{"tui.ascii", "ascii", "draw with ASCII characters only: true or false",
		func(s *Settings) Value { return boolean(&s.TUI.Ascii) }},
	{"tui.theme", "theme", "colors for a dark or a light terminal; auto asks the terminal",
		func(s *Settings) Value { return Word(&s.TUI.Theme, tui.Themes...) }},
	{"tui.keys", "keys", "other keys for the terminal interface: pause=p space;quit=q",
		func(s *Settings) Value { return bindings(&s.TUI.Keys) }},
}

// Find returns the setting with that key, and panics if none exists.
func Find(key string) Setting {
	s, err := lookup("setting", key, Setting.key)
	if err != nil {
		panic(err)
	}
	return s
}

func (s Setting) key() string { return s.Key }

// lookup returns the setting that has one of its names.
func lookup(what, name string, nameOf func(Setting) string) (Setting, error) {
	i, err := nearest.Index(what, name, Table, nameOf)
	if err != nil {
		return Setting{}, err
	}
	return Table[i], nil
}

// Package settings holds everything a user can set: a table of settings and the sources of
// their values. A flag overrides a HASHZOO_ variable, which overrides config.toml in the
// current folder, which overrides the defaults.
package settings

import (
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
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
	TUI          TUI
	// Plugins are folders of built plugins, or folders that contain such folders.
	Plugins []string
}

// TUI is how the terminal interface looks and behaves.
type TUI struct {
	Rate  float64 // screen updates per second
	ASCII bool
	Theme string
	Keys  map[string][]string // by the name of the binding; they replace the defaults
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

// Table lists all settings. Flags, variables, keys of config.toml and help texts derive from
// it; only config.toml has the defaults.
var Table = []Setting{
	text("device", "device", "device to run on: cpu, cuda:0",
		func(s *Settings) *string { return &s.Device }),
	integer("threads", "threads", "worker threads of the CPU; 0 is all", 0, 1024,
		func(s *Settings) *int { return &s.Threads }),
	integer("seed", "seed", "seed of all random choices", 0, 1<<63-1,
		func(s *Settings) *uint64 { return &s.Seed }),
	duration("engine.batch_timeout", "batch-timeout", "time limit of one batch, after which its scheme is given up",
		time.Millisecond, 24*time.Hour, func(s *Settings) *time.Duration { return &s.BatchTimeout }),
	integer("repeat.warmup", "warmup", "unmeasured runs before each measurement", 0, 1000,
		func(s *Settings) *int { return &s.Repeat.Warmup }),
	integer("repeat.least", "least", "minimum number of runs", 1, 10000,
		func(s *Settings) *int { return &s.Repeat.Least }),
	integer("repeat.most", "most", "maximum number of runs", 1, 10000,
		func(s *Settings) *int { return &s.Repeat.Most }),
	real("repeat.noise", "noise", "noise at which a measurement is settled, as a fraction of the median", 0.0001, 1,
		func(s *Settings) *float64 { return &s.Repeat.Noise }),
	duration("repeat.max_time", "max-time", "device time after which a measurement starts no further run",
		time.Millisecond, 24*time.Hour, func(s *Settings) *time.Duration { return &s.Repeat.MaxTime }),
	integer("bench.n", "n", "number of pairs inserted and of keys looked up", 1, 1<<40,
		func(s *Settings) *uint64 { return &s.Bench.N }),
	numbers("bench.load", "load", "load factors of the tables", 0.01, 1,
		func(s *Settings) *[]float64 { return &s.Bench.Load }),
	numbers("bench.present", "present", "fractions of present keys among those looked up", 0, 1,
		func(s *Settings) *[]float64 { return &s.Bench.Present }),
	pair("bench.pair", "pair", "bytes of a key and a value",
		func(s *Settings) *schemes.Pair { return &s.Bench.Pair }),
	choice("bench.placement", "placement", "memory that holds the tables: device or host", []string{"device", "host"},
		func(s *Settings) *string { return &s.Bench.Placement }),
	folders("plugins", "plugin", "folder of a built plugin (native code), or of several; repeat the flag for more",
		func(s *Settings) *[]string { return &s.Plugins }),
	integer("lua.steps", "lua-steps", "limit of instructions per call of a script", 1000, 1<<50,
		func(s *Settings) *uint64 { return &s.Lua.Steps }),
	duration("lua.time", "lua-time", "time limit per call of a script, without its batches",
		time.Millisecond, 24*time.Hour, func(s *Settings) *time.Duration { return &s.Lua.Time }),
	integer("lua.memory", "lua-memory", "limit of bytes in tables and strings of a script", 1<<20, 1<<40,
		func(s *Settings) *int64 { return &s.Lua.Memory }),
	integer("lua.vectors", "lua-vectors", "limit of bytes in a script's numbers of gen.from and gen.file", 0, 1<<40,
		func(s *Settings) *int64 { return &s.Lua.Vectors }),
	integer("lua.from", "lua-from", "limit of numbers per gen.from", 0, 1<<32,
		func(s *Settings) *uint64 { return &s.Lua.From }),
	real("tui.rate", "rate", "screen updates per second", 1, 30,
		func(s *Settings) *float64 { return &s.TUI.Rate }),
	boolean("tui.ascii", "ascii", "draw with ASCII characters only: true or false",
		func(s *Settings) *bool { return &s.TUI.ASCII }),
	choice("tui.theme", "theme", "colors for a dark or a light terminal; auto asks the terminal", tui.Themes,
		func(s *Settings) *string { return &s.TUI.Theme }),
	bindings("tui.keys", "keys", "other keys for the terminal interface: pause=p space;quit=q",
		func(s *Settings) *map[string][]string { return &s.TUI.Keys }),
}

// Find returns the setting with that key, and panics if none exists. Load looks up keys of
// users.
func Find(key string) Setting {
	for _, s := range Table {
		if s.Key == key {
			return s
		}
	}
	panic("no setting " + key)
}

// Package settings is everything a user can set: one table of settings, and where
// their values come from. A flag overrides a HASHZOO_ variable, that overrides
// config.toml in the current folder, and that the defaults.
package settings

import (
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/tui"
	"github.com/hashzoo/hashzoo/workloads/lua"
)

// Settings are the values in force.
type Settings struct {
	Device       string
	Threads      int
	Seed         uint64
	BatchTimeout time.Duration
	Repeat       engine.Policy
	Bench        Bench
	Lua          lua.Limits
	TUI          TUI
	// Plugins are folders: each is a plugin that was built, or has such in it.
	Plugins []string
}

// TUI is how the terminal interface looks and behaves.
type TUI struct {
	Rate  float64 // looks a second
	ASCII bool
	Theme string
	Keys  map[string][]string // instead of the usual ones, by the name of the binding
}

// Bench is what the standard measurement measures.
type Bench struct {
	N       uint64
	Load    []float64
	Present []float64
	Pair    schemes.Pair
	// Placement is where the tables lie: device or host.
	Placement string
}

// Table lists all settings. Flags, variables, the keys of config.toml and their
// help are derived from it; defaults are in config.toml alone.
var Table = []Setting{
	text("device", "device", "device to run on: cpu, cuda:0",
		func(s *Settings) *string { return &s.Device }),
	integer("threads", "threads", "worker threads of the CPU; 0 is all", 0, 1024,
		func(s *Settings) *int { return &s.Threads }),
	integer("seed", "seed", "what all random choices are drawn from", 0, 1<<63-1,
		func(s *Settings) *uint64 { return &s.Seed }),
	duration("engine.batch_timeout", "batch-timeout", "how long one batch may take before its scheme is given up",
		time.Millisecond, 24*time.Hour, func(s *Settings) *time.Duration { return &s.BatchTimeout }),
	integer("repeat.warmup", "warmup", "runs of each measurement that are thrown away", 0, 1000,
		func(s *Settings) *int { return &s.Repeat.Warmup }),
	integer("repeat.least", "least", "runs that are always made", 1, 10000,
		func(s *Settings) *int { return &s.Repeat.Least }),
	integer("repeat.most", "most", "runs at the most", 1, 10000,
		func(s *Settings) *int { return &s.Repeat.Most }),
	number("repeat.noise", "noise", "noise at which a measurement is settled, as a fraction of the median", 0.0001, 1,
		func(s *Settings) *float64 { return &s.Repeat.Noise }),
	duration("repeat.max_time", "max-time", "device time of one measurement, after which no further run is started",
		time.Millisecond, 24*time.Hour, func(s *Settings) *time.Duration { return &s.Repeat.MaxTime }),
	integer("bench.n", "n", "pairs that are inserted, and keys that are looked up", 1, 1<<40,
		func(s *Settings) *uint64 { return &s.Bench.N }),
	numbers("bench.load", "load", "load factors of the tables", 0.01, 1,
		func(s *Settings) *[]float64 { return &s.Bench.Load }),
	numbers("bench.present", "present", "fractions of the keys looked up that are in the table", 0, 1,
		func(s *Settings) *[]float64 { return &s.Bench.Present }),
	pair("bench.pair", "pair", "bytes of a key and a value",
		func(s *Settings) *schemes.Pair { return &s.Bench.Pair }),
	choice("bench.placement", "placement", "where the tables lie: the device's memory, or the host's", []string{"device", "host"},
		func(s *Settings) *string { return &s.Bench.Placement }),
	folders("plugins", "plugin", "folder with a plugin that was built, or with several; it is native code. More than one: again",
		func(s *Settings) *[]string { return &s.Plugins }),
	integer("lua.steps", "lua-steps", "instructions that one call of a script may take", 1000, 1<<50,
		func(s *Settings) *uint64 { return &s.Lua.Steps }),
	duration("lua.time", "lua-time", "time that one call of a script may take, without its batches",
		time.Millisecond, 24*time.Hour, func(s *Settings) *time.Duration { return &s.Lua.Time }),
	integer("lua.memory", "lua-memory", "bytes that a script may hold in tables and strings", 1<<20, 1<<40,
		func(s *Settings) *int64 { return &s.Lua.Memory }),
	integer("lua.vectors", "lua-vectors", "bytes of numbers that a script may hold, from gen.from and gen.file", 0, 1<<40,
		func(s *Settings) *int64 { return &s.Lua.Vectors }),
	integer("lua.from", "lua-from", "numbers that one gen.from may make", 0, 1<<32,
		func(s *Settings) *uint64 { return &s.Lua.From }),
	number("tui.rate", "rate", "how often a second the terminal interface looks at the run", 1, 30,
		func(s *Settings) *float64 { return &s.TUI.Rate }),
	boolean("tui.ascii", "ascii", "whether it draws with ASCII alone: true or false",
		func(s *Settings) *bool { return &s.TUI.ASCII }),
	choice("tui.theme", "theme", "colours for a dark or a light terminal; auto asks the terminal", tui.Themes,
		func(s *Settings) *string { return &s.TUI.Theme }),
	bindings("tui.keys", "keys", "other keys of the terminal interface, by what they do: pause=p space;quit=q",
		func(s *Settings) *map[string][]string { return &s.TUI.Keys }),
}

// Find returns the setting with that key. It panics if there is none: keys that
// users give are looked up by Load.
func Find(key string) Setting {
	for _, s := range Table {
		if s.Key == key {
			return s
		}
	}
	panic("no setting " + key)
}

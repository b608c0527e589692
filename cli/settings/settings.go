// Package settings holds everything a user can set: a table of settings and the sources of
// their values. A flag overrides a HASHZOO_ variable, which overrides config.toml in the
// current folder, which overrides the user's config.toml, which overrides the defaults.
package settings

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/tomlfile"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/tui"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Settings are the values in effect.
type Settings struct {
	Device       string
	Threads      int
	Seed         uint64
	BatchTimeout time.Duration
	Chunk        uint64 // operations
	Launch       uint64 // operations
	Repeat       engine.Policy
	Bench        Bench
	Lua          lua.Limits
	TUI          tui.Options
	// Plugins are folders of built plugins, or folders that contain such folders.
	Plugins []string
}

// Bench has the settings of the standard measurement.
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
	Value
}

// Variable returns the environment variable of the setting.
func (s Setting) Variable() string {
	return prefix + strings.ToUpper(strings.ReplaceAll(s.Key, ".", "_"))
}

// table lists all settings with their values. Flags, variables, keys of config.toml and help
// texts derive from it; only config.toml has the defaults.
func (s *Settings) table() []Setting {
	return []Setting{
		{"device", "device", "device to run on: cpu, cuda:0, or cuda:0+1 and cpu*4 for shards", text(&s.Device)},
		{"threads", "threads", "worker threads of the CPU; 0 is all", Integer(&s.Threads, 0, 1024)},
		{"seed", "seed", "seed of all random choices", seed(&s.Seed)},
		{"engine.batch_timeout", "batch-timeout", "time limit of one batch, after which its scheme is given up",
			Duration(&s.BatchTimeout, time.Millisecond)},
		{"engine.chunk", "chunk", "operations that a batch carries out at a time; 0 is as many as fit into memory",
			Integer(&s.Chunk, 0, 1<<40)},
		{"engine.launch", "launch", "operations of a launch; a larger batch is a stream of launches, timed from the first to the last; 0 is one launch",
			Integer(&s.Launch, 0, engine.MostLaunch)},
		{"repeat.warmup", "warmup", "unmeasured runs before each measurement", Integer(&s.Repeat.Warmup, 0, 1000)},
		{"repeat.least", "least", "minimum number of runs", Integer(&s.Repeat.Least, 1, 10000)},
		{"repeat.least_time", "least-time", "device time that a measurement takes at least, by up to ten times as many runs as --most",
			Duration(&s.Repeat.LeastTime, time.Millisecond)},
		{"repeat.most", "most", "maximum number of runs", Integer(&s.Repeat.Most, 1, 10000)},
		{"repeat.noise", "noise", "noise at which a measurement is settled, as a fraction of the median",
			Number(&s.Repeat.Noise, 0.0001, 1)},
		{"repeat.max_time", "max-time", "device time after which a measurement starts no further run",
			Duration(&s.Repeat.MaxTime, time.Millisecond)},
		{"bench.n", "n", "number of pairs inserted and of keys looked up", Integer(&s.Bench.N, 1, 1<<40)},
		{"bench.load", "load", "load factors of the tables", Numbers(&s.Bench.Load, 0.01, 1)},
		{"bench.present", "present", "fractions of present keys among those looked up", Numbers(&s.Bench.Present, 0, 1)},
		{"bench.pair", "pair", "bytes of a key and a value", Pair(&s.Bench.Pair)},
		{"bench.placement", "placement", "memory that holds the tables: device or host",
			Word(&s.Bench.Placement, "device", "host")},
		{"plugins", "plugin", "folder of a built plugin (native code), or of several; repeat the flag for more",
			folders(&s.Plugins)},
		{"lua.steps", "lua-steps", "limit of instructions per call of a script", Integer(&s.Lua.Steps, 1000, 1<<50)},
		{"lua.time", "lua-time", "time limit per call of a script, without its batches", Duration(&s.Lua.Time, time.Millisecond)},
		{"lua.memory", "lua-memory", "limit of bytes in tables and strings of a script", Integer(&s.Lua.Memory, 1<<20, 1<<40)},
		{"lua.vectors", "lua-vectors", "limit of bytes in a script's numbers of gen.from and gen.file",
			Integer(&s.Lua.Vectors, 0, 1<<40)},
		{"lua.from", "lua-from", "limit of numbers per gen.from", Integer(&s.Lua.From, 0, 1<<32)},
		{"lua.batches", "lua-batches", "limit of batches per call of a script", Integer(&s.Lua.Batches, 1, 1<<40)},
		{"tui.rate", "rate", "screen updates per second", Number(&s.TUI.Hz, 1, 30)},
		{"tui.ascii", "ascii", "draw with ASCII characters only: true or false", boolean(&s.TUI.Ascii)},
		{"tui.theme", "theme", "colors for a dark or a light terminal; auto asks the terminal",
			Word(&s.TUI.Theme, tui.Themes...)},
		{"tui.keys", "keys", "other keys for the terminal interface: pause=p space;quit=q", bindings(&s.TUI.Keys)},
	}
}

// Find returns the setting with that key, and panics if none exists.
func (f *InForce) Find(key string) Setting {
	return f.Table[slices.IndexFunc(f.Table, func(s Setting) bool { return s.Key == key })]
}

const (
	prefix = "HASHZOO_"
	file   = "config.toml"

	// FromDefault is the source of a setting that nobody has set.
	FromDefault = "default"
)

// InForce is the settings in effect, and the source of each.
type InForce struct {
	Settings
	Table []Setting
	From  map[string]string // by key: default, config.toml, HASHZOO_..., --flag
}

// The config.toml in the repository's first folder is a link to this one, which go:embed can reach.
//
//go:embed config.toml
var shipped string

// Defaults reads the config.toml that ships, which has every setting.
func Defaults() *InForce {
	f := &InForce{From: map[string]string{}}
	f.Table = f.Settings.table()
	if err := f.decode("embedded "+file, FromDefault, shipped); err != nil {
		panic(err)
	}
	return f
}

// Load adds the user's config.toml, that of the current folder, and an environment's variables.
func (f *InForce) Load(environ []string) error {
	if folder, err := os.UserConfigDir(); err == nil {
		if err := f.file(filepath.Join(folder, "hashzoo", file)); err != nil {
			return err
		}
	}
	if err := f.untrusted(file); err != nil {
		return err
	}
	return lists.Each(environ, f.variable)
}

// Text returns a setting's value as a user writes it.
func (f *InForce) Text(key string) string { return f.Find(key).String() }

// Texts returns all settings as a user writes them.
func (f *InForce) Texts() map[string]string {
	texts := map[string]string{}
	for _, s := range f.Table {
		texts[s.Key] = s.String()
	}
	return texts
}

// SetByFlag is Set for a flag. A flag for folders adds to the value.
func (f *InForce) SetByFlag(s Setting, value string) error {
	before, from, flag := s.String(), f.From[s.Key], "--"+s.Flag
	switch {
	case s.Kind != "folder" || before == "":
		return f.Set(s, value, flag)
	case !strings.HasSuffix(from, flag):
		from += ", " + flag
	}
	return f.Set(s, before+folderSeparator+value, from)
}

// Set changes the value of a setting.
func (f *InForce) Set(s Setting, value, from string) error {
	f.From[s.Key] = from
	return s.Set(value)
}

// Check validates settings that depend on each other.
func (f *InForce) Check() error {
	if f.Repeat.Least > f.Repeat.Most {
		return fmt.Errorf("repeat.least is %d (%s), repeat.most is %d (%s): the least must not exceed the most",
			f.Repeat.Least, f.From["repeat.least"], f.Repeat.Most, f.From["repeat.most"])
	}
	return nil
}

// untrusted adds the config file of the current folder, which may have come with an archive
// or a repository: it brings no native code, and raises no limit of scripts.
func (f *InForce) untrusted(path string) error {
	plugins, from, limits := f.Plugins, f.From["plugins"], f.Lua
	f.Plugins = nil
	if err := f.file(path); err != nil {
		return err
	}
	const hint = "hint: use the flag, the variable, or hashzoo/config.toml in your configuration folder"
	if len(f.Plugins) > 0 {
		return fmt.Errorf("%s: plugins are native code, which the current folder's file must not name; %s", path, hint)
	}
	if f.Lua.Above(limits) {
		return fmt.Errorf("%s: the current folder's file must not raise a limit of scripts (lua); %s", path, hint)
	}
	f.Plugins, f.From["plugins"] = plugins, from
	return nil
}

func (f *InForce) file(path string) error {
	config, err := regular.Read(path, regular.Text)
	if errors.Is(err, fs.ErrNotExist) {
		if _, dangling := os.Lstat(path); dangling == nil {
			return fmt.Errorf("%s: the link leads nowhere", path)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	return f.decode(path, path, string(config))
}

func (f *InForce) variable(assignment string) error {
	name, value, _ := strings.Cut(assignment, "=")
	if !strings.HasPrefix(name, prefix) || value == "" {
		return nil
	}
	return f.set("variable", name, Setting.Variable, func(Setting) string { return value }, name)
}

// decode reads a config file: every key is a setting, whose value is read like that of a flag.
func (f *InForce) decode(name, from, config string) error {
	key := func(s Setting) string { return s.Key }
	isBindings := func(key string) bool {
		return slices.ContainsFunc(f.Table, func(s Setting) bool { return s.Key == key && s.Kind == "bindings" })
	}
	return tomlfile.Read(name, config, isBindings, func(k tomlfile.Key, value any) error {
		inSection := func(s Setting) bool { return strings.HasPrefix(s.Key, k.String()+".") }
		if _, empty := value.(map[string]any); empty && slices.ContainsFunc(f.Table, inSection) {
			return nil
		}
		text := func(s Setting) string { return fromTOML(value, lists.Either(s.Kind == "folder", folderSeparator, ",")) }
		return f.set("setting", k.String(), key, text, from)
	})
}

// set changes the setting that has one of its names.
func (f *InForce) set(what, name string, nameOf, text func(Setting) string, from string) error {
	i, err := nearest.Index(what, name, f.Table, nameOf)
	if err != nil {
		return err
	}
	if err := f.Set(f.Table[i], text(f.Table[i]), from); err != nil {
		return fmt.Errorf("%s %w", name, err)
	}
	return nil
}

// Value is a variable that is set by texts of one kind. It is a pflag.Value.
type Value struct {
	Kind  string   // in a word: integer
	Words []string // the only texts that it takes, if it takes words
	read  func(text string) (set func(), err error)
	write func() string
}

// Check returns why a text is not a value.
func (v Value) Check(text string) error {
	_, err := v.read(text)
	return err
}

// Set parses a text.
func (v Value) Set(text string) error {
	set, err := v.read(text)
	if err == nil {
		set()
	}
	return err
}

// String returns the text of the current value.
func (v Value) String() string {
	if v.write == nil { // pflag compares with a zero value
		return ""
	}
	return v.write()
}

func (v Value) Type() string { return v.Kind }

func value[T any](at *T, kind, allowed string, parse func(string) (T, bool), write func(T) string) Value {
	return listed(at, kind, func() string { return allowed }, parse, write)
}

// listed is value for kinds whose allowed values take time to list.
func listed[T any](at *T, kind string, allowed func() string, parse func(string) (T, bool), write func(T) string) Value {
	read := func(text string) (func(), error) {
		parsed, ok := parse(text)
		if !ok {
			return nil, fmt.Errorf("is %q: it takes %s", text, allowed())
		}
		return func() { *at = parsed }, nil
	}
	return Value{Kind: kind, read: read, write: func() string { return write(*at) }}
}

func text(at *string) Value {
	return value(at, "text", "a text", func(s string) (string, bool) { return s, s != "" }, strings.Clone)
}

// Word takes one of several words.
func Word(at *string, words ...string) Value {
	parse := func(s string) (string, bool) { return s, slices.Contains(words, s) }
	v := value(at, "word", strings.Join(words, " or "), parse, strings.Clone)
	v.Words = words
	return v
}

func boolean(at *bool) Value {
	parse := func(s string) (bool, bool) { return s == "true", s == "true" || s == "false" }
	return value(at, "boolean", "true or false", parse, strconv.FormatBool)
}

// Integer takes whole numbers such as 1000 or 20M.
func Integer[T int | int64 | uint64](at *T, least, most T) Value {
	parse := func(s string) (T, bool) {
		n, ok := number.Integer(s)
		return T(n), ok && n >= int64(least) && n <= int64(most)
	}
	return value(at, "integer", fmt.Sprintf("an integer, %d to %d", least, most), parse, func(n T) string { return fmt.Sprint(n) })
}

func seed(at *uint64) Value {
	return value(at, "integer", number.Seeds, number.Seed, func(n uint64) string { return fmt.Sprint(n) })
}

// Number takes numbers with fractions.
func Number(at *float64, least, most float64) Value {
	parse := func(s string) (float64, bool) {
		x, ok := number.Parse(s)
		return x, ok && x >= least && x <= most
	}
	return value(at, "number", fmt.Sprintf("a number, %s to %s", run.Text(least), run.Text(most)), parse, func(x float64) string { return run.Text(x) })
}

// Percent takes a part of something: 2% or 0.02.
func Percent(at *float64) Value {
	parse := func(s string) (float64, bool) {
		digits, isPercent := strings.CutSuffix(s, "%")
		x, ok := number.Parse(digits)
		if isPercent {
			x /= 100
		}
		return x, ok && x >= 0 && x <= 1
	}
	write := func(x float64) string { return run.Text(100*x) + "%" }
	return value(at, "percent", "a part such as 2% or 0.02, up to 100%", parse, write)
}

// Numbers takes a list: 0.6,0.8 or 0.5:0.9:0.1 on the command line, an array in config.toml.
func Numbers(at *[]float64, least, most float64) Value {
	parse := func(s string) ([]float64, bool) {
		all, err := run.ParseValues(s, 0.0)
		list := lists.Map(all, func(v any) float64 { return v.(float64) })
		outside := func(x float64) bool { return x < least || x > most }
		return list, err == nil && !slices.ContainsFunc(list, outside)
	}
	write := func(list []float64) string {
		return strings.Join(lists.Map(list, func(x float64) string { return run.Text(x) }), ",")
	}
	return value(at, "numbers", fmt.Sprintf("numbers, %v to %v each, at least one", least, most), parse, write)
}

// Duration takes times such as 30s or 2m.
func Duration(at *time.Duration, least time.Duration) Value {
	parse := func(s string) (time.Duration, bool) {
		d, err := time.ParseDuration(s)
		return d, err == nil && d >= least && d <= 24*time.Hour
	}
	return value(at, "duration", fmt.Sprintf("a duration such as 30s or 2m, %v to 24h", least), parse, shortDuration)
}

// Pair takes the key and value widths that some scheme has.
func Pair(at *schemes.Pair) Value {
	write := func(p schemes.Pair) string {
		return lists.Either(p == schemes.Pair{}, "", p.String()) // none is chosen
	}
	allowed := func() string { return strings.Join(schemes.PairNames(), " or ") }
	return listed(at, "pair", allowed, schemes.FindPair, write)
}

const folderSeparator = string(filepath.ListSeparator)

// folders is a list: separated like PATH in a variable, an array in config.toml; each flag adds one.
func folders(at *[]string) Value {
	parse := func(s string) ([]string, bool) { return filepath.SplitList(s), true }
	write := func(list []string) string { return strings.Join(list, folderSeparator) }
	return value(at, "folder", "folders", parse, write)
}

// bindings maps names of bindings to keys: a table in config.toml, elsewhere name=key key;name=key.
func bindings(at *map[string][]string) Value {
	parse := func(s string) (map[string][]string, bool) {
		all := map[string][]string{}
		for part := range strings.SplitSeq(s, ";") {
			name, keys, ok := strings.Cut(part, "=")
			name = strings.TrimSpace(name)
			switch {
			case s == "":
			case !ok || name == "" || all[name] != nil:
				return nil, false
			default:
				all[name] = append([]string{}, strings.Fields(keys)...)
			}
		}
		return all, true
	}
	write := func(all map[string][]string) string {
		text := func(name string) string { return name + "=" + strings.Join(all[name], " ") }
		return strings.Join(lists.Map(slices.Sorted(maps.Keys(all)), text), ";")
	}
	return value(at, "bindings", "names with keys, each once, as in pause=p space;quit=q", parse, write)
}

// shortDuration writes 2m where the time package writes 2m0s.
func shortDuration(d time.Duration) string {
	return lists.Either(d == 0, "", strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())) // none is set
}

// fromTOML writes a value of config.toml as on the command line, with a separator between the items of a list.
func fromTOML(v any, separator string) string {
	switch v := v.(type) {
	case float64:
		return run.Text(v)
	case []any:
		return strings.Join(lists.Map(v, func(item any) string { return fromTOML(item, separator) }), separator)
	case map[string]any:
		binding := func(name string) string { return name + "=" + fromTOML(v[name], " ") }
		return strings.Join(lists.Map(slices.Sorted(maps.Keys(v)), binding), ";")
	}
	return fmt.Sprint(v)
}

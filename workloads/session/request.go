package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Choice has the settings of one run, from the command line or a form.
type Choice struct {
	Script  string   // or a recording
	Schemes []string // each as on the command line; empty for all that can
	Device  string
	Seed    uint64
	Set     []string // name=value
	Axis    []string // name=values
}

// Words is the command line that runs the choice, with `run` or `replay`, on the schemes that further words name.
func (c Choice) Words(command string, further ...string) []string {
	words := slices.Concat([]string{"hashzoo", command, c.Script}, analysis.Flags("--set", c.Set), analysis.Flags("--axis", c.Axis),
		further, []string{"--device", c.Device})
	if command == "run" { // a replay has the seed of its recording
		words = append(words, "--seed", fmt.Sprint(c.Seed))
	}
	return words
}

// Request is everything that a run depends on.
type Request struct {
	Choice
	run.Rules
	Threads  int
	Limits   lua.Limits
	Settings map[string]string // all settings in effect, for the results

	Count  *bool // whether to use instrumented kernels, too; nil leaves it to the script
	Repeat int   // how often each point is measured, on new tables
	Gauges bool  // read the gauges at the end of each phase
	Bounds bool  // measure what the memory allows first, to show rates as parts of it

	Recording    string // the recording to write
	Materialise  bool   // record numbers, not only expressions
	JSON, NDJSON string // results to write; - is Out
	Contents     string // what a table holds at the end
	Out          io.Writer
	Row          func(results.Row) results.Row // changes rows before they are written; nil: does not
	Sort         string                        // the column to sort by, which the session only checks
	Run          Runner                        // carries out the plan; nil: run.Run
	Opened       device.Device                 // is used instead of opening Device, and stays open; may be nil

	Pace    record.Pace // of a replay
	Figures bool        // compare inputs and counts only
	Partial bool        // replay a recording that was cut off as far as it goes
}

// Runner carries out a plan as run.Run does, perhaps in several runs.
type Runner func(context.Context, device.Device, run.Plan, run.Listener) error

// Apart returns the request with unused names for the files that it writes, and these.
func (r Request) Apart() (_ Request, written []string) {
	for _, path := range []*string{&r.JSON, &r.NDJSON, &r.Recording, &r.Contents} {
		if *path != "" {
			*path = Unused(*path)
			written = append(written, *path)
		}
	}
	return r, written
}

// Unused returns the path, with a number in it if the file exists or is being written.
func Unused(path string) string {
	unused := path
	for i := 2; exists(unused) || exists(unused+regular.Partial); i++ {
		unused = regular.Beside(path, i)
	}
	return unused
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Provenance has everything needed to repeat a run that starts now.
func Provenance(dev device.Device, seed uint64, settings map[string]string) results.Run {
	name, _ := os.Hostname()
	return results.Run{
		Command: os.Args, Started: time.Now(), Seed: seed, Settings: settings, Device: dev.Info(),
		Host:  results.Host{Name: cmp.Or(name, "unknown"), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0)},
		Build: results.ThisBuild(), Plugins: schemes.Plugins(),
	}
}

func (s *Session) provenance() results.Run {
	settings := maps.Clone(s.Settings)
	settings["device"], settings["seed"] = s.Device, fmt.Sprint(s.plan.Seed)
	about := Provenance(s.dev, s.plan.Seed, settings)
	about.Script = &results.Script{Name: s.header.Script.Name, Source: s.header.Script.Source, Options: map[string]string{}}
	if s.script != nil {
		about.Script.Plots, about.Script.Published = s.script.Plots, s.script.Published
	}
	for _, o := range s.header.Options {
		about.Script.Options[o.Name] = o.Value
	}
	return about
}

// Script reads a script that ships, or a file. Settings have effect as in lua.Inspect.
func Script(name string, limits lua.Limits, settings ...string) (*lua.Script, error) {
	if s, ok := scripts.Get(name); ok {
		return lua.Inspect(s.Name+".lua", s.Source, s.Folder(), limits, settings...)
	}
	source, err := regular.Read(name, sandbox.MaxSource)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, noScript(name)
	case err != nil:
		return nil, fmt.Errorf("script %w", err)
	}
	folder, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, fmt.Errorf("script %w", err)
	}
	return lua.Inspect(name, string(source), folder.FS(), limits, settings...)
}

func noScript(name string) error {
	if near := nearest.Names(strings.TrimSuffix(name, ".lua"), scripts.Names()); len(near) > 0 {
		return nearest.Unknown("script", name, near)
	}
	return fmt.Errorf("unknown script %q: there is no such file, and none of that name ships; hashzoo scripts lists those that do", name)
}

func everyScheme(texts []string) bool { return len(texts) == 0 || slices.Equal(texts, []string{"all"}) }

// Schemes reads lists of schemes with their parameters, as in a,b:bucket={8,16},hashes=2,c.
// Without a list, or with the word all, it returns all schemes.
func Schemes(texts []string) (configs []schemes.Config, err error) {
	configs, _, err = distinct(texts)
	return configs, err
}

// distinct is Schemes with what to say about those that have two names, as bcht and bcht:bucket=8: they are in the list
// once. One name may be in it several times.
func distinct(texts []string) (configs []schemes.Config, remarks []string, err error) {
	names, err := SchemeTexts(texts)
	first := map[string]string{}
	for _, name := range names {
		config, err := schemes.Parse(name)
		if err != nil {
			return nil, nil, err
		}
		if other := cmp.Or(first[config.String()], name); other != name {
			remarks = append(remarks, fmt.Sprintf("%s is the same as %s, and runs once; hint: give one name twice to run it twice", name, other))
			continue
		}
		first[config.String()], configs = name, append(configs, config)
	}
	return configs, remarks, err
}

// SchemeTexts is Schemes before the schemes and settings are looked up.
func SchemeTexts(texts []string) (list []string, err error) {
	if everyScheme(texts) {
		return schemes.Names(), nil
	}
	for _, text := range texts {
		split, err := SplitSchemes(text)
		if err != nil {
			return nil, err
		}
		for _, scheme := range split {
			meant, err := spread(scheme, maxSchemes-len(list))
			if err != nil {
				return nil, fmt.Errorf("schemes are %q: %w", text, err)
			}
			list = append(list, meant...)
		}
	}
	return list, nil
}

// SplitSchemes splits at commas. A piece that is a setting belongs to the scheme before it.
func SplitSchemes(text string) (list []string, _ error) {
	for _, piece := range pieces(text) {
		last := len(list) - 1
		switch setting := strings.Contains(piece, "=") && !strings.Contains(piece, ":"); {
		case !setting:
			list = append(list, piece)
		case last < 0:
			return nil, fmt.Errorf("schemes are %q: the setting %s has no scheme before it", text, piece)
		case !strings.Contains(list[last], ":"):
			return nil, fmt.Errorf("schemes are %q: the first setting comes after a colon: %s:%s", text, list[last], piece)
		default:
			list[last] += "," + piece
		}
	}
	return list, nil
}

// pieces splits a text at the commas outside of braces.
func pieces(text string) (list []string) {
	begin, braced := 0, false
	for i, c := range text {
		if c == ',' && !braced {
			list, begin = append(list, text[begin:i]), i+1
		}
		braced = c == '{' || braced && c != '}'
	}
	return append(list, text[begin:])
}

const maxSchemes = 1000 // that lists with sets may stand for

var sets = regexp.MustCompile(`\{([^{}]*)\}`)

// spread returns the schemes that one with sets stands for: a:b={1,2} is a:b=1 and a:b=2. The last set changes fastest.
func spread(scheme string, most int) (list []string, err error) {
	if strings.ContainsAny(sets.ReplaceAllString(scheme, ""), "{}") {
		return nil, fmt.Errorf("%s has a brace without its other one, or a set in a set; write sets as in {4,8}", scheme)
	}
	at := sets.FindStringSubmatchIndex(scheme)
	if at == nil {
		return []string{scheme}, nil
	}
	values := strings.Split(scheme[at[2]:at[3]], ",")
	if slices.Contains(values, "") {
		return nil, fmt.Errorf("the set %s lacks a value; write sets as in {4,8}", scheme[at[0]:at[1]])
	}
	for _, v := range values {
		some, err := spread(scheme[:at[0]]+v+scheme[at[1]:], most-len(list))
		if err != nil {
			return nil, err
		}
		if list = append(list, some...); len(list) > most {
			return nil, fmt.Errorf("its sets stand for more than %d schemes; hint: write fewer values", maxSchemes)
		}
	}
	return list, nil
}

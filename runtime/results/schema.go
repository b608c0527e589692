// Package results defines what a run leaves behind: one schema, written as a JSON document
// or as lines of JSON, and tables for people. It does not know how anything is measured.
package results

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Schema names the format, which readers check; a new field keeps it. docs/results.md is generated from it.
const Schema = "hashzoo.results/1"

// Document is a whole run: the content of a JSON file.
type Document struct {
	Schema    string    `json:"schema" doc:"hashzoo.results/1"`
	Run       Run       `json:"run" doc:"everything needed to repeat the run"`
	Rows      []Row     `json:"rows" doc:"one per scheme, operation, phase and point"`
	Summaries []Summary `json:"summaries,omitempty" doc:"scripts only: one per scheme and point"`
	LeftOut   []LeftOut `json:"left_out,omitempty" doc:"schemes the user did not name that cannot do what the run asks for; also those that failed while the others went on"`
	Choice    *Choice   `json:"choice,omitempty" doc:"of hashzoo choose: its answer"`
	End       End       `json:"end" doc:"how the run ended"`
}

// Line is one line of an NDJSON file: schema and run, then a row, a summary or a left-out scheme each, then end.
// A file without the last line was cut off.
type Line struct {
	Schema  string   `json:"schema,omitempty" doc:"in the first line"`
	Run     *Run     `json:"run,omitempty" doc:"in the first line"`
	Row     *Row     `json:"row,omitempty" doc:"one line per row"`
	Summary *Summary `json:"summary,omitempty" doc:"one line per summary"`
	LeftOut *LeftOut `json:"left_out,omitempty" doc:"one line per left-out scheme"`
	End     *End     `json:"end,omitempty" doc:"in the last line"`
}

// Run is the provenance of a run.
type Run struct {
	Command  []string          `json:"command" doc:"the command line"`
	Started  time.Time         `json:"started" doc:"when it started"`
	Seed     uint64            `json:"seed" doc:"the seed of all random choices"`
	Settings map[string]string `json:"settings" doc:"all settings in effect, named as in config.toml"`
	Device   device.Info       `json:"device" doc:"the device that the schemes ran on"`
	Host     Host              `json:"host" doc:"the machine that holds the device"`
	Build    Build             `json:"build" doc:"the program"`
	Plugins  []schemes.Plugin  `json:"plugins,omitempty" doc:"loaded plugins, measured or not"`
	Script   *Script           `json:"script,omitempty" doc:"the script, if one was run"`
}

// Script is the workload that was run.
type Script struct {
	Name    string            `json:"name" doc:"its name or path"`
	Source  string            `json:"source" doc:"the whole script"`
	Options map[string]string `json:"options" doc:"the options in effect"`
	Plots   []Plot            `json:"plots,omitempty" doc:"the figures that the script declares, for hashzoo plot"`

	Published []Published `json:"published,omitempty" doc:"a paper's numbers, of the file NAME.published.csv beside the script"`
}

// Plot is a figure over the results.
type Plot struct {
	Title  string              `json:"title,omitempty" lua:"title" doc:"what it shows"`
	X      string              `json:"x,omitempty" lua:"x" doc:"the horizontal axis: an axis of the script, scheme, op, phase, batch, a parameter of schemes, or a column"`
	Y      string              `json:"y,omitempty" lua:"y" doc:"the vertical axis: a column, such as mops, or a value that done returned"`
	Group  []string            `json:"group,omitempty" lua:"group" doc:"what has a curve of its own: scheme, or others as for x"`
	Where  map[string][]string `json:"where,omitempty" lua:"where" doc:"rows that have one of these values"`
	Log    string              `json:"log,omitempty" lua:"log" oneof:"x y xy" doc:"axes with a logarithmic scale: x, y or xy"`
	XLabel string              `json:"xlabel,omitempty" lua:"xlabel" doc:"text at the horizontal axis"`
	YLabel string              `json:"ylabel,omitempty" lua:"ylabel" doc:"text at the vertical axis"`

	Relative map[string]string `json:"relative,omitempty" doc:"the rows whose values the others are divided by: a scheme, and other fields"`
}

// Host is the machine that the program ran on.
type Host struct {
	Name string `json:"name" doc:"host name"`
	OS   string `json:"os" doc:"operating system"`
	Arch string `json:"arch" doc:"instruction set"`
	CPUs int    `json:"cpus" doc:"processors available to the program"`
}

// Build is the program that did the run.
type Build struct {
	Version    string `json:"version" doc:"hashzoo version"`
	Revision   string `json:"revision,omitempty" doc:"git revision, if built from a checkout"`
	Modified   bool   `json:"modified,omitempty" doc:"the checkout had uncommitted changes"`
	Go         string `json:"go" doc:"Go version"`
	Compiler   string `json:"compiler" doc:"C++ compiler of the CPU kernels"`
	Flags      string `json:"flags,omitempty" doc:"build tags and compiler flags"`
	ABI        int    `json:"abi" doc:"version of the kernel interface"`
	Generators int    `json:"generators" doc:"version of the generators: the same version and seed give the same input"`
	Digests    int    `json:"digests" doc:"version of the digests: digests of different versions cannot be compared"`
}

// Point is a position on the axes of a run.
type Point map[string]any

// Row is one scheme's result for one operation at one point, over repeated runs or a phase's batches.
type Row struct {
	Scheme     string            `json:"scheme" doc:"the scheme as on the command line, with its non-default parameters"`
	Parameters map[string]string `json:"parameters" doc:"all parameters of the scheme"`
	Plugin     string            `json:"plugin,omitempty" doc:"digest of the plugin that defines the scheme; absent for built-in schemes"`
	Pair       string            `json:"pair" doc:"bytes per key and per value, such as k4v4"`
	Op         string            `json:"op" doc:"the operation"`
	Phase      string            `json:"phase,omitempty" doc:"scripts only: prepare, or the name of the stage"`
	Point      Point             `json:"point,omitempty" doc:"position on the axes of the run; for bench the requested load_factor and the fraction of keys present"`

	N         uint64    `json:"n" doc:"operations: per run, or in all batches together"`
	Batches   uint64    `json:"batches,omitempty" doc:"scripts only: number of batches"`
	Completed uint64    `json:"completed" doc:"operations that neither failed nor were rejected; the minimum over several runs"`
	Rate      float64   `json:"rate_mops" doc:"millions of completed operations per second of device time, in the median run or batch"`
	Limit     float64   `json:"limit_mops,omitempty" doc:"millions per second that the memory allows, measured before the run with --limits: swaps at random places for operations that change the table, reads for others"`
	Runs      []float64 `json:"runs_seconds" doc:"device time of each measured run or batch, in order; beyond 10000 batches only every second one, then every fourth, and so on"`
	Seconds   float64   `json:"total_seconds" doc:"device time of all measured runs or batches together"`
	Median    float64   `json:"median_seconds" doc:"median of runs_seconds"`
	Noise     *float64  `json:"noise,omitempty" doc:"half the 95 percent confidence interval of the median time per completed operation, as a fraction of the median; absent with too few runs"`
	Settled   bool      `json:"settled" doc:"the noise fell below its bound"`
	Open      *OpenLoop `json:"open_loop,omitempty" doc:"for operations that arrived at a fixed rate"`
	Sharing   *Sharing  `json:"sharing,omitempty" doc:"on several devices: where the time went"`
	Chunk     uint64    `json:"chunk,omitempty" doc:"operations that batches carried out at a time; absent if all did in one piece"`
	Launch    uint64    `json:"launch,omitempty" doc:"operations of a launch, if batches were streams of launches (--launch); absent if none was"`

	Counts  map[string]uint64  `json:"counts" doc:"counters of the kernels in the last run, or in all batches"`
	PerOp   map[string]float64 `json:"per_op,omitempty" doc:"counters of the instrumented kernels per operation, from a separate run"`
	Phases  []string           `json:"phases,omitempty" doc:"the phases into which a mixed batch was split"`
	Notes   []string           `json:"notes,omitempty" doc:"unusual events; for scripts, notes that differ only in numbers are merged into one with the range of the numbers and a count"`
	Lost    string             `json:"other_contents,omitempty" doc:"why the table lacked pairs that it should have had: such a row is not ranked"`
	Compare string             `json:"not_comparable,omitempty" doc:"why the row cannot be compared with those of other schemes"`

	Capacity     uint64   `json:"capacity" doc:"slots in the table"`
	Size         uint64   `json:"size" doc:"pairs in the table afterwards"`
	Load         float64  `json:"load_factor" doc:"size divided by capacity"`
	TableBytes   int64    `json:"table_bytes" doc:"device memory of the table in bytes"`
	BytesPerPair *float64 `json:"bytes_per_pair,omitempty" doc:"table_bytes divided by size; absent for an empty table"`

	Keys   string `json:"keys" doc:"the stream of keys; for several batches the stream of the first"`
	Input  string `json:"input_digest" doc:"digest of the input; for several batches the digest of their digests. Only rows with equal input digests are comparable"`
	Result string `json:"result_digest,omitempty" doc:"digest of every operation's answer; absent if inserts failed, because timing decides which pairs find no room; scripts need --verify or --count"`
}

// OpenLoop is the result of a stage whose operations arrive at a fixed rate.
type OpenLoop struct {
	Rate   float64 `json:"rate_mops" doc:"millions of operations that arrived per second"`
	Median float64 `json:"response_median_seconds" doc:"median response time of a batch, from when it was due to its end"`
	High   float64 `json:"response_p99_seconds" doc:"99th percentile of the response time"`
	Most   float64 `json:"response_max_seconds" doc:"longest response time"`
	Late   uint64  `json:"late_batches" doc:"batches that started after they were due"`
	Lag    float64 `json:"lag_max_seconds" doc:"longest delay between when a batch was due and when it started"`
	Behind uint64  `json:"behind" doc:"operations that had arrived but were not done when the stage ended, out of all operations of the stage"`
}

// Sharing is how several devices shared the measured runs or batches. The first four times are each that of the device
// that took longest; without the overlap, they add up to total_seconds.
type Sharing struct {
	Partition float64 `json:"partition_seconds" doc:"splitting batches by the devices that own their keys"`
	Exchange  float64 `json:"exchange_seconds" doc:"copies to the owners"`
	Operation float64 `json:"operation_seconds" doc:"the operations on the shards"`
	Return    float64 `json:"return_seconds" doc:"copies of outcomes and answers, and putting them back into order"`
	Overlap   float64 `json:"overlap_seconds" doc:"how much of these four went on at once with another: copies beside operations"`
	SkewTime  float64 `json:"skew_of_time" doc:"operation time of the slowest shard, divided by the mean of all"`
	SkewKeys  float64 `json:"skew_of_keys" doc:"operations of the shard that had most, divided by the mean of all"`
}

// Line is the message for people.
func (s *Sharing) Line() string {
	all := s.Partition + s.Exchange + s.Operation + s.Return - s.Overlap
	share := func(seconds float64) float64 { return 100 * seconds / max(all, 1e-9) }
	return fmt.Sprintf("partition %.0f %%, exchange %.0f %%, operation %.0f %%, return %.0f %% of the time, of which %.0f %% at once; slowest shard %.2f times the mean, fullest %.2f",
		share(s.Partition), share(s.Exchange), share(s.Operation), share(s.Return), share(s.Overlap), s.SkewTime, s.SkewKeys)
}

// Summary is what a script reports about one scheme at one point.
type Summary struct {
	Scheme     string            `json:"scheme" doc:"as in the rows"`
	Point      Point             `json:"point,omitempty" doc:"as in the rows"`
	Values     map[string]any    `json:"values,omitempty" doc:"the table that the script's done returned"`
	Thresholds []Threshold       `json:"thresholds,omitempty" doc:"the script's conditions"`
	Size       uint64            `json:"size" doc:"pairs in the table at the end"`
	Load       float64           `json:"load_factor" doc:"size divided by capacity"`
	TableBytes int64             `json:"table_bytes" doc:"device memory of the table in bytes"`
	Notes      []string          `json:"notes,omitempty" doc:"remarks by the script or the run"`
	Gauges     []schemes.Reading `json:"gauges,omitempty" doc:"the state inside the table at the end of the last phase; only with --gauges"`
	Script     float64           `json:"script_seconds" doc:"time spent in the script itself, outside of batches"`
}

// LeftOut is a scheme that lacks what the run asks for, or that failed. The others ran without it.
type LeftOut struct {
	Scheme string `json:"scheme" doc:"as in the rows"`
	Point  Point  `json:"point,omitempty" doc:"where it was left out, as in the rows"`
	Phase  string `json:"phase,omitempty" doc:"the phase that needed what the scheme lacks; rows of earlier phases are kept"`
	Reason string `json:"reason" doc:"what it lacks, or how it failed"`
	Failed bool   `json:"failed,omitempty" doc:"it returned an error, ran out of memory or hangs; earlier rows are kept"`
	Where  string `json:"where,omitempty" doc:"file and line of the script that asked for it"`

	Eliminated bool `json:"eliminated,omitempty" doc:"a search dropped it, because others are better; earlier rows are kept"`
}

// Line is the message for people.
func (l LeftOut) Line() string {
	line := "left out: " + l.Scheme + ": " + l.Reason
	switch {
	case l.Eliminated:
		return "eliminated: " + l.Scheme + ": " + l.Reason
	case l.Failed:
		return "failed: " + l.Scheme + ": " + l.Reason
	}
	if l.Phase != "" && l.Where != "" {
		line += " (" + l.Where + ")"
	}
	return line
}

// Threshold is a condition that a script puts on its results.
type Threshold struct {
	Condition string `json:"condition" doc:"the condition as in the script"`
	Value     any    `json:"value" doc:"the value of its left side"`
	Holds     bool   `json:"holds" doc:"whether it holds"`
}

// End is how a run ended.
type End struct {
	Finished    time.Time `json:"finished" doc:"when the run ended"`
	Interrupted bool      `json:"interrupted,omitempty" doc:"the run was stopped before everything was measured"`
	Error       string    `json:"error,omitempty" doc:"why the run failed"`

	Spent      *Spent      `json:"spent,omitempty" doc:"where the time of the run went"`
	Conditions *Conditions `json:"conditions,omitempty" doc:"the machine while the run went on"`
}

// Whole reports whether the run ended as it should.
func (e End) Whole() bool { return e.Error == "" && !e.Interrupted }

// Why says why the run did not end as it should.
func (e End) Why() string {
	if e.Error != "" {
		return e.Error
	}
	return "it was interrupted"
}

// ThisHost describes this machine.
func ThisHost() Host {
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	return Host{Name: name, OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0)}
}

// ThisBuild describes the running program from the build information that go embeds.
func ThisBuild() Build {
	b := Build{
		Version:    "unknown",
		Go:         runtime.Version(),
		Compiler:   kernels.Compiler(),
		ABI:        kernels.ABIVersion,
		Generators: kernels.GeneratorVersion,
		Digests:    kernels.DigestVersion,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.read(info)
	}
	return b
}

func (b *Build) read(info *debug.BuildInfo) {
	b.Version = info.Main.Version
	var flags []string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "-tags", "-race", "-asan", "CGO_CXXFLAGS":
			if s.Value != "" {
				flags = append(flags, s.Key+"="+s.Value)
			}
		}
	}
	b.Flags = strings.Join(flags, " ")
}

// Package results is what a run leaves behind: one schema, as a JSON document or as
// lines of JSON, and tables for people. It knows nothing of how things are
// measured.
package results

import (
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Schema names the format. A reader refuses another number; fields may be added
// without a new one. docs/results.md is made from the types below.
const Schema = "hashzoo.results/1"

// Document is a whole run, and what a JSON file holds.
type Document struct {
	Schema string `json:"schema" doc:"hashzoo.results/1"`
	Run    Run    `json:"run" doc:"what is needed to repeat the run"`
	Rows   []Row  `json:"rows" doc:"one for each scheme, operation, phase and point"`

	Summaries []Summary `json:"summaries,omitempty" doc:"of a script: one for each scheme and point"`

	LeftOut []LeftOut `json:"left_out,omitempty" doc:"schemes that lack what was asked for, of those that nobody named, and with --keep-going those that failed"`

	End End `json:"end" doc:"how it ended"`
}

// Line is a line of an NDJSON file: the first has schema and run, then one each
// has a row or a summary, the last has end. A file without the last line was cut
// off.
type Line struct {
	Schema string `json:"schema,omitempty" doc:"in the first line"`
	Run    *Run   `json:"run,omitempty" doc:"in the first line"`
	Row    *Row   `json:"row,omitempty" doc:"in a line of its own for each row"`

	Summary *Summary `json:"summary,omitempty" doc:"in a line of its own for each summary"`

	LeftOut *LeftOut `json:"left_out,omitempty" doc:"in a line of its own for each of them"`

	End *End `json:"end,omitempty" doc:"in the last line"`
}

// Run is the provenance of a run.
type Run struct {
	Command  []string          `json:"command" doc:"the command line"`
	Started  time.Time         `json:"started" doc:"when it started"`
	Seed     uint64            `json:"seed" doc:"what all random choices were drawn from"`
	Settings map[string]string `json:"settings" doc:"all settings in force, as in config.toml"`
	Device   device.Info       `json:"device" doc:"what the schemes ran on"`
	Host     Host              `json:"host" doc:"the machine that the device is in"`
	Build    Build             `json:"build" doc:"the program"`
	Plugins  []schemes.Plugin  `json:"plugins,omitempty" doc:"schemes that were loaded, be they measured or not"`
	Script   *Script           `json:"script,omitempty" doc:"the script, if one was run"`
}

// Script is the workload that was run.
type Script struct {
	Name    string            `json:"name" doc:"its name, or the path to it"`
	Source  string            `json:"source" doc:"all of it"`
	Options map[string]string `json:"options" doc:"its options in force"`
}

// Host is the machine that the program ran on.
type Host struct {
	Name string `json:"name" doc:"its name"`
	OS   string `json:"os" doc:"operating system"`
	Arch string `json:"arch" doc:"instruction set"`
	CPUs int    `json:"cpus" doc:"processors that the program may use"`
}

// Build is the program that made a run.
type Build struct {
	Version    string `json:"version" doc:"version of hashzoo"`
	Revision   string `json:"revision,omitempty" doc:"git revision, if it was built in a checkout"`
	Modified   bool   `json:"modified,omitempty" doc:"the checkout differed from that revision"`
	Go         string `json:"go" doc:"Go version"`
	Compiler   string `json:"compiler" doc:"C++ compiler of the host kernels"`
	Flags      string `json:"flags,omitempty" doc:"build tags and compiler flags"`
	ABI        int    `json:"abi" doc:"version of the kernels' interface"`
	Generators int    `json:"generators" doc:"version of the generators: the same one makes the same input of a seed"`
	Digests    int    `json:"digests" doc:"version of the digests: only those of the same one can be compared"`
}

// Point is where a row is on the axes of the run.
type Point map[string]any

// Number is the coordinate on an axis of numbers.
func (p Point) Number(axis string) float64 {
	number, _ := p[axis].(float64)
	return number
}

// Row is what one scheme did in one operation at one point: the runs of a
// measurement that is repeated, or the batches of a phase of a script.
type Row struct {
	Scheme     string            `json:"scheme" doc:"the scheme as on the command line, with what is not a default"`
	Parameters map[string]string `json:"parameters" doc:"all its parameters"`
	Plugin     string            `json:"plugin,omitempty" doc:"digest of the plugin that the scheme is from; absent of those that the program has"`
	Pair       string            `json:"pair" doc:"bytes of a key and a value"`
	Op         string            `json:"op" doc:"the operation"`
	Phase      string            `json:"phase,omitempty" doc:"of a script: prepare, or the name of the stage"`
	Point      Point             `json:"point,omitempty" doc:"where on the axes of the run; of bench: load_factor asked for, fraction of the keys present"`

	N         uint64    `json:"n" doc:"operations: of each run, or of all batches together"`
	Batches   uint64    `json:"batches,omitempty" doc:"of a script: how many batches these are"`
	Completed uint64    `json:"completed" doc:"of these, done: neither failed nor rejected; of several runs the least"`
	Rate      float64   `json:"rate_mops" doc:"completed operations a second of device time, in millions: in the median run, or in all batches together"`
	Runs      []float64 `json:"runs_seconds" doc:"device time of each measured run or batch, in order; of more than 10000 batches every second, fourth ..."`
	Median    float64   `json:"median_seconds" doc:"their median"`
	Noise     *float64  `json:"noise,omitempty" doc:"half the 95 percent interval of the median time of an operation, as a fraction of it; absent if there are too few runs to say"`
	Settled   bool      `json:"settled" doc:"the noise came below its bound"`
	Open      *OpenLoop `json:"open_loop,omitempty" doc:"if operations arrived at a rate"`

	Counts  map[string]uint64  `json:"counts" doc:"what the kernels counted in the last run, or in all batches"`
	PerOp   map[string]float64 `json:"per_op,omitempty" doc:"what instrumented kernels counted in a run of their own, per operation"`
	Phases  []string           `json:"phases,omitempty" doc:"phases that a mixed batch was split into"`
	Notes   []string           `json:"notes,omitempty" doc:"what happened out of the ordinary; of a script, notes that differ in numbers alone are one, with the numbers from least to most and how often"`
	Compare string             `json:"not_comparable,omitempty" doc:"why the row cannot be compared with those of other schemes"`

	Capacity     uint64   `json:"capacity" doc:"slots of the table"`
	Size         uint64   `json:"size" doc:"pairs in it afterwards"`
	Load         float64  `json:"load_factor" doc:"size divided by capacity"`
	TableBytes   int64    `json:"table_bytes" doc:"device memory of the table"`
	BytesPerPair *float64 `json:"bytes_per_pair,omitempty" doc:"table_bytes divided by size; absent of an empty table"`

	Keys   string `json:"keys" doc:"the stream of keys, of several batches that of the first"`
	Input  string `json:"input_digest" doc:"digest of the input, of several batches that of their digests: rows are comparable only if it is the same"`
	Result string `json:"result_digest,omitempty" doc:"digest of what every operation gave; absent if inserts failed, since which pair is left over then is up to timing; a script's needs --verify or --count"`
}

// OpenLoop is what became of operations that arrived at a rate.
type OpenLoop struct {
	Rate   float64 `json:"rate_mops" doc:"operations that arrived a second, in millions"`
	Median float64 `json:"response_median_seconds" doc:"response time of a batch, from when it was due to its end: the median"`
	High   float64 `json:"response_p99_seconds" doc:"99 percent of the batches had at most this response time"`
	Most   float64 `json:"response_max_seconds" doc:"the longest response time"`
	Late   uint64  `json:"late_batches" doc:"batches that began after they were due"`
	Lag    float64 `json:"lag_max_seconds" doc:"how long after it was due a batch began at the most"`
	Behind uint64  `json:"behind" doc:"operations that had arrived at the end of the stage and were not done, of all operations of the stage"`
}

// Summary is what a script says of one scheme at one point.
type Summary struct {
	Scheme     string         `json:"scheme" doc:"as in the rows"`
	Point      Point          `json:"point,omitempty" doc:"as in the rows"`
	Values     map[string]any `json:"values,omitempty" doc:"what the script's done gave"`
	Thresholds []Threshold    `json:"thresholds,omitempty" doc:"its conditions"`
	Size       uint64         `json:"size" doc:"pairs in the table at the end"`
	Load       float64        `json:"load_factor" doc:"size divided by capacity"`
	TableBytes int64          `json:"table_bytes" doc:"device memory of the table"`
	Notes      []string       `json:"notes,omitempty" doc:"what the script or the run remarked"`
	Gauges     []Gauge        `json:"gauges,omitempty" doc:"what the insides of the table looked like at the end of the last phase, if asked to look"`
	Script     float64        `json:"script_seconds" doc:"time spent in the script itself, outside of all batches"`
}

// Gauge is something inside a table that is worth watching.
type Gauge struct {
	Name string `json:"name" doc:"its name; schemes lists those of a scheme"`
	Help string `json:"help" doc:"what it shows"`
	Unit string `json:"unit,omitempty" doc:"of the values"`
	Bars []Bar  `json:"bars" doc:"what it showed: a number, or a chart"`
}

// Bar is a value that a gauge shows.
type Bar struct {
	Label string  `json:"label,omitempty" doc:"what of the gauge it is, if there are several"`
	Value float64 `json:"value" doc:"the value"`
	Of    float64 `json:"of,omitempty" doc:"the most that it can be, if there is such a bound"`
}

// LeftOut is a scheme that lacks what was asked for, and was not named, or that failed. The
// others were run without it.
type LeftOut struct {
	Scheme string `json:"scheme" doc:"as in the rows"`
	Point  Point  `json:"point,omitempty" doc:"where it was left out, as in the rows"`
	Phase  string `json:"phase,omitempty" doc:"the phase in which it was asked for what it lacks; rows of the phases before are there"`
	Reason string `json:"reason" doc:"what it lacks, or how it failed"`
	Failed bool   `json:"failed,omitempty" doc:"it gave an error, ran out of memory or hangs; rows of what it did until then are there"`
	Where  string `json:"where,omitempty" doc:"file and line of the script that asks for it"`
}

// Line says so to people.
func (l LeftOut) Line() string {
	line := "left out: " + l.Scheme + ": " + l.Reason
	if l.Failed {
		return "failed: " + l.Scheme + ": " + l.Reason
	}
	if l.Phase != "" && l.Where != "" {
		line += " (" + l.Where + ")"
	}
	return line
}

// Threshold is a condition of a script over its results.
type Threshold struct {
	Condition string `json:"condition" doc:"as in the script"`
	Value     any    `json:"value" doc:"what its left side was"`
	Holds     bool   `json:"holds" doc:"whether it holds"`
}

// End is how a run ended.
type End struct {
	Finished    time.Time `json:"finished" doc:"when it ended"`
	Interrupted bool      `json:"interrupted,omitempty" doc:"it was stopped before everything was measured"`
	Error       string    `json:"error,omitempty" doc:"why it failed"`
}

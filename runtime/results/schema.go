// Package results defines what a run leaves behind: one schema, written as a JSON document
// or as lines of JSON, and tables for people. It does not know how anything is measured.
package results

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Schema names the format, which readers check; a new field keeps it. The fields in docs/running.md are generated from it.
const Schema = "hashzoo.results/1"

// Document is a whole run: the content of a JSON file.
type Document struct {
	Schema    string    `json:"schema" doc:"hashzoo.results/1"`
	Run       Run       `json:"run" doc:"everything needed to repeat the run"`
	Rows      []Row     `json:"rows" doc:"one per scheme, operation, phase and point"`
	Summaries []Summary `json:"summaries,omitempty" doc:"of scripts: one per scheme and point"`
	LeftOut   []LeftOut `json:"left_out,omitempty" doc:"schemes that cannot do the work or failed, and were skipped"`
	Choice    *Choice   `json:"choice,omitempty" doc:"the answer of hashzoo choose"`
	End       End       `json:"end" doc:"how the run ended"`
}

// Line is one line of an NDJSON file: schema and run, then a row, a summary or a left-out scheme each, then end.
// A file without the last line was cut off.
type Line struct {
	Schema  string   `json:"schema,omitempty"`
	Run     *Run     `json:"run,omitempty"`
	Row     *Row     `json:"row,omitempty"`
	Summary *Summary `json:"summary,omitempty"`
	LeftOut *LeftOut `json:"left_out,omitempty"`
	End     *End     `json:"end,omitempty"`
}

// Run is the provenance of a run.
type Run struct {
	Command  []string          `json:"command" doc:"the command line"`
	Started  time.Time         `json:"started" doc:"when it started"`
	Seed     uint64            `json:"seed" doc:"of all random choices"`
	Settings map[string]string `json:"settings" doc:"those in effect, as in config.toml"`
	Device   device.Info       `json:"device" doc:"where the schemes ran"`
	Host     Host              `json:"host" doc:"its machine"`
	Build    Build             `json:"build" doc:"the program"`
	Plugins  []schemes.Plugin  `json:"plugins,omitempty" doc:"loaded plugins, measured or not"`
	Script   *Script           `json:"script,omitempty" doc:"the workload"`
	Suite    *Suite            `json:"suite,omitempty" doc:"the questions of hashzoo suite"`
}

// Script is the workload that was run.
type Script struct {
	Name    string            `json:"name" doc:"name or path"`
	Source  string            `json:"source" doc:"its text"`
	Options map[string]string `json:"options" doc:"in effect"`
	Plots   []Plot            `json:"plots,omitempty" doc:"the figures that it declares"`

	Published []Published `json:"published,omitempty" doc:"numbers of NAME.published.csv"`
}

// Title is the comment in the first line, which says what the script does.
func (s *Script) Title() string {
	line, _, _ := strings.Cut(cmp.Or(s, &Script{}).Source, "\n")
	text, isComment := strings.CutPrefix(strings.TrimSpace(line), "--")
	return lists.Either(isComment && !strings.HasPrefix(text, "[["), Plain(strings.TrimSpace(text)), "")
}

// Suite is what hashzoo suite asked. Rows name their question on the axis question.
type Suite struct {
	Version   string     `json:"version" doc:"suite/1"`
	Digest    string     `json:"digest" doc:"of questions and scripts"`
	Program   string     `json:"program,omitempty" doc:"digest without revision"`
	Scale     float64    `json:"scale" doc:"of sizes"`
	Passes    int        `json:"passes" doc:"measurements; noise is how much they differ"`
	Schemes   []string   `json:"schemes" doc:"asked"`
	Tuned     float64    `json:"tuned_seconds,omitempty" doc:"with --tune"`
	Questions []Question `json:"questions" doc:"in order"`
}

// Question is a part of a suite: a phase of a script with its options.
type Question struct {
	Name   string   `json:"name" doc:"on the axis question"`
	Why    string   `json:"why" doc:"people ask"`
	Script string   `json:"script" doc:"name"`
	Set    []string `json:"set" doc:"options"`
	Axis   []string `json:"axis,omitempty" doc:"axes"`
	Phase  string   `json:"phase" doc:"which answers"`
	Op     string   `json:"op" doc:"whose rate counts"`
	Chosen []string `json:"chosen,omitempty" doc:"best, with --tune"`
}

// Plot is a figure over the results.
type Plot struct {
	Title  string              `json:"title,omitempty" lua:"title" doc:"what it shows"`
	X      string              `json:"x,omitempty" lua:"x" doc:"horizontal: an axis, scheme, op, phase, batch, a parameter, or a column"`
	Y      string              `json:"y,omitempty" lua:"y" doc:"vertical: a column, such as mops, or a value of done"`
	Group  []string            `json:"group,omitempty" lua:"group" doc:"what has its own curve"`
	Where  map[string][]string `json:"where,omitempty" lua:"where" doc:"only rows with one of these values"`
	Log    string              `json:"log,omitempty" lua:"log" oneof:"x y xy" doc:"logarithmic axes: x, y or xy"`
	XLabel string              `json:"xlabel,omitempty" lua:"xlabel" doc:"label"`
	YLabel string              `json:"ylabel,omitempty" lua:"ylabel" doc:"label"`

	Relative map[string]string `json:"relative,omitempty" doc:"the rows by whose values others are divided"`
}

// Host is the machine that the program ran on.
type Host struct {
	Name string `json:"name" doc:"host name"`
	OS   string `json:"os" doc:"operating system"`
	Arch string `json:"arch" doc:"instruction set"`
	CPUs int    `json:"cpus" doc:"processors available"`
}

// Build is the program that did the run.
type Build struct {
	Version    string `json:"version" doc:"hashzoo version"`
	Revision   string `json:"revision,omitempty" doc:"git revision"`
	Modified   bool   `json:"modified,omitempty" doc:"uncommitted changes"`
	Go         string `json:"go" doc:"Go version"`
	Compiler   string `json:"compiler" doc:"of the CPU kernels"`
	Flags      string `json:"flags,omitempty" doc:"build tags and compiler flags"`
	ABI        int    `json:"abi" doc:"version of the kernel interface"`
	Generators int    `json:"generators" doc:"version: the same one and the same seed give the same input"`
	Digests    int    `json:"digests" doc:"version: digests of different ones cannot be compared"`
}

// Point is a position on the axes of a run.
type Point map[string]any

// Row is one scheme's result for one operation at one point, over repeated runs or a phase's batches.
type Row struct {
	Scheme     string            `json:"scheme" doc:"as on the command line"`
	Parameters map[string]string `json:"parameters" doc:"all of them"`
	Plugin     string            `json:"plugin,omitempty" doc:"digest of the scheme's plugin"`
	Pair       string            `json:"pair" doc:"bytes of key and value: k4v4"`
	Op         string            `json:"op" doc:"the operation"`
	Phase      string            `json:"phase,omitempty" doc:"of scripts: prepare, or the stage"`
	Point      Point             `json:"point,omitempty" doc:"values of the axes; for bench, load_factor and fraction of keys present"`

	N         uint64    `json:"n" doc:"operations per run, or in all batches"`
	Batches   uint64    `json:"batches,omitempty" doc:"of scripts"`
	Completed uint64    `json:"completed" doc:"operations neither failed nor rejected; the minimum over runs"`
	Rate      float64   `json:"rate_mops" doc:"the median: millions of completed operations per second of device time"`
	Limit     float64   `json:"limit_mops,omitempty" doc:"with --limits: what the memory allows"`
	Runs      []float64 `json:"runs_seconds" doc:"device time of each measured run or batch; beyond 10000 only every second, fourth, ..."`
	Seconds   float64   `json:"total_seconds" doc:"the sum of all"`
	Median    float64   `json:"median_seconds" doc:"the median of those"`
	Noise     *float64  `json:"noise,omitempty" doc:"half the 95 percent interval of the median time per operation, as a fraction; absent with too few runs"`
	Settled   bool      `json:"settled" doc:"the noise fell below its bound"`
	Open      *OpenLoop `json:"open_loop,omitempty" doc:"stages with a rate"`
	Sharing   *Sharing  `json:"sharing,omitempty" doc:"several devices: where the time went"`
	Chunk     uint64    `json:"chunk,omitempty" doc:"operations of a piece, if batches were split"`
	Launch    uint64    `json:"launch,omitempty" doc:"operations of a launch, with --launch"`

	Counts  map[string]uint64  `json:"counts" doc:"outcomes of the last run, or of all batches"`
	PerOp   map[string]float64 `json:"per_op,omitempty" doc:"with --count: counters per operation"`
	Phases  []string           `json:"phases,omitempty" doc:"into which a mixed batch was split"`
	Notes   []string           `json:"notes,omitempty" doc:"unusual events; of scripts, merged if only numbers differ"`
	Lost    string             `json:"other_contents,omitempty" doc:"why the table lacked pairs; such a row is not ranked"`
	Compare string             `json:"not_comparable,omitempty" doc:"why the row cannot be compared"`

	Capacity     uint64   `json:"capacity" doc:"slots"`
	Size         uint64   `json:"size" doc:"pairs afterwards"`
	Load         float64  `json:"load_factor" doc:"size by capacity"`
	TableBytes   int64    `json:"table_bytes" doc:"its device memory"`
	BytesPerPair *float64 `json:"bytes_per_pair,omitempty" doc:"absent for an empty table"`

	Keys   string `json:"keys" doc:"the stream of keys of the first batch"`
	Input  string `json:"input_digest" doc:"of the input; only rows with equal ones are comparable"`
	Result string `json:"result_digest,omitempty" doc:"of all answers; of scripts with --verify or --count; absent if inserts failed"`
}

// OpenLoop is the result of a stage whose operations arrive at a fixed rate.
type OpenLoop struct {
	Rate   float64 `json:"rate_mops" doc:"arrivals, in millions per second"`
	Median float64 `json:"response_median_seconds" doc:"from when a batch was due to its end: median"`
	High   float64 `json:"response_p99_seconds" doc:"99th percentile"`
	Most   float64 `json:"response_max_seconds" doc:"longest"`
	Late   uint64  `json:"late_batches" doc:"started after they were due"`
	Lag    float64 `json:"lag_max_seconds" doc:"longest such delay"`
	Behind uint64  `json:"behind" doc:"operations that had arrived, but were not done at the end of the stage"`
}

// Sharing is how several devices shared the measured runs or batches. The first four times are each that of the device
// that took longest; without the overlap, they add up to total_seconds.
type Sharing struct {
	Partition float64 `json:"partition_seconds" doc:"splitting batches by owner"`
	Exchange  float64 `json:"exchange_seconds" doc:"copies to the owners"`
	Operation float64 `json:"operation_seconds" doc:"the operations on the shards"`
	Return    float64 `json:"return_seconds" doc:"copies of answers, and putting them into order"`
	Overlap   float64 `json:"overlap_seconds" doc:"how much of these four overlapped"`
	SkewTime  float64 `json:"skew_of_time" doc:"operation time of the slowest shard by the mean"`
	SkewKeys  float64 `json:"skew_of_keys" doc:"operations of the fullest shard by the mean"`
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
	Values     map[string]any    `json:"values,omitempty" doc:"what done returned"`
	Thresholds []Threshold       `json:"thresholds,omitempty" doc:"the conditions"`
	Size       uint64            `json:"size" doc:"pairs at the end"`
	Load       float64           `json:"load_factor" doc:"size by capacity"`
	TableBytes int64             `json:"table_bytes" doc:"its device memory"`
	Notes      []string          `json:"notes,omitempty" doc:"remarks"`
	Gauges     []schemes.Reading `json:"gauges,omitempty" doc:"with --gauges: at the end of the last phase"`
	Script     float64           `json:"script_seconds" doc:"time of the script itself"`
}

// LeftOut is a scheme that lacks what the run asks for, or that failed. The others ran without it.
type LeftOut struct {
	Scheme string `json:"scheme" doc:"as in the rows"`
	Point  Point  `json:"point,omitempty" doc:"as in the rows"`
	Phase  string `json:"phase,omitempty" doc:"where it ended; earlier rows are kept"`
	Reason string `json:"reason" doc:"what it lacks, or how it failed"`
	Failed bool   `json:"failed,omitempty" doc:"it failed, rather than lacked something"`
	Where  string `json:"where,omitempty" doc:"file and line of the script"`

	Eliminated bool `json:"eliminated,omitempty" doc:"a search dropped it, because others are better"`
}

// Line is the message for people.
func (l LeftOut) Line() string {
	line := l.Scheme + ": " + l.Reason
	switch {
	case l.Eliminated:
		return "eliminated: " + line
	case l.Failed:
		return "failed: " + line
	case l.Phase != "" && l.Where != "":
		line += " (" + l.Where + ")"
	}
	return "left out: " + line
}

// Threshold is a condition that a script puts on its results.
type Threshold struct {
	Condition string `json:"condition" doc:"as in the script"`
	Value     any    `json:"value" doc:"of its left side"`
	Holds     bool   `json:"holds" doc:"it is met"`
}

// End is how a run ended.
type End struct {
	Finished    time.Time `json:"finished" doc:"when the run ended"`
	Interrupted bool      `json:"interrupted,omitempty" doc:"it was stopped early"`
	Error       string    `json:"error,omitempty" doc:"why it failed"`

	Spent      *Spent      `json:"spent,omitempty" doc:"where the time went"`
	Conditions *Conditions `json:"conditions,omitempty" doc:"the machine meanwhile"`
	Seals      []string    `json:"seals,omitempty" doc:"of suites: digests of rows, then the file"`
}

// Whole reports whether the run ended as it should.
func (e End) Whole() bool { return e.Error == "" && !e.Interrupted }

// Why says why the run did not end as it should.
func (e End) Why() string { return lists.Either(e.Error != "", e.Error, "it was interrupted") }

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

// Choice is the answer of a search for the best scheme for a workload.
type Choice struct {
	Goal     string      `json:"goal" doc:"what was asked for"`
	P99      float64     `json:"p99_seconds,omitempty" doc:"the limit for 99 percent of the batches"`
	Command  string      `json:"command,omitempty" doc:"runs the workload on the winner again"`
	Winner   *Candidate  `json:"winner,omitempty" doc:"the best; absent if none meets the constraints"`
	Within   []Candidate `json:"within,omitempty" doc:"those not certainly slower than it"`
	Others   []Candidate `json:"others,omitempty" doc:"the best of each other scheme"`
	Front    []Candidate `json:"front,omitempty" doc:"no other is both smaller and faster"`
	Depends  []Depends   `json:"depends,omitempty" doc:"changes of the workload under which another is certainly faster"`
	Alike    []string    `json:"alike,omitempty" doc:"changes of the workload under which the winner stays"`
	Cannot   []Reason    `json:"cannot,omitempty" doc:"those that cannot do the work or break a constraint"`
	NotTried []Reason    `json:"not_tried,omitempty" doc:"those not measured"`

	Runs     int     `json:"runs" doc:"side-by-side runs"`
	Measured int     `json:"measured" doc:"those measured"`
	Seconds  float64 `json:"seconds" doc:"time of the whole search"`
	Service  float64 `json:"service_seconds" doc:"service time of all batches"`
}

// Candidate is a scheme with its parameters, as measured.
type Candidate struct {
	Scheme       string   `json:"scheme" doc:"as on the command line"`
	Load         float64  `json:"load" doc:"load factor in the end"`
	BytesPerPair float64  `json:"bytes_per_pair" doc:"memory by pairs"`
	Mops         float64  `json:"mops" doc:"the winner's rate times the ratio, since candidates took part in different runs"`
	Ratio        float64  `json:"ratio" doc:"of its rate to the winner's"`
	Low          *float64 `json:"low,omitempty" doc:"its 95 percent interval"`
	High         *float64 `json:"high,omitempty" doc:"its upper end"`
	Same         bool     `json:"same,omitempty" doc:"it certainly differs by less than 2 percent"`
	Hits         float64  `json:"hit_percent,omitempty" doc:"of the lookups, with --maximize hits"`
	P99          float64  `json:"p99_seconds,omitempty" doc:"of the batches' times, with --p99 and at least 100 batches"`
}

// Depends is a change of the workload, and what is faster then.
type Depends struct {
	When   string  `json:"when" doc:"the change, such as load=0.9"`
	Scheme string  `json:"scheme" doc:"what is faster then"`
	Ratio  float64 `json:"ratio" doc:"of its rate to the winner's"`
}

// Reason says why some candidates are not the answer.
type Reason struct {
	Schemes []string `json:"schemes" doc:"the candidates"`
	Why     string   `json:"why" doc:"the reason"`
}

// Conditions are what the machine said about itself while the run went on. What it did not say is absent.
type Conditions struct {
	Samples   int             `json:"samples" doc:"about one a second, between batches"`
	Figures   map[string]Span `json:"figures,omitempty" doc:"cpu_mhz, cpu_celsius, cpu_watts, gpu_mhz, gpu_memory_mhz, gpu_celsius, gpu_watts, and cpu_others: threads of other programs that ran or waited for a CPU"`
	Governor  string          `json:"cpu_governor,omitempty" doc:"of its clock"`
	Throttled map[string]int  `json:"gpu_throttled,omitzero" doc:"why the GPU held back its clocks, and in how many samples; absent if it does not say"`
}

// Span is the range of a figure.
type Span struct {
	Median float64 `json:"median" doc:"of all samples"`
	Least  float64 `json:"least" doc:"the smallest"`
	Most   float64 `json:"most" doc:"the largest"`
}

// Plus is the conditions of two runs together. Medians are those of the longer run.
func (c *Conditions) Plus(more *Conditions) *Conditions {
	if c == nil || more == nil {
		return cmp.Or(c, more)
	}
	if more.Samples > c.Samples {
		c, more = more, c
	}
	sum := Conditions{c.Samples + more.Samples, maps.Clone(c.Figures), cmp.Or(c.Governor, more.Governor), maps.Clone(c.Throttled)}
	for name, s := range more.Figures {
		if was, ok := sum.Figures[name]; ok {
			sum.Figures[name] = Span{was.Median, min(was.Least, s.Least), max(was.Most, s.Most)}
		}
	}
	for why, n := range more.Throttled {
		if sum.Throttled != nil {
			sum.Throttled[why] += n
		}
	}
	return &sum
}

// Weather sums up the states of a machine; nil of none.
func Weather(states []device.State) *Conditions {
	if len(states) == 0 {
		return nil
	}
	c := &Conditions{Samples: len(states), Figures: map[string]Span{}}
	values := map[string][]float64{}
	var governors []string
	for _, s := range states {
		for name, x := range s.Figures {
			values[name] = append(values[name], x)
		}
		if s.Governor != "" {
			governors = lists.Add(governors, s.Governor)
		}
		if s.Throttled != nil && c.Throttled == nil {
			c.Throttled = map[string]int{}
		}
		for _, reason := range s.Throttled {
			c.Throttled[reason]++
		}
	}
	c.Governor = strings.Join(governors, ", then ")
	for name, list := range values {
		slices.Sort(list)
		c.Figures[name] = Span{Median: list[len(list)/2], Least: list[0], Most: list[len(list)-1]}
	}
	return c
}

// Spent says where the time of a run went. What is left of it went to tables, checks and scripts.
type Spent struct {
	Seconds    float64 `json:"seconds" doc:"the whole run"`
	Measured   float64 `json:"measured_seconds" doc:"service time that counts"`
	Unmeasured float64 `json:"unmeasured_seconds" doc:"service time of warm-ups and fills"`
	Rehearsed  float64 `json:"rehearsed_seconds" doc:"rehearsals, which check, count and digest first"`
	Kernels    float64 `json:"kernels_seconds" doc:"compiling and loading kernels for GPUs"`
	Input      float64 `json:"input_seconds" doc:"generating and digesting input"`
	Verified   float64 `json:"verified_seconds,omitempty" doc:"the oracle, rehearsals included"`
}

// Plus adds up what two parts of a run took, apart from the whole.
func (s Spent) Plus(more Spent) Spent {
	s.Measured += more.Measured
	s.Unmeasured += more.Unmeasured
	s.Rehearsed += more.Rehearsed
	s.Kernels += more.Kernels
	s.Input += more.Input
	s.Verified += more.Verified
	return s
}

// Until is Spent of a run that ends now.
func (s Spent) Until(started, now time.Time) *Spent {
	s.Seconds = now.Sub(started).Seconds()
	return &s
}

// String is a line for people.
func (s *Spent) String() string {
	if s == nil || s.Measured <= 0 {
		return ""
	}
	parts := []string{fmt.Sprintf("measured: %s of %s s (%.0f %%)", brief(s.Measured), brief(s.Seconds), 100*s.Measured/s.Seconds)}
	for _, p := range []struct {
		what    string
		seconds float64
	}{{"warm-up and fills", s.Unmeasured}, {"rehearsal", s.Rehearsed}, {"kernels", s.Kernels}, {"input", s.Input}, {"verification", s.Verified}} {
		if p.seconds > 0 {
			parts = append(parts, fmt.Sprintf("%s %s s", p.what, brief(p.seconds)))
		}
	}
	return strings.Join(parts, ", ")
}

func brief(seconds float64) string {
	digits := 1 - int(math.Floor(math.Log10(max(seconds, 1e-3))))
	return fmt.Sprintf("%.*f", min(max(digits, 0), 3), seconds)
}

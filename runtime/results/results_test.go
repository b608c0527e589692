package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
)

// example fills every field of the schema.
func example() Document {
	noise, bytes := 0.0125, 10.0
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	return Document{
		Schema: Schema,
		Run: Run{
			Command: []string{"hashzoo", "bench", "bcht"}, Started: at, Seed: 1<<63 - 1,
			Settings: map[string]string{"bench.n": "1000", "device": "cuda:0"},
			Device:   device.Info{Name: "cuda:0", Model: "NVIDIA H100", Threads: 132, Memory: 80 << 30, Driver: "580", Arch: "sm_90"},
			Host:     Host{Name: "box", OS: "linux", Arch: "amd64", CPUs: 2},
			Build: Build{Version: "v0.1.0", Revision: "abc", Modified: true, Go: "go1.26.0", Compiler: "gcc 12.2.0", Flags: "-tags=cuda",
				ABI: 1, Generators: 2, Digests: 3},
			Script: &Script{Name: "ycsb/a", Source: "-- a script\n", Options: map[string]string{"n": "1000"}},
		},
		Rows: []Row{{
			Scheme: "bcht:bucket=8", Parameters: map[string]string{"bucket": "8"}, Pair: "k4v4", Op: "insert",
			Phase: "steady", Point: Point{"load_factor": 0.8, "keys": "zipfian"}, N: 1000, Batches: 2, Completed: 999, Rate: 499.5,
			Runs: []float64{2e-6, 2e-6}, Seconds: 4e-6, Median: 2e-6, Noise: &noise, Settled: true,
			Open:   &OpenLoop{Rate: 1, Median: 3e-6, High: 4e-6, Most: 5e-6, Late: 1, Lag: 1e-6, Behind: 10},
			Counts: map[string]uint64{"ok": 999, "failed": 1}, PerOp: map[string]float64{"probes": 1.04},
			Phases: []string{"insert"}, Notes: []string{"rebuilt 1 times"}, Compare: "the inputs differ",
			Capacity: 1250, Size: 999, Load: 0.7992, TableBytes: 10000, BytesPerPair: &bytes,
			Keys: "take(unique(n=4294967294, seed=1), count=1000)", Input: "00ff", Result: "11ee",
		}},
		Summaries: []Summary{{
			Scheme: "bcht:bucket=8", Point: Point{"load_factor": 0.8}, Values: map[string]any{"lookups a second": 1e9, "verdict": "good"},
			Thresholds: []Threshold{{Condition: "failed == 0", Value: 1.0, Holds: false}}, Size: 999, Load: 0.7992, TableBytes: 10000, Notes: []string{"slow"}, Script: 0.001,
		}},
		End: End{Finished: at.Add(time.Minute), Interrupted: true, Error: "scheme bcht: ...", Conditions: Weather([]device.State{
			{Figures: map[string]float64{device.GPUClock: 1980, device.CPUWaiting: 0}, Governor: "performance", Throttled: []string{}},
			{Figures: map[string]float64{device.GPUClock: 1755}, Governor: "powersave", Throttled: []string{"power cap"}},
			{Figures: map[string]float64{device.GPUClock: 1965}, Governor: "powersave"},
		})},
	}
}

func lines(t *testing.T, d Document) []byte {
	t.Helper()
	var out bytes.Buffer
	l := json.NewEncoder(&out)
	err := l.Encode(Line{Schema: Schema, Run: &d.Run})
	for _, r := range d.Rows {
		err = errors.Join(err, l.Encode(Line{Row: &r}))
	}
	for _, s := range d.Summaries {
		err = errors.Join(err, l.Encode(Line{Summary: &s}))
	}
	must.OK(t, errors.Join(err, l.Encode(Line{End: &d.End})))
	return out.Bytes()
}

// Written results read back unchanged and match the golden files, so a change that breaks old files shows here.
func TestRoundTrip(t *testing.T) {
	var document bytes.Buffer
	must.OK(t, WriteJSON(&document, example()))
	for path, written := range map[string][]byte{"testdata/document.json": document.Bytes(), "testdata/lines.ndjson": lines(t, example())} {
		must.Golden(t, path, string(written))
		read := must.Get(Read(written))(t)
		must.Match(t, read, example(), path)
	}
}

// A document on one line is not mistaken for NDJSON.
func TestDocumentOnOneLine(t *testing.T) {
	one := strings.ReplaceAll(`{"schema": "hashzoo.results/1", "run": RUN, "rows": [], "end": {"finished": "2026-11-20T12:00:00Z"}}`, "RUN",
		`{"command": [], "started": "2026-11-20T12:00:00Z", "seed": 3, "settings": {}}`)
	d, err := Read([]byte(one))
	must.Hold(t, err == nil && d.Run.Seed == 3, "%+v, %v", d, err)
}

// A file that is cut at any byte is refused; its whole lines are kept.
func TestCutOff(t *testing.T) {
	all := lines(t, example())
	for end := range len(all) - 1 {
		d, err := Read(all[:end])
		must.Need(t, err != nil, "cut at byte %d of %d: no error", end, len(all))
		if whole := bytes.Count(all[:end], []byte("\n")); whole == 2 && len(d.Rows) != 1 {
			t.Fatalf("cut at byte %d: the row is lost: %v", end, err)
		}
	}
	upToEnd := bytes.LastIndexByte(all[:len(all)-1], '\n') + 1
	if _, err := Read(all[:upToEnd]); !errors.Is(err, ErrCutOff) {
		t.Errorf("without its last line: %v", err)
	}
}

func TestInvalidFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "results: ",
		"{}":                             `results: schema is "": this program reads hashzoo.results/1`,
		`{"schema":"hashzoo.results/2"}`: `results: schema is "hashzoo.results/2": this program reads hashzoo.results/1`,
		`{"schema":"hashzoo.results/2","run":{}}` + "\n": `results: schema is "hashzoo.results/2"`,
		`{"colour":1}`:                  `results: line 1: json: unknown field "colour"`,
		"{\n\"colour\":1}":              `results: json: unknown field "colour"`,
		"{\n}{":                         "results: unexpected text after the end",
		"scheme,load\nbcht,0.8\n":       "results: ",
		`{"row":{"colour":1}}` + "\n{}": `results: line 1: json: unknown field "colour"`,
		`{"schema":"hashzoo.results/1","run":{}}` + "\n" + `{"rwo":{}}`: `results: line 2: json: unknown field "rwo"`,
		`{"schema":"hashzoo.results/1","run":{}}` + "\n{}":              "results: line 2 is not a row, summary, left_out or end",
	} {
		must.Begin(t, must.Err(Read([]byte(text))), want, text)
	}
}

func FuzzRead(f *testing.F) {
	var document bytes.Buffer
	must.OK(f, WriteJSON(&document, example()))
	f.Add(document.Bytes())
	f.Add([]byte(`{"schema":"hashzoo.results/1","run":{}}` + "\n" + `{"row":{}}` + "\n" + `{"end":{}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Read(text)
		if err != nil {
			return
		}
		again := lines(t, d)
		must.Say(t, must.Err(Read(again)), "", "written again it does not read", string(again))
	})
}

func TestBuild(t *testing.T) {
	b := ThisBuild()
	must.Hold(t, strings.HasPrefix(b.Go, "go1.") && b.Compiler != "" && b.ABI >= 1 && b.Generators >= 1 && b.Digests >= 1, "%+v", b)
	b.read(&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}, {Key: "-tags", Value: "cuda"},
		{Key: "CGO_CXXFLAGS", Value: "-O2"}, {Key: "CGO_ENABLED", Value: "1"}}})
	must.Hold(t, b.Version == "v1.2.3" && b.Revision == "abc" && b.Modified && b.Flags == "-tags=cuda CGO_CXXFLAGS=-O2", "%+v", b)
}

func TestSpentSaysHowMuchOfARunWasMeasured(t *testing.T) {
	began := time.Unix(100, 0)
	sum := Spent{Measured: 1, Input: 0.25}.Plus(Spent{Measured: 0.5, Rehearsed: 2, Verified: 0.75, Unmeasured: 0.125, Kernels: 0.5})
	const want = "measured: 1.5 of 6.0 s (25 %), warm-up and fills 0.12 s, rehearsal 2.0 s, kernels 0.50 s, input 0.25 s, verification 0.75 s"
	must.Match(t, sum.Until(began, began.Add(6*time.Second)).String(), want)
	must.Match(t, (Spent{}).Until(began, began.Add(time.Second)).String(), "", "a run that measured nothing has the line")
}

func TestParsePublished(t *testing.T) {
	list, err := ParsePublished(`# A remark.

# published: A paper, Table 1,
# second row
scheme,load,column,value,unit
a:x=1,0.5,mops,1234.5,Mop/s

# derived: by the formula of page 3
a,,probes,2,probes per key
`)
	want := []Published{
		{Of: map[string]string{"scheme": "a:x=1", "load": "0.5"}, Column: "mops", Value: 1234.5, Unit: "Mop/s", Source: "published: A paper, Table 1, second row"},
		{Of: map[string]string{"scheme": "a"}, Column: "probes", Value: 2, Unit: "probes per key", Source: "derived: by the formula of page 3"},
	}
	must.Hold(t, err == nil && reflect.DeepEqual(list, want), "%v\n%+v", err, list)
	must.Hold(t, list[0].OfAMachine() && !list[1].OfAMachine(), "a rate is of a machine, probes are not")
	name, relative := (Published{Unit: "times a:x=1"}).Times()
	must.Hold(t, name == "a:x=1" && relative, "relative to %q", name)
}

func TestWrongPublished(t *testing.T) {
	for text, want := range map[string]string{
		"column,value,unit\nmops,1,Mop/s\n":            "2: a figure without a source",
		"# published: a\ncolumn,value\nmops,1\n":       "3: column unit is missing",
		"# published: a\ncolumn,value,unit\nmops,1\n":  "3: 2 cells: the header has 3",
		"# published: a\ncolumn,value,unit\n,1,s\n":    "3: column is empty",
		"# published: a\ncolumn,value,unit\nms,1,\n":   "3: unit is empty",
		"# published: a\ncolumn,value,unit\nms,x,ms\n": `3: value is "x": it takes a number`,
		"# published: a\ncolumn,value,unit\nms,Inf,ms": `3: value is "Inf": it takes a number`,
		"": "1: there is no header",
	} {
		must.Begin(t, must.Err(ParsePublished(text)), want, text)
	}
}

const (
	docs  = "../../docs/running.md"
	begin = "<!-- generated from the Go types: go test ./runtime/results -update -->\n"
)

// The fields of results in docs/running.md match the Go types.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile(docs)
	prose, _, ok := bytes.Cut(page, []byte(begin))
	must.Need(t, err == nil && ok, "%s lacks the line %s: %v", docs, begin, err)
	must.Golden(t, docs, string(prose)+begin+describe(t))
}

// describe writes a list for each struct of the schema.
func describe(t *testing.T) string {
	var text strings.Builder
	todo, done := []reflect.Type{reflect.TypeFor[Document]()}, []reflect.Type(nil)
	for len(todo) > 0 {
		next := todo[0]
		todo = todo[1:]
		if slices.Contains(done, next) {
			continue
		}
		done = append(done, next)
		fmt.Fprintf(&text, "\n### %s\n\n", next.Name())
		for i := range next.NumField() {
			field := next.Field(i)
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			help := field.Tag.Get("doc")
			must.Hold(t, name != "" && help != "", "%s.%s has no json name or no doc", next.Name(), field.Name)
			if options == "omitempty" || options == "omitzero" {
				name += "?"
			}
			fmt.Fprintf(&text, "- `%s`%s: %s\n", name, strings.TrimSuffix(" "+typeName(field.Type, &todo), " text"), help)
		}
	}
	return text.String()
}

// typeName names a Go type in JSON terms and queues structs of the schema.
func typeName(t reflect.Type, todo *[]reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time"
	case t.Kind() == reflect.Pointer:
		return typeName(t.Elem(), todo)
	case t.Kind() == reflect.Slice:
		return typeName(t.Elem(), todo) + "s"
	case t.Kind() == reflect.Map:
		return typeName(t.Elem(), todo) + "s by name"
	case t.Kind() == reflect.Interface:
		return "value"
	case t == reflect.TypeFor[Plot]():
		return "[Plot](lua.md#plots)"
	case t.Kind() == reflect.Struct:
		*todo = append(*todo, t)
		return fmt.Sprintf("[%s](#%s)", t.Name(), strings.ToLower(t.Name()))
	}
	names := map[reflect.Kind]string{reflect.String: "text", reflect.Bool: "boolean", reflect.Float64: "number"}
	return cmp.Or(names[t.Kind()], "integer")
}

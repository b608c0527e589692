package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

func testEnv(t *testing.T) (*Env, *bytes.Buffer) {
	t.Helper()
	env := newEnv()
	var out bytes.Buffer
	env.Out, env.Err = &out, &out
	return env, &out
}

// withSubcommands lists a command and all its subcommands.
func withSubcommands(command *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{command}
	for _, sub := range command.Commands() {
		if command.Name() != "completion" {
			list = append(list, withSubcommands(sub)...)
		}
	}
	return list
}

// docs/schemes.md is the output of a survey on one thread, which is deterministic. In the small tier, the figures of a few
// schemes are compared.
func TestDocsOfSchemes(t *testing.T) {
	const page = "../docs/schemes.md"
	env, out := testEnv(t)
	env.Err = io.Discard // it tells what it compiles
	root := newRoot(env)
	some := lists.Either(testing.Short() && !*must.Update, []string{"1cht", "linear", "slab"}, nil)
	root.SetArgs(append([]string{"survey", "--device", "cpu", "--threads", "1"}, some...))
	must.OK(t, root.Execute())
	if some == nil {
		must.Golden(t, page, out.String())
		return
	}
	_, rows, there := strings.Cut(out.String(), "## What each takes\n\n")
	must.Hold(t, there && strings.Count(rows, "\n") == 2+len(some), "of %v there are the rows\n%s", some, rows)
	want := string(must.Get(os.ReadFile(page))(t))
	for row := range strings.Lines(rows) {
		must.Hold(t, strings.Contains(want, row), "%s lacks the row; make docs writes it anew\n%s", page, row)
	}
}

// Every command describes itself in one line and refuses unexpected arguments. Examples name schemes that exist.
func TestEveryCommand(t *testing.T) {
	named := regexp.MustCompile(`(?m)^  hashzoo.*(?:bench|check|export|--schemes|--step|--base) ([a-z0-9][a-z0-9:=]*)`)
	for _, name := range named.FindAllStringSubmatch(strings.ReplaceAll(helpTexts, "--schemes all", ""), -1) {
		must.Get(schemes.Parse(name[1]))(t)
	}
	env, _ := testEnv(t)
	for _, command := range withSubcommands(newRoot(env))[1:] {
		must.Hold(t, command.Short != "" && !strings.HasSuffix(command.Short, "."), "%s: its line in the help is %q", command.Name(), command.Short)
		must.Hold(t, command.RunE != nil || command.Run != nil, "%s does nothing", command.Name())
		err := command.Help()
		must.Hold(t, err == nil, "%v", err)
	}
}

// A comparison tells users to repeat runs by commands that can.
func TestRepeatingCommands(t *testing.T) {
	env, _ := testEnv(t)
	for _, command := range withSubcommands(newRoot(env)) {
		takes := command.Flags().Lookup("processes") != nil
		must.Hold(t, takes == slices.Contains(analysis.Repeating, command.Name()),
			"%s takes --processes: %v; analysis.Repeating has %v", command.Name(), takes, analysis.Repeating)
	}
}

// The terminal interface takes the flags of run, apart from those that have no meaning there.
func TestTUITakesTheFlagsOfRun(t *testing.T) {
	env, _ := testEnv(t)
	tui := newTUICommand(env)
	newRunCommand(env).Flags().VisitAll(func(f *pflag.Flag) {
		takes := tui.Flags().Lookup(f.Name) != nil
		must.Hold(t, takes != slices.Contains(outsideFlags, f.Name), "tui takes --%s: %v", f.Name, takes)
	})
}

// A run that goes on is told of the first signal, and the second one ends its context.
func TestSecondSignal(t *testing.T) {
	ctx, first := context.WithCancel(t.Context())
	told := make(chan struct{})
	inner, end := patient(ctx, func() { close(told) })
	defer end()
	first()
	if bounded.Wait(t, told); inner.Err() != nil {
		t.Error("the first signal ends it")
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	bounded.Wait(t, inner.Done())
}

// Every compiled kernel of a scheme belongs to a variant that `schemes` shows.
func TestVariantsAreAll(t *testing.T) {
	shown := map[string]bool{}
	for _, s := range schemes.All() {
		for _, v := range variants(s) {
			shown["hz_"+v.Name+"_"+v.Pair] = v.CPU
		}
	}
	for _, name := range kernels.HostNames() {
		variant, _, ok := strings.Cut(name, "_k4v4_")
		must.Hold(t, !ok || shown[variant+"_k4v4"], "kernel %s is of no variant that is shown", name)
	}
}

func TestWrap(t *testing.T) { must.Match(t, wrap("one two  three four", 9), "one two\nthree\nfour") }

func TestRemaining(t *testing.T) {
	for _, c := range []struct {
		took time.Duration
		done float64
		want string
	}{{0, 0, ""}, {time.Minute, 0, ""}, {time.Millisecond, 0.5, ""}, {10 * time.Second, 0.25, ", about 30s left"}, {time.Minute, 0.5, ", about 1m0s left"}} {
		have := remaining(c.took, c.done)
		must.Hold(t, have == c.want, "after %v, %v done: %q, want %q", c.took, c.done, have, c.want)
	}
}

func TestMachineWarnings(t *testing.T) {
	const cpufreq = "sys/devices/system/cpu/cpu0/cpufreq/scaling_"
	for _, c := range []struct {
		running, governor, driver string
		threads                   int
		want                      string
	}{
		{"1", "performance", "acpi-cpufreq", 4, ""},
		{"3", "performance", "acpi-cpufreq", 4, "this machine is busy: beside this run's 4 threads, 2 others run on its 4 CPUs"},
		{"3", "performance", "acpi-cpufreq", 2, ""}, // there is room for both
		{"1", "powersave", "acpi-cpufreq", 4, "the CPU governor is powersave"},
		{"1", "powersave", "intel_pstate", 4, ""},
		{"9", "conservative", "acpi-cpufreq", 4, "busy; the CPU governor is conservative"},
	} {
		root := fstest.MapFS{
			"proc/stat":          {Data: []byte("cpu 1 2 3\nprocs_running " + c.running + "\nprocs_blocked 0\n")},
			"proc/cpuinfo":       {Data: []byte(strings.Repeat("processor\t: 0\nmodel name\t: a\n\n", 4))},
			cpufreq + "governor": {Data: []byte(c.governor + "\n")},
			cpufreq + "driver":   {Data: []byte(c.driver + "\n")},
		}
		got := strings.Join(machineWarnings(root, c.threads, running(root)-1), "; ")
		for part := range strings.SplitSeq(c.want, "; ") {
			must.Hold(t, strings.Contains(got, part) && (c.want != "" || got == ""), "%+v: %q", c, got)
		}
	}
	if got := machineWarnings(fstest.MapFS{}, 2, -1); len(got) > 0 {
		t.Errorf("where nothing is known: %v", got)
	}
}

func TestPictureOf(t *testing.T) {
	for results, want := range map[string]string{"r.json": "r.svg", "a/b.c.ndjson": "b.c.svg", "a.json,b.json": "a.svg", "good/": "good.svg", ".": "plot.svg", "..": "plot.svg", "/": "plot.svg"} {
		must.Match(t, pictureOf(results), want, results)
	}
}

// The line says how fast a batch was beside the row of the baseline that it belongs to.
func TestProgressBesideABaseline(t *testing.T) {
	var out bytes.Buffer
	w := newWatcher(t.Context(), &Env{Err: &out}, false, false)
	pair := schemes.Pair{Key: 4, Value: 4}
	before := results.Row{Scheme: "bcht", Pair: pair.String(), Op: "find", Point: results.Point{"load_factor": 0.8, "present": 1.0}, Rate: 4}
	w.base, w.row = analysis.Side{Files: []analysis.File{{Document: results.Document{Rows: []results.Row{before}}}}}.Rates(), benchRow
	w.onEvent(run.PointBegan{Of: 1, Point: run.Point{{Name: "load", Value: 0.8}}, Schemes: []string{"bcht"}, Shapes: []schemes.Shape{{Pair: pair}}})
	counts := schemes.NewCounts()
	counts.Set("ok", 1000)
	for _, phase := range []string{"find 100 %", "find 50 %"} {
		w.line.shown = time.Now().Add(-2 * linePeriod)
		w.onEvent(run.Measured{Phase: phase, Sample: engine.Sample{Op: "find", N: 1000, Counts: counts, Service: 500 * time.Microsecond}, Done: -1})
	}
	text := out.String()
	must.Hold(t, strings.Count(text, "(0.50 of the baseline)") == 1 && strings.Count(text, "bcht find 2.0 Mop/s") == 2, "%q", text)
}

// Off a terminal there is a line now and then, without control characters, unless --quiet.
func TestProgressOffATerminal(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		var out bytes.Buffer
		p := newProgress(t.Context(), &Env{Err: &out}, quiet)
		p.say(func() string { return "too early" })
		p.shown = time.Now().Add(-2 * linePeriod)
		p.say(func() string { return "a\x1b]0;evil\a line" })
		p.say(func() string { return "too early again" })
		p.end()
		if want := "a?]0;evil? line\n"; !quiet && out.String() != want || quiet && out.Len() > 0 {
			t.Errorf("quiet %v: %q", quiet, out.String())
		}
	}
}

// A file that is read says how far it is.
func TestProgressOfReading(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(t.Context(), &Env{Err: &out}, false)
	p.shown = time.Now().Add(-2 * linePeriod)
	p.reading("trips.csv", 0.43)
	p.end()
	must.Match(t, out.String(), "reading trips.csv: 43 %\n")
}

func TestValuesText(t *testing.T) {
	var values []any
	for i := range 30 {
		values = append(values, float64(i))
	}
	must.Match(t, valuesText(values[:3]), "0, 1, 2")
	must.Match(t, valuesText(values), "0, 1, 2, 3, 4, ..., 27, 28, 29")
}

package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/sys/unix"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// The cost of the terminal interface: the same runs with it, on a terminal that discards its
// output, and with run --quiet, in turns.
//
//	go test ./cli -run '^$' -bench TUI -benchtime 30x
//
// ratio is the rate with the interface over the rate without it: the median over all pairs of
// runs, with quartiles. Pairs during which other programs used the processor are left out.
// core-% is the processor time beyond that of run --quiet, in percent of one core, beside a run
// that is mostly idle.

// busy is a script that uses all cores all the time.
const busy = `-- Lookups
shape = { n = 200000, load = 0.8 }
stages = { batches = 240 }
local keys = gen.keys{ seed = 1 }:take(200000)
function prepare(t) t:insert(keys, 1) end
function event(t) t:find(keys) end
`

// idle is a script with rare operations.
const idle = `-- Some lookups
shape = { n = 2000, load = 0.8 }
stages = { duration = 4, rate = 5e3 }
local keys = gen.keys{ seed = 1 }:take(1000)
function prepare(t) t:insert(keys, 1) end
function event(t) t:find(keys) end
`

func BenchmarkTUI(b *testing.B) {
	p := newProgram(b)
	for _, hz := range []string{"5", "10"} {
		b.Run("ratio/hz="+hz, func(b *testing.B) { p.ratio(b, hz) })
	}
	b.Run("idle", func(b *testing.B) {
		var costs []float64
		for b.Loop() {
			_, alone := p.run(b, "idle.lua", "bcht")
			_, watched := p.tui(b, "idle.lua", "bcht", "5")
			costs = append(costs, 100*(watched-alone))
		}
		reportQuartiles(b, costs, "core-%")
	})
}

// reportQuartiles reports the median of values, and their quartiles.
func reportQuartiles(b *testing.B, values []float64, unit string) {
	all := stats.Sample{Xs: values}
	b.ReportMetric(all.Quantile(0.5), unit)
	b.ReportMetric(all.Quantile(0.25), unit+"-lower-quartile")
	b.ReportMetric(all.Quantile(0.75), unit+"-upper-quartile")
}

// ratio measures the ratio of the rates at a number of snapshots a second.
func (p program) ratio(b *testing.B, hz string) {
	var ratios []float64
	out := 0
	for pair := 0; b.Loop(); pair++ {
		before, began := others(b), time.Now()
		list := p.pair(b, hz, pair%2 == 0)
		if others(b)-before > fewOthers*time.Since(began).Seconds() {
			out++
			continue
		}
		ratios = append(ratios, list...)
	}
	b.ReportMetric(float64(out), "left-out")
	if len(ratios) == 0 {
		b.Fatal("other programs used the processor all the time")
	}
	reportQuartiles(b, ratios, "ratio")
}

// fewOthers is the part of a core that other programs may use.
const fewOthers = 0.1

// others is the processor time, in seconds, of all programs but this one and its children.
func others(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		b.Skip("no /proc/stat, which tells what other programs use: ", err)
	}
	var busy, ticks float64
	fields := strings.Fields(strings.SplitN(string(text), "\n", 2)[0]) // cpu user nice system idle iowait irq ...
	for i, field := range fields[1:9] {
		if _, err := fmt.Sscan(field, &ticks); err == nil && i != 3 && i != 4 {
			busy += ticks / 100
		}
	}
	for _, whose := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		must.OK(b, syscall.Getrusage(whose, &u))
		busy -= float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	return busy
}

// program runs hashzoo in a folder with the scripts.
type program struct{ folder string }

func newProgram(b *testing.B) program {
	p := program{b.TempDir()}
	for name, text := range map[string]string{"busy.lua": busy, "idle.lua": idle} {
		must.OK(b, os.WriteFile(p.path(name), []byte(text), 0o644))
	}
	return p
}

func (p program) path(name string) string { return filepath.Join(p.folder, name) }

func (p program) command(b *testing.B, name, script, schemes string, flags ...string) *exec.Cmd {
	c := bounded.Command(b, "hashzoo", append([]string{name, script, "--schemes", schemes, "--threads", "2", "--json", "out.json"}, flags...)...)
	c.Dir, c.Env = p.folder, append(os.Environ(), "TERM=xterm-256color")
	return c
}

// pair returns the ratio of the rates of each scheme. The order of the two runs alternates:
// on a machine that becomes slower, the second is at a disadvantage.
func (p program) pair(b *testing.B, hz string, first bool) (ratios []float64) {
	const schemes = "bcht,dycuckoo,stash"
	var alone, watched []float64
	if first {
		watched, _ = p.tui(b, "busy.lua", schemes, hz)
	}
	alone, _ = p.run(b, "busy.lua", schemes)
	if !first {
		watched, _ = p.tui(b, "busy.lua", schemes, hz)
	}
	for i := range alone {
		ratios = append(ratios, watched[i]/alone[i])
	}
	return ratios
}

// run returns the rates of finds, and the cores used.
func (p program) run(b *testing.B, script, schemes string) ([]float64, float64) {
	began := time.Now()
	c := p.command(b, "run", script, schemes, "--quiet")
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return p.rates(b), cores(c, began)
}

// tui returns the same of a run with the interface, on a large terminal.
func (p program) tui(b *testing.B, script, schemes, hz string) ([]float64, float64) {
	_ = os.Remove(p.path("out.json"))
	screen, terminal, err := openTerminal(200)
	must.OK(b, err)
	defer screen.Close()
	must.OK(b, unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 60, Col: 200}))
	began := time.Now()
	c := p.command(b, "tui", script, schemes, "--rate", hz)
	c.Stdin, c.Stdout, c.Stderr = terminal, terminal, terminal
	must.OK(b, c.Start())
	terminal.Close()
	go io.Copy(io.Discard, screen)
	for !p.written() && time.Since(began) < time.Minute {
		time.Sleep(100 * time.Millisecond)
	}
	ended := time.Since(began)
	if _, err := screen.WriteString("q"); err != nil {
		b.Fatal(err)
	}
	must.OK(b, c.Wait())
	return p.rates(b), cores(c, time.Now().Add(-ended))
}

// written reports whether the run has written its results, as it does at its end.
func (p program) written() bool {
	info, err := os.Stat(p.path("out.json"))
	return err == nil && info.Size() > 0
}

func (p program) rates(b *testing.B) (rates []float64) {
	file, err := os.Open(p.path("out.json"))
	must.OK(b, err)
	defer file.Close()
	var d results.Document
	must.OK(b, json.NewDecoder(file).Decode(&d))
	for _, r := range d.Rows {
		if r.Op == "find" {
			rates = append(rates, r.Rate)
		}
	}
	return rates
}

// cores is the processor time of a program divided by the time it took.
func cores(c *exec.Cmd, began time.Time) float64 {
	took := time.Since(began)
	used := c.ProcessState.SysUsage().(*syscall.Rusage)
	return float64(used.Utime.Nano()+used.Stime.Nano()) / float64(took)
}

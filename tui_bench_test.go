package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hashzoo/hashzoo/runtime/results"
)

// What the terminal interface costs those whom it shows: the same runs with it, on a
// terminal whose screen nobody reads, and with run --quiet, one after the other.
//
//	go test . -run '^$' -bench TUI -benchtime 30x
//
// The metric ratio is of the rates, the median over all pairs of runs: 1 is no cost. A pair in
// which other programs used the processor does not count, and is left out. The
// metric core-% is the processor time beyond that of run --quiet, in percent of one core,
// while there is little else to do.

// busy is what leaves the processor no rest.
const busy = `-- Lookups
shape = { n = 200000, load = 0.8 }
stages = { batches = 240 }
local keys = gen.keys{ seed = 1 }:take(200000)
function prepare(t) t:insert(keys, 1) end
function event(t) t:find(keys) end
`

// idle is operations that come rarely.
const idle = `-- Some lookups
shape = { n = 2000, load = 0.8 }
stages = { duration = 4, rate = 5e3 }
local keys = gen.keys{ seed = 1 }:take(1000)
function prepare(t) t:insert(keys, 1) end
function event(t) t:find(keys) end
`

func BenchmarkTUI(b *testing.B) {
	p := program(b)
	for _, hz := range []string{"5", "10"} {
		b.Run("ratio/hz="+hz, func(b *testing.B) { p.ratio(b, hz) })
	}
	b.Run("idle", func(b *testing.B) {
		least := math.Inf(1)
		for b.Loop() {
			_, alone := p.run(b, "idle.lua", "bcht")
			_, watched := p.tui(b, "idle.lua", "bcht", "5")
			least = min(least, watched-alone)
		}
		b.ReportMetric(100*least, "core-%")
	})
}

// ratio measures the rates when the run is looked at so many times a second.
func (p built) ratio(b *testing.B, hz string) {
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
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
	b.ReportMetric(ratios[len(ratios)/4], "lower-quartile")
	b.ReportMetric(ratios[len(ratios)*3/4], "upper-quartile")
}

// fewOthers is how much of a core other programs may use.
const fewOthers = 0.1

// others is the processor time, in seconds, of all programs but this one and those that it
// has waited for.
func others(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		b.Skip("no /proc/stat to see in what other programs do: ", err)
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
		if err := syscall.Getrusage(whose, &u); err != nil {
			b.Fatal(err)
		}
		busy -= float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	return busy
}

// built is the program, in a folder with the scripts.
type built struct{ folder string }

func program(b *testing.B) built {
	p := built{b.TempDir()}
	build := exec.Command("go", "build", "-o", p.path("hashzoo"), ".")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for name, text := range map[string]string{"busy.lua": busy, "idle.lua": idle} {
		if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return p
}

func (p built) path(name string) string { return filepath.Join(p.folder, name) }

func (p built) command(name, script, schemes string, flags ...string) *exec.Cmd {
	c := exec.Command(p.path("hashzoo"), append([]string{name, script, "--schemes", schemes, "--threads", "2", "--json", "out.json"}, flags...)...)
	c.Dir, c.Env = p.folder, append(os.Environ(), "TERM=xterm-256color")
	return c
}

// pair is the ratios of the rates of each scheme. Which of the two runs is the first
// alternates, for a machine that becomes slower would be to the disadvantage of the second.
func (p built) pair(b *testing.B, hz string, first bool) (ratios []float64) {
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

// run gives the rates of finds, and how much of a core was used.
func (p built) run(b *testing.B, script, schemes string) ([]float64, float64) {
	began := time.Now()
	c := p.command("run", script, schemes, "--quiet")
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return p.rates(b), cores(c, began)
}

// tui gives the same of a run that is watched, on a large terminal.
func (p built) tui(b *testing.B, script, schemes, hz string) ([]float64, float64) {
	_ = os.Remove(p.path("out.json"))
	screen, terminal, err := openTerminal(200)
	if err != nil {
		b.Fatal(err)
	}
	defer screen.Close()
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 60, Col: 200}); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	c := p.command("tui", script, schemes, "--rate", hz)
	c.Stdin, c.Stdout, c.Stderr = terminal, terminal, terminal
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	terminal.Close()
	go io.Copy(io.Discard, screen)
	for !p.written() && time.Since(began) < time.Minute {
		time.Sleep(100 * time.Millisecond)
	}
	ended := time.Since(began)
	if _, err := screen.WriteString("q"); err != nil {
		b.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		b.Fatal(err)
	}
	return p.rates(b), cores(c, time.Now().Add(-ended))
}

// written says whether the results are there, which are written when the run ends.
func (p built) written() bool {
	info, err := os.Stat(p.path("out.json"))
	return err == nil && info.Size() > 0
}

func (p built) rates(b *testing.B) (rates []float64) {
	file, err := os.Open(p.path("out.json"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	d, err := results.Read(file)
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range d.Rows {
		if r.Op == "find" {
			rates = append(rates, r.Rate)
		}
	}
	return rates
}

// cores is the processor time of a program that has ended, divided by the time it took.
func cores(c *exec.Cmd, began time.Time) float64 {
	took := time.Since(began)
	used := c.ProcessState.SysUsage().(*syscall.Rusage)
	return float64(used.Utime.Nano()+used.Stime.Nano()) / float64(took)
}

package tui

import (
	"context"
	"io"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// BenchmarkView measures drawing a screen.
func BenchmarkView(b *testing.B) {
	for _, on := range inRun {
		b.Run(panes[on].name, func(b *testing.B) {
			s := withRun(b, 200, 60, fakeRun{schemes: allSchemes})
			s.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
			s.m.show(on)
			b.ReportAllocs()
			for b.Loop() {
				s.painted()
			}
		})
	}
}

// BenchmarkRedraw measures the processor time of a redraw, bubbletea included, on a large screen
// with many schemes, all of which have changed; %core is at the usual rate.
func BenchmarkRedraw(b *testing.B) {
	for _, on := range inRun {
		b.Run(panes[on].name, func(b *testing.B) {
			p := redrawing(b, on)
			var spent time.Duration
			for b.Loop() {
				before := processorTime(b)
				p.Send(ticked{})
				time.Sleep(50 * time.Millisecond)
				spent += processorTime(b) - before
			}
			each := spent.Seconds() / float64(b.N)
			b.ReportMetric(1e3*each, "ms-of-core/redraw")
			b.ReportMetric(100*each/paced(200, 60).Seconds(), "%core")
			p.Quit()
			bounded.WaitAll(b, p)
		})
	}
}

// paced is the time between redraws of a screen of that size, at the usual rate.
func paced(w, h int) time.Duration {
	m := Model{period: time.Second / usualHz, w: w, h: h}
	return m.pace()
}

// A small screen is drawn at the usual rate, a large one as much less often as it is larger.
func TestPace(t *testing.T) {
	for size, want := range map[[2]int]time.Duration{{0, 0}: 200, {80, 24}: 200, {80, 60}: 200, {140, 44}: 256, {200, 60}: 500} {
		if got := paced(size[0], size[1]); got.Milliseconds() != int64(want) {
			t.Errorf("%v: every %v", size, got)
		}
	}
}

// redrawing returns a program that shows a screen, with another snapshot at each tick.
func redrawing(b *testing.B, on screen) *tea.Program {
	host := &fakeHost{run: fakeRun{schemes: allSchemes, ops: []string{"find", "update"}, elapsed: 31 * time.Second}}
	m := must.Get(newModel(context.Background(), host, Options{Choice: &Choice{}, Theme: "dark", Hz: 1e-3}))(b)
	m.screen, m.w, m.h = on, 200, 60
	for i := range 20 {
		run := host.run
		run.elapsed += time.Duration(i) * time.Second / usualHz
		host.session.prepared = append(host.session.prepared, run.snapshot(m.wanted()))
	}
	p := tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithFPS(framesPerSecond), tea.WithWindowSize(200, 60),
		tea.WithColorProfile(colorprofile.TrueColor), tea.WithoutSignals(), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	go func() { _, _ = p.Run() }()
	p.Send(tea.WindowSizeMsg{Width: 200, Height: 60})
	return p
}

// processorTime is the processor time of this process.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	must.OK(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// betweens is a session that notes how it is asked for the time between two batches.
type betweens struct {
	*stage
	terminal strings.Builder
	asked    []context.Context
	left     int
	drawn    int // what was on the terminal when it was left last
}

func withBetweens(t *testing.T) *betweens {
	b := &betweens{stage: withRun(t, 100, 30, fakeRun{schemes: fewSchemes})}
	b.m.outlet = newOutlet(&b.terminal)
	b.setUp()
	b.m.Update(overwritten{})
	b.host.session.between = func(ctx context.Context) func() {
		b.asked = append(b.asked, ctx)
		return func() { b.left, b.drawn = b.left+1, b.terminal.Len() }
	}
	return b
}

// setUp is what the library writes at first.
func (b *betweens) setUp() { _, _ = b.m.outlet.Write([]byte(ansi.SetModeAltScreenSaveCursor)) }

// later makes the next snapshot another one.
func (b *betweens) later() { b.host.session.run.elapsed += time.Second }

// When the clock ticks, nothing is drawn: a look waits until no batch runs, but not for ever.
// The next batch then waits until what was seen is on the screen.
func TestDrawnBetweenBatches(t *testing.T) {
	b := withBetweens(t)
	before := b.terminal.Len()
	b.later()
	_, cmd := b.m.Update(ticked{})
	if b.terminal.Len() != before {
		t.Error("drawn before there was anything new")
	}
	b.do(cmd)
	if len(b.asked) != 1 || b.left != 1 {
		t.Fatalf("asked %d times, left %d times", len(b.asked), b.left)
	}
	if until, ok := b.asked[0].Deadline(); !ok || time.Until(until) > patience {
		t.Errorf("waits until %v", until)
	}
	if b.drawn == before || b.drawn != b.terminal.Len() {
		t.Error("left before it was on the screen")
	}
}

// A key that wants another look does not wait for a batch, not even if there is a look that
// does.
func TestKeysDoNotWait(t *testing.T) {
	b := withBetweens(t)
	_, cmd := b.m.Update(ticked{})
	b.m.Update(pressed("2"))
	b.do(cmd)
	if len(b.asked) != 2 || b.asked[0].Err() == nil || b.asked[1].Err() == nil {
		t.Errorf("looks wait: %v", b.asked)
	}
	if b.m.latest.View != b.m.look(b.m.bins()) {
		t.Error("what was pressed is not seen")
	}
}

// What was seen of a run that is shown no more holds up nobody.
func TestFormerRunIsNotHeldUp(t *testing.T) {
	b := withBetweens(t)
	b.m.Update(sampled{b.m.run - 1, nil, func() { b.left++ }})
	if b.left != 1 {
		t.Error("it waits")
	}
}

// A run begins when it is on the screen: not before it is known how large that is, and not
// before there is one.
func TestRunBeginsWhenItIsShown(t *testing.T) {
	h := &fakeHost{run: fakeRun{schemes: fewSchemes}}
	choice := h.Catalog().Default
	m, err := newModel(t.Context(), h, Options{Choice: &choice})
	if err != nil {
		t.Fatal(err)
	}
	b := &betweens{stage: &stage{t: t, m: m, host: h}}
	m.outlet = newOutlet(&b.terminal)
	b.look()
	b.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	if h.session.begun != 0 || b.terminal.Len() != 0 {
		t.Error("it began, or was drawn, before there was a screen")
	}
	b.setUp()
	if b.m.Update(m.listen()()); h.session.begun == 0 || !strings.Contains(b.terminal.String(), fewSchemes[0]) {
		t.Error("it did not begin, or was not drawn, when there was one")
	}
}

// A terminal that is never set up, as far as one knows, stops no run.
func TestRunBeginsWithoutAScreen(t *testing.T) {
	s := withRun(t, 100, 30, fakeRun{schemes: fewSchemes})
	if s.send(ticked{}); s.host.session.begun == 0 {
		t.Error("it waits")
	}
}

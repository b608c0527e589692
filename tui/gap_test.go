package tui

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// betweens is a session that notes how it is asked for the time between two batches.
type betweens struct {
	*stage
	asked []context.Context
	left  int
}

func withBetweens(t *testing.T) *betweens {
	b := &betweens{stage: withRun(t, 100, 30, fakeRun{schemes: fewSchemes})}
	b.drawn()
	b.host.session.between = func(ctx context.Context) func() {
		b.asked = append(b.asked, ctx)
		return func() { b.left++ }
	}
	return b
}

// drawn draws, and brings it to the screen.
func (b *betweens) drawn() {
	b.m.View()
	b.m.outlet.wrote()
}

// later makes the next snapshot another one.
func (b *betweens) later() { b.host.session.run.elapsed += time.Second }

// When the clock ticks, nothing is drawn: a look waits until no batch runs, but not for ever.
// The next batch then waits until what was seen is on the screen.
func TestDrawnBetweenBatches(t *testing.T) {
	b := withBetweens(t)
	before := b.m.View().Content
	b.later()
	_, cmd := b.m.Update(ticked{})
	if b.m.View().Content != before {
		t.Error("drawn before there was anything new")
	}
	b.do(cmd)
	if len(b.asked) != 1 || b.left != 0 {
		t.Fatalf("asked %d times, left %d times", len(b.asked), b.left)
	}
	if until, ok := b.asked[0].Deadline(); !ok || time.Until(until) > patience {
		t.Errorf("waits until %v", until)
	}
	if b.m.View().Content == before || b.left != 0 {
		t.Error("not drawn, or left before it was on the screen")
	}
	var terminal bytes.Buffer
	if _, err := b.m.outlet.to(&terminal).Write([]byte("frame")); err != nil || terminal.String() != "frame" || b.left != 1 {
		t.Errorf("%v, %q, left %d times", err, terminal.String(), b.left)
	}
	if _, err := b.m.outlet.to(&terminal).Write([]byte("more")); err != nil || b.left != 1 {
		t.Errorf("%v, left %d times", err, b.left)
	}
}

// If the screen is the same as before, nothing is written, and nobody waits for it.
func TestNothingToDraw(t *testing.T) {
	b := withBetweens(t)
	b.keys("space")
	b.drawn()
	b.look()
	b.drawn()
	left := b.left
	b.send(ticked{})
	b.m.View()
	if b.left != left+1 {
		t.Error("the run waits for a screen on which nothing has changed")
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
	if b.m.View(); b.left != 1 {
		t.Error("it waits")
	}
}

// A run begins when it is on the screen: not before it is known how large that is, and not
// before what is drawn is out.
func TestRunBeginsWhenItIsShown(t *testing.T) {
	h := &fakeHost{run: fakeRun{schemes: fewSchemes}}
	choice := h.Catalog().Default
	m, err := newModel(t.Context(), h, Options{Choice: &choice})
	if err != nil {
		t.Fatal(err)
	}
	look := m.sample()
	m.Update(look())
	if m.View(); h.session.begun != 0 {
		t.Error("it began before there was a screen")
	}
	_, look = m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	m.View()
	m.Update(look())
	if m.View(); h.session.begun != 0 {
		t.Error("it began before it was on the screen")
	}
	if _, err := m.outlet.to(io.Discard).Write([]byte("frame")); err != nil || h.session.begun == 0 {
		t.Errorf("%v; it did not begin when it was on the screen", err)
	}
	before := h.session.begun
	m.Update(ticked{}) // a screen may be the one that was there before, and is not written then
	if h.session.begun == before {
		t.Error("it waits for ever for a screen that is not written")
	}
}

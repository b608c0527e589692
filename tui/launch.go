package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// launch starts a run, after the one that goes on has ended.
func (m *Model) launch(choice Choice) tea.Cmd {
	if m.begun {
		m.say("a run is being started")
		return nil
	}
	m.begun = true
	m.say("starting")
	before, ctx, host := m.session, m.ctx, m.host
	m.launches.Add(1)
	return func() tea.Msg {
		defer m.launches.Done()
		if before != nil {
			before.Stop()
			untilEnded(ctx, before)
		}
		if ctx.Err() != nil {
			return launched{err: ctx.Err()}
		}
		session, err := host.Start(choice)
		if err == nil && ctx.Err() != nil {
			session.Stop()
		}
		return launched{session: session, choice: choice, err: err}
	}
}

// untilEnded waits until a session that was told to stop has.
func untilEnded(ctx context.Context, session Session) {
	for ctx.Err() == nil && session.Snapshot(live.View{Columns: 1}).State != live.Ended {
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// attach shows a run that was started, or why it was not.
func (m *Model) attach(msg launched) tea.Cmd {
	m.begun = false
	if msg.err != nil {
		m.message, m.form.failure = message{}, msg.err
		if m.screen != onStart {
			m.complain(msg.err)
		}
		return nil
	}
	m.session, m.choice = msg.session, msg.choice
	m.run++
	m.latest, m.scene = nil, scene{}
	m.frozen, m.expanded, m.op, m.view.baseline, m.selected = false, false, "", 0, 0
	m.looking = false
	m.message, m.form.failure = message{}, nil
	if m.screen == onStart {
		m.screen = onOverview
	}
	m.refresh()
	return m.sample()
}

// leave ends what goes on when nobody looks any more.
func (m *Model) leave() {
	m.cancel()
	m.launches.Wait()
	if m.session != nil {
		m.session.Stop()
	}
}

package tui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"

	"github.com/hashzoo/hashzoo/workloads/live"
)

// launch starts a run after the current one has ended.
func (m *Model) launch(choice Choice) {
	if m.launching {
		m.say("a run is already starting")
		return
	}
	m.launching = true
	m.say("starting")
	before, ctx, host := m.session, m.ctx, m.host
	m.launches.Add(1)
	m.start(func() tea.Msg {
		defer m.launches.Done()
		if before != nil {
			before.Stop()
			until(ctx, before, live.Ended)
		}
		if ctx.Err() != nil {
			return launched{err: ctx.Err()}
		}
		session, err := host.Start(choice)
		if err == nil && ctx.Err() != nil {
			session.Stop()
		}
		return launched{session, choice, err}
	})
}

func until(ctx context.Context, session Session, states ...live.State) {
	for ctx.Err() == nil && !slices.Contains(states, session.Snapshot(live.View{Columns: 1}).State) {
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// attach shows a run that has started, or why it could not start.
func (m *Model) attach(msg launched) {
	m.launching = false
	if msg.err != nil {
		m.message, m.form.failure = message{}, msg.err
		if m.screen != onStart {
			m.complain(msg.err)
		}
		return
	}
	m.session, m.choice = msg.session, msg.choice
	m.run++
	m.latest, m.Snapshot = nil, nil
	m.frozen, m.expanded, m.op, m.view.baseline, m.selected = false, false, "", 0, 0
	m.looking, m.suspended = false, false
	m.message = message{}
	m.form.preset(msg.choice)
	if m.screen == onStart {
		m.screen = onOverview
	}
}

func (m *Model) leave() {
	m.cancel()
	m.launches.Wait()
	if m.session != nil {
		m.session.Stop()
	}
}

// suspend stops the process, as Ctrl-Z does. It pauses the run first, so that no batch is timed across the stop.
func (m *Model) suspend() {
	if session, err := unix.Getsid(0); err != nil || session == unix.Getpid() {
		m.complain(errors.New("no shell to suspend to"))
		return
	}
	if m.latest == nil || m.latest.State != live.Running {
		m.start(tea.Suspend)
		return
	}
	m.suspended = true
	session, ctx := m.session, m.ctx
	session.Pause(true)
	m.start(func() tea.Msg {
		until(ctx, session, live.Paused, live.Ended)
		return tea.SuspendMsg{}
	})
}

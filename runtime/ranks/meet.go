package ranks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// Options say how the ranks of a job meet, and what each of them has.
type Options struct {
	Place
	Rendezvous string        // a path, tcp://host:port, or empty
	Wait       time.Duration // for the others
	// Open opens the device of this rank.
	Open func(kind string, opt device.Options) (device.Device, error)
	// Library is better than TCP, or nil, for devices of a kind; Missing says why it is not there.
	Library func(kind string) (library device.Library, missing error)
	// Ended ends the process with a line, when a rank is gone and the run does not end by itself.
	Ended func(error)
}

// Mesh is this rank's connections to all others.
type Mesh struct {
	Options
	secret  string
	control []*link // on rank 0: to each rank; on others: to rank 0
	data    []*link
	local   *site
	state
}

// build is what has to be the same on all ranks: kernels and commands have no other version.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.String()
}

// Meet waits for the other ranks of the job.
func Meet(ctx context.Context, opt Options) (*Mesh, error) {
	m := &Mesh{Options: opt, control: make([]*link, opt.Ranks), data: make([]*link, opt.Ranks)}
	m.lost = make(chan struct{})
	r, err := opt.meetAt(opt.Rendezvous)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, opt.Wait)
	defer cancel()
	if opt.Rank == 0 {
		err = m.gather(ctx, &r)
	} else {
		err = m.join(ctx, &r)
	}
	if err != nil {
		m.hangUp()
		return nil, err
	}
	m.local = &site{rank: opt.Rank, data: m.data}
	return m, nil
}

func (m *Mesh) hangUp() {
	for _, l := range append(append([]*link{}, m.control...), m.data...) {
		if l != nil {
			_ = l.Close()
		}
	}
}

// gather is the side of rank 0.
func (m *Mesh) gather(ctx context.Context, r *rendezvous) error {
	at, err := r.listen()
	if err != nil {
		return err
	}
	defer r.remove()
	defer at.Close()
	defer context.AfterFunc(ctx, func() { _ = at.Close() })()
	m.secret = r.secret
	addresses := make([]string, m.Ranks)
	for range m.Ranks - 1 {
		l, h, err := m.accept(at, time.Time{}, m.takesControl)
		if err != nil {
			return m.alone(ctx, r, err)
		}
		m.control[h.Rank], addresses[h.Rank] = l, h.Address
	}
	for _, l := range m.control[1:] {
		if err := l.send(welcome{Addresses: addresses}, true); err != nil {
			return err
		}
	}
	if err := m.takeData(ctx, at); err != nil {
		return m.alone(ctx, r, err)
	}
	return nil
}

// takesControl checks what a rank says to rank 0.
func (m *Mesh) takesControl(h hello) error {
	switch {
	case h.Data:
		return errStranger
	case h.Ranks != m.Ranks:
		return &refusal{fmt.Sprintf("rank %d says that there are %d ranks, rank 0 that there are %d; hint: start all of them with one command", h.Rank, h.Ranks, m.Ranks)}
	case h.Rank < 1 || h.Rank >= m.Ranks || m.control[h.Rank] != nil:
		return &refusal{fmt.Sprintf("rank %d came twice; hint: jobs that run at the same time need a --rendezvous each", h.Rank)}
	case h.Build != build():
		return &refusal{fmt.Sprintf("rank %d runs another build of the program than rank 0", h.Rank)}
	}
	return nil
}

// alone says who is missing.
func (m *Mesh) alone(ctx context.Context, r *rendezvous, err error) error {
	if ctx.Err() == nil {
		return err
	}
	var missing []string
	for k := 1; k < m.Ranks; k++ {
		if m.control[k] == nil {
			missing = append(missing, fmt.Sprint(k))
		}
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return fmt.Errorf("ranks: rank %s of %d did not come to %s within %v; hint: start all ranks with one command, and give them the same --rendezvous",
			cmp.Or(strings.Join(missing, ", "), "other than 0"), m.Ranks, r.name, m.Wait)
	}
	return ctx.Err()
}

// join is the side of the other ranks.
func (m *Mesh) join(ctx context.Context, r *rendezvous) error {
	at, err := listenAnywhere(r.here)
	if err != nil {
		return err
	}
	defer at.Close()
	defer context.AfterFunc(ctx, func() { _ = at.Close() })()
	to, err := m.reach(ctx, r, at)
	if err != nil {
		return err
	}
	m.control[0] = to
	var w welcome
	if err := m.hear(ctx, to, &w); err != nil {
		return fmt.Errorf("ranks: rank %d of %d met rank 0, which then left: some rank did not come within %v; see its message", m.Rank, m.Ranks, m.Wait)
	}
	w.Addresses[0] = to.RemoteAddr().String()
	for i := range m.Rank {
		if m.data[i], err = m.dial(ctx, w.Addresses[i], m.hello(true, "")); err != nil {
			return fmt.Errorf("ranks: rank %d of %d cannot reach rank %d at %s: %w", m.Rank, m.Ranks, i, w.Addresses[i], err)
		}
	}
	return m.takeData(ctx, at)
}

func (m *Mesh) hello(data bool, address string) hello {
	return hello{Rank: m.Rank, Ranks: m.Ranks, Data: data, Address: address, Build: build()}
}

// hear waits for a message of rank 0, not longer than the context.
func (m *Mesh) hear(ctx context.Context, from *link, message any) error {
	defer context.AfterFunc(ctx, func() { _ = from.Close() })()
	return from.dec.Decode(message)
}

// reach finds rank 0, which may come later, and says hello.
func (m *Mesh) reach(ctx context.Context, r *rendezvous, at net.Listener) (*link, error) {
	for {
		address, err := r.find()
		if err == nil {
			m.secret = r.secret
			l, failed := m.dial(ctx, address, m.hello(false, fmt.Sprint(at.Addr().(*net.TCPAddr).Port)))
			if wrong := new(refusal); failed == nil || errors.As(failed, &wrong) {
				return l, failed
			}
			err = failed
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("ranks: rank %d of %d did not find rank 0 at %s within %v: %w; hint: start all ranks with one command, and give them the same --rendezvous",
				m.Rank, m.Ranks, r.name, m.Wait, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// dial connects to a rank. The host of an address that is only a port follows from the connection.
func (m *Mesh) dial(ctx context.Context, address string, h hello) (*link, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if h.Address != "" {
		host, _, _ := net.SplitHostPort(c.LocalAddr().String())
		h.Address = net.JoinHostPort(host, h.Address)
	}
	l := newLink(c)
	_ = c.SetDeadline(time.Now().Add(greeting))
	if err := l.greet(m.secret, h); err != nil {
		_ = c.Close()
		return nil, err
	}
	return l, c.SetDeadline(time.Time{})
}

// takeData takes the connections of all ranks above this one.
func (m *Mesh) takeData(ctx context.Context, at net.Listener) error {
	deadline, _ := ctx.Deadline()
	for range m.Ranks - 1 - m.Rank {
		l, h, err := m.accept(at, deadline, func(h hello) error {
			if !h.Data || h.Rank <= m.Rank || h.Rank >= m.Ranks || m.data[h.Rank] != nil {
				return errStranger
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("ranks: rank %d of %d waits for connections: %w", m.Rank, m.Ranks, err)
		}
		m.data[h.Rank] = l
	}
	return nil
}

package ranks

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// state is what rank 0 knows of the other ranks.
type state struct {
	remotes []*remote
	mutex   sync.Mutex
	over    bool // the run has ended: ranks may go
	loss    error
	lost    chan struct{}
	once    sync.Once
	how     string
}

// Open opens the devices of all ranks as one. The words say how they exchange.
func (m *Mesh) Open(name, kind string, opt device.Options) (device.Device, error) {
	dev, err := m.Options.Open(kind, opt)
	if err != nil {
		return nil, fmt.Errorf("rank 0 of %d: %w", m.Ranks, err)
	}
	m.local.dev = dev
	m.once.Do(m.start)
	parts := []device.Device{local{dev, m}}
	for _, r := range m.remotes {
		a, err := r.ask(command{Verb: opOpen, Name: kind, Count: uint64(opt.Threads), Bytes: int64(opt.Piece)})
		if err != nil {
			return nil, errors.Join(m.named(r.rank, err), dev.Close())
		}
		r.info = a.Info
		parts = append(parts, r)
	}
	if m.how, err = m.choose(kind); err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	return &group{device.NewGroup(name, parts), m}, nil
}

// group is the devices of all ranks.
type group struct {
	*device.Group
	mesh *Mesh
}

// Info says how many ranks there are, and how they exchange: rates depend on it.
func (g *group) Info() device.Info {
	info := g.Group.Info()
	info.Model = fmt.Sprintf("%d ranks, exchange by %s: %s", g.mesh.Ranks, g.mesh.how, info.Model)
	return info
}

func (g *group) SurvivesHang() bool { return false }

func (g *group) Close() error {
	g.mesh.local.leave()
	return g.Group.Close()
}

// start listens to the other ranks.
func (m *Mesh) start() {
	for k := 1; k < m.Ranks; k++ {
		r := &remote{mesh: m, rank: k, to: m.control[k], answers: make(chan answer, 1)}
		m.remotes = append(m.remotes, r)
		go r.hears()
	}
	go m.beats(m.control[1:], command{Verb: opBeat})
}

// beats gives signs of life.
func (m *Mesh) beats(to []*link, message any) {
	for {
		select {
		case <-m.lost:
			return
		case <-time.After(beat):
		}
		for _, l := range to {
			_ = l.send(message, true)
		}
	}
}

// choose finds out whether all ranks can use the library; otherwise they exchange by TCP. A rank that joins waits for all
// others, so each says first that it has the library.
func (m *Mesh) choose(kind string) (how string, err error) {
	library, missing := m.Library(kind)
	switch {
	case library == nil && missing == nil:
		return "TCP", nil
	case missing != nil:
		return fmt.Sprintf("TCP (%v)", missing), nil
	}
	rank, why := m.all(command{Verb: opLibrary, Name: kind, Names: []string{library.Name()}}, func() error { return nil })
	if why != nil {
		return byTCP(rank, why), nil
	}
	id, err := library.ID()
	if err != nil {
		return byTCP(0, err), nil
	}
	rank, why = m.all(command{Verb: opJoin, Name: kind, Data: id}, func() error { return m.local.join(library, id, m.Ranks) })
	switch {
	case why == nil:
		return library.Name(), nil
	case errors.Is(why, errStuck):
		return "", fmt.Errorf("%s: %w", library.Name(), why)
	}
	m.local.leave()
	for _, r := range m.remotes {
		err = errors.Join(err, r.post(command{Verb: opLeave}))
	}
	return byTCP(rank, why), err
}

func byTCP(rank int, why error) string { return fmt.Sprintf("TCP (rank %d: %v)", rank, why) }

// errStuck is of ranks that cannot be called back from what they do.
var errStuck = errors.New("the ranks did not join; hint: --nccl none")

// all has every rank do something at the same time, rank 0 by itself. It returns the first rank that failed.
func (m *Mesh) all(c command, own func() error) (rank int, why error) {
	type result struct {
		rank int
		err  error
	}
	results := make(chan result, m.Ranks)
	go func() { results <- result{0, own()} }()
	for _, r := range m.remotes {
		go func() {
			_, err := r.ask(c)
			results <- result{r.rank, err}
		}()
	}
	late := time.After(m.Wait)
	for range m.Ranks {
		select {
		case r := <-results:
			if r.err != nil && (why == nil || r.rank < rank) {
				rank, why = r.rank, r.err
			}
		case <-late:
			return 0, errStuck
		}
	}
	return rank, why
}

func (m *Mesh) named(rank int, err error) error {
	if m.Gone() != nil {
		return m.Gone()
	}
	return fmt.Errorf("rank %d of %d: %w", rank, m.Ranks, err)
}

// Gone returns why the run cannot go on, or nil. A nil mesh is of no ranks.
func (m *Mesh) Gone() error {
	if m == nil {
		return nil
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.loss
}

// ending is how long a run has to end by itself when a rank is gone.
const ending = time.Second

// lose ends the run: a rank is gone. The other ranks are told.
func (m *Mesh) lose(rank int, why error) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.loss != nil || m.over {
		return m.loss
	}
	m.loss = lossOf(rank, m.Ranks, why)
	close(m.lost)
	if comm := m.local.comm; comm != nil {
		go comm.Abort()
	}
	for _, r := range m.remotes {
		if r.rank != rank {
			go func() { _ = r.to.send(command{Verb: opGone, Name: m.loss.Error()}, true) }()
		}
	}
	for _, l := range m.data {
		if l != nil {
			_ = l.Close()
		}
	}
	loss := m.loss
	time.AfterFunc(ending, func() { m.Ended(loss) })
	return m.loss
}

// broken ends the run after a failed exchange. The reason may be a rank that is gone, which shows at the next moment.
func (m *Mesh) broken(err error) error {
	select {
	case <-m.lost:
		return m.Gone()
	case <-time.After(ending / 4):
		return m.lose(m.Rank, err)
	}
}

func lossOf(rank, ranks int, why error) error {
	switch {
	case errors.Is(why, os.ErrDeadlineExceeded):
		why = fmt.Errorf("no sign of life for %v", silence)
	case errors.Is(why, io.EOF), errors.Is(why, io.ErrUnexpectedEOF), errors.As(why, new(*net.OpError)):
		why = errors.New("its process ended or its host is out of reach")
	}
	return fmt.Errorf("rank %d of %d is gone: %w", rank, ranks, why)
}

// Bye tells the other ranks that the run has ended, with an exit code.
func (m *Mesh) Bye(code int) {
	m.mutex.Lock()
	m.over = true
	lost := m.loss != nil
	m.mutex.Unlock()
	for _, l := range m.control[1:] {
		if !lost {
			_ = l.send(command{Verb: opBye, Count: uint64(code)}, true)
		}
		_ = l.Close()
	}
}

package ranks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// Serve carries out what rank 0 asks for, until it says that the run has ended, and with which exit code.
func (m *Mesh) Serve(ctx context.Context) (code int, err error) {
	s := &server{mesh: m, to: m.control[0], queue: make(chan command, 1<<10)}
	ended := make(chan error, 1)
	go func() { ended <- s.hears() }()
	go m.beats(m.control[:1], answer{Beat: true})
	go s.work()
	select {
	case err = <-ended:
		return s.code, err
	case <-ctx.Done(): // the launcher ends all ranks: rank 0 has a while to say so
	}
	select {
	case err = <-ended:
		return s.code, err
	case <-time.After(5 * time.Second):
		return 0, fmt.Errorf("rank %d of %d: %w", m.Rank, m.Ranks, context.Cause(ctx))
	}
}

// server is a rank other than 0.
type server struct {
	mesh   *Mesh
	to     *link
	queue  chan command
	failed error          // of commands without an answer, since the last one with
	moved  []func() error // wait for the exchanges since the clock began
	code   int
}

// hears reads commands until the run has ended, or rank 0 is gone.
func (s *server) hears() error {
	for {
		_ = s.to.SetReadDeadline(time.Now().Add(silence))
		var c command
		if err := s.to.dec.Decode(&c); err != nil {
			return lossOf(0, s.mesh.Ranks, err)
		}
		switch c.Verb {
		case opBeat:
		case opBye:
			s.code = int(c.Count)
			return nil
		case opGone:
			return errors.New(c.Name)
		default:
			s.queue <- c
		}
	}
}

// work carries out commands in their order.
func (s *server) work() {
	for c := range s.queue {
		s.handle(c)
	}
}

func (s *server) handle(c command) {
	var a answer
	if c.Verb == opOpen {
		s.failed = nil
	}
	if s.failed == nil || c.Verb == opBegin || c.Verb == opClose {
		err := device.Caught(func() error { return s.do(c, &a) })
		if s.failed == nil {
			s.failed = err
		}
	}
	if !c.Ask && c.Verb != opBegin { // the end of what opBegin began has an answer
		return
	}
	if s.failed != nil {
		a.Err = s.failed.Error()
	}
	s.failed = nil
	s.say(a)
}

func (s *server) say(a answer) { _ = s.to.send(a, true) }

func (s *server) do(c command, a *answer) (err error) {
	dev := s.mesh.local.dev
	switch c.Verb {
	case opOpen:
		return s.open(c, a)
	case opFree:
		a.Bytes, err = dev.Free()
	case opAlloc:
		a.At, err = dev.Alloc(c.Bytes)
	case opAllocHost:
		a.At, err = dev.AllocHost(c.Bytes)
	case opRelease:
		err = dev.Release(c.At)
	case opSet:
		err = dev.Set(c.At, c.Value, c.Bytes)
	case opWrite:
		err = dev.Write(c.At, c.Data)
	case opRead:
		a.Data = make([]byte, c.Bytes)
		err = dev.Read(a.Data, c.At)
	default:
		return s.doMore(c, a)
	}
	return err
}

func (s *server) doMore(c command, a *answer) (err error) {
	dev := s.mesh.local.dev
	switch c.Verb {
	case opPrepare:
		return dev.Prepare(c.Names...)
	case opLaunch:
		return dev.Launch(c.Name, c.At, c.To, c.Count)
	case opCall:
		return dev.Call(c.Name, c.Data, c.More, c.Count)
	case opBegin:
		s.moved = nil
		a.Took, err = dev.Time(s.until(opEnd))
		a.Laps = dev.Laps()
		return err
	case opLap:
		return dev.Lap(c.Lap, s.until(opLapped))
	case opExchange:
		return s.exchange(c)
	case opArrive:
		return s.moved[c.Count]()
	case opLibrary:
		return s.library(c)
	case opJoin:
		return s.join(c)
	case opLeave:
		s.mesh.local.leave()
		return nil
	case opClose:
		s.mesh.local.leave()
		return dev.Close()
	}
	return fmt.Errorf("rank %d: command %d is not known here", s.mesh.Rank, c.Verb)
}

func (s *server) open(c command, a *answer) error {
	dev, err := s.mesh.Options.Open(c.Name, device.Options{Threads: int(c.Count), Piece: int(c.Bytes)})
	if err == nil {
		s.mesh.local.dev, a.Info = dev, dev.Info()
	}
	return err
}

// library says whether the rank has the library that rank 0 has.
func (s *server) library(c command) error {
	library, err := s.mesh.Library(c.Name)
	if err != nil {
		return err
	}
	if have, want := library.Name(), c.Names[0]; have != want {
		return fmt.Errorf("it has %s, and rank 0 has %s", have, want)
	}
	return nil
}

func (s *server) join(c command) error {
	library, err := s.mesh.Library(c.Name)
	if err != nil {
		return err
	}
	return s.mesh.local.join(library, c.Data, s.mesh.Ranks)
}

// until carries out what the clock measures, up to a command.
func (s *server) until(end verb) func() error {
	return func() error {
		for c := range s.queue {
			if c.Verb == end {
				return s.failed
			}
			s.handle(c)
		}
		return nil
	}
}

// exchange does this rank's side. Others wait for it, so a failure ends the run; its reason may be a rank that is
// gone, of which rank 0 knows first.
func (s *server) exchange(c command) error {
	arrived, err := s.mesh.local.exchange(c.Lap, c.Moves)
	s.moved = append(s.moved, arrived)
	if err != nil {
		time.Sleep(ending / 4)
		s.say(answer{Fatal: err.Error()})
	}
	return err
}

package ranks

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// site is the device of this rank, and its ways to the others.
type site struct {
	rank  int
	dev   device.Device
	data  []*link
	comm  device.Comm // nil: TCP
	mutex sync.Mutex  // only one goroutine at a time may use the device
}

// exchange does this rank's side of an exchange beside what the device does otherwise, if the device can.
func (s *site) exchange(lap int, moves []device.Move) (arrived func() error, err error) {
	dev, ok := s.dev.(device.Peer)
	if !ok {
		return nil, fmt.Errorf("device %s: cannot copy from others", s.dev.Info().Name)
	}
	done, err := dev.Mark()
	if err != nil {
		return nil, err
	}
	end, err := dev.Beside(lap, []device.Mark{done}, func() error { return s.move(moves) })
	return func() error { return dev.Wait(end) }, err
}

// move copies what this rank sends and receives.
func (s *site) move(moves []device.Move) error {
	var others []device.Move
	for _, m := range moves {
		if m.Peer != s.rank {
			others = append(others, m)
		} else if err := s.dev.(device.Peer).CopyFrom(s.dev, m.To, m.At, m.Bytes); err != nil {
			return err
		}
	}
	if s.comm != nil {
		return s.comm.Exchange(others)
	}
	return s.byTCP(others)
}

// byTCP sends and receives at once: a goroutine for each direction of each connection.
func (s *site) byTCP(moves []device.Move) error {
	errs := make([]error, 2*len(s.data))
	var all sync.WaitGroup
	for peer, l := range s.data {
		for side, through := range []func(*link, device.Move) error{s.receive, s.send} {
			all.Go(func() {
				for _, m := range moves {
					if m.Peer != peer || m.Send != (side == 1) || errs[2*peer+side] != nil {
						continue
					}
					if err := through(l, m); err != nil {
						errs[2*peer+side] = fmt.Errorf("exchange with rank %d: %w", peer, err)
					}
				}
			})
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// piece is what goes between device and connection at a time.
const piece = 1 << 20

func (s *site) send(to *link, m device.Move) error {
	return pieces(m, func(at device.Addr, buffer []byte) error {
		if err := s.alone(func() error { return s.dev.Read(buffer, at) }); err != nil {
			return err
		}
		_, err := to.Write(buffer)
		return err
	})
}

func (s *site) receive(from *link, m device.Move) error {
	return pieces(m, func(at device.Addr, buffer []byte) error {
		if _, err := io.ReadFull(from.in, buffer); err != nil {
			return err
		}
		return s.alone(func() error { return s.dev.Write(at, buffer) })
	})
}

func (s *site) alone(f func() error) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return f()
}

func pieces(m device.Move, f func(device.Addr, []byte) error) error {
	buffer := make([]byte, min(piece, m.Bytes))
	for done := int64(0); done < m.Bytes; done += int64(len(buffer)) {
		if err := f(m.At+device.Addr(done), buffer[:min(int64(len(buffer)), m.Bytes-done)]); err != nil {
			return err
		}
	}
	return nil
}

// moves lists the sides of all copies that a rank has. Both ranks of a pair list its copies in the same order.
func moves(all [][]device.Copy, rank int) (list []device.Move) {
	for to, copies := range all {
		for _, c := range copies {
			switch {
			case to == rank && c.From == rank:
				list = append(list, device.Move{Peer: rank, At: c.At, To: c.To, Bytes: c.Bytes})
			case to == rank:
				list = append(list, device.Move{Peer: c.From, At: c.To, Bytes: c.Bytes})
			case c.From == rank:
				list = append(list, device.Move{Peer: to, Send: true, At: c.At, Bytes: c.Bytes})
			}
		}
	}
	return list
}

// join makes the library's connections; without it, exchanges go by TCP.
func (s *site) join(library device.Library, id []byte, ranks int) (err error) {
	s.comm, err = library.Join(s.dev, id, s.rank, ranks)
	if err != nil {
		s.comm = nil
	}
	return err
}

func (s *site) leave() {
	if s.comm != nil {
		s.comm.Abort()
		s.comm = nil
	}
}

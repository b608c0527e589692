package device

import "fmt"

// Copy is memory that goes from one part of a group to another.
type Copy struct {
	From   int  // the part that has it
	To, At Addr // where it goes, and where it is
	Bytes  int64
}

// Exchanging is a part that others cannot copy from by themselves, because it is in another process: both sides of a
// copy have to know of it. The copies of all parts are listed by the part that receives them.
type Exchanging interface {
	Exchange(all [][]Copy, part int) error
}

// Exchanges reports whether a device can be a part of a group.
func Exchanges(d Device) bool {
	_, peer := d.(Peer)
	_, both := d.(Exchanging)
	return peer || both
}

// Exchange does what a part has to do for the copies of all parts to happen. It is called for every part at once.
func Exchange(parts []Device, all [][]Copy, part int) error {
	switch d := parts[part].(type) {
	case Exchanging:
		return d.Exchange(all, part)
	case Peer:
		for _, c := range all[part] {
			if err := d.CopyFrom(parts[c.From], c.To, c.At, c.Bytes); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("device %s: cannot copy from others", parts[part].Info().Name)
}

// Move is one side of a copy between processes: the memory at At goes to a peer, or comes from it. A copy within
// a process is a single move, from At to To.
type Move struct {
	Peer   int
	Send   bool
	At, To Addr
	Bytes  int64
}

// Threaded is a device whose driver has to be called from a thread of its own.
type Threaded interface {
	// Do calls f there, as a part of what the device's clock measures.
	Do(what string, f func() error) error
}

// Library makes copies between the devices of several processes, better than their sockets would.
type Library interface {
	// Name says which library it is, with its version.
	Name() string
	// ID makes what the ranks of a job need to find each other.
	ID() ([]byte, error)
	// Join waits for all ranks.
	Join(d Device, id []byte, rank, ranks int) (Comm, error)
}

// Comm is what joins a device to those of other processes.
type Comm interface {
	Exchange([]Move) error
	// Abort ends an exchange that waits for a rank that is gone. Any goroutine may call it.
	Abort()
}

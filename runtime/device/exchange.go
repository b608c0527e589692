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

package schemes

import (
	"encoding/binary"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// Gauges of stadium hashing: all of them are of the ticket-board, so a look does not touch
// the table behind it.
var stadiumGauges = []Gauge{
	{Name: "tickets", Help: "tickets of slots that hold a pair, whose pair was erased (not told with tickets of one bit), and that were never used",
		Unit: "slots", Read: ticketUse},
	{Name: "longest walk", Help: "steps after which a search may stop: no pair is further from where its walk began, which is rounded up",
		Unit: "steps", Read: longestWalk},
}

// Bins of the kernel that looks at tickets (kernels/tickets_look.h).
const (
	ticketsErased = 1
	ticketsTaken  = 2
)

func ticketUse(t Table) ([]Bar, error) {
	slots := t.Layout().Capacity
	bins, err := t.Look("hz_look_tickets", slots, kernels.Look{})
	if err != nil {
		return nil, err
	}
	return useBars(bins[ticketsTaken], bins[ticketsErased], slots), nil
}

// stadiumLongest is where, in the region of the state, the steps are, and stadiumShort how
// many every search may take (Stash::State, Stash::kShort).
const (
	stadiumLongest = 4
	stadiumShort   = 16
)

func longestWalk(t Table) ([]Bar, error) {
	raw := make([]byte, 4)
	if err := t.Read(raw, device.Addr(t.Block().Region[2])+stadiumLongest); err != nil {
		return nil, err
	}
	steps := max(binary.LittleEndian.Uint32(raw), stadiumShort)
	return []Bar{{Value: float64(steps), Of: float64(t.Layout().Capacity)}}, nil
}

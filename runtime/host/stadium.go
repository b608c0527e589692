package host

import (
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// Tables behind a ticket board (kernels/stadium.h).

var stadiumRegions = []string{"tickets", "slots", "state"}

var stadium = schemes.ReadConstants(kernels.Headers, "stadium.h")

// stateWord returns the address of a word of a board's state.
func stateWord(t schemes.Table, name string) uint64 {
	return t.Block().Region[stadium.Of("kState")] + 4*stadium.Of(name)
}

// These looks read only the board, not the table behind it.
var (
	tickets = schemes.Gauge{
		Name: "tickets", Help: "slots with a pair, with an erased pair (unknown with tickets of one bit), and never used, by their tickets",
		Unit: "slots", Read: ticketUse, Fits: isStadium,
	}
	longestWalk = schemes.Gauge{
		Name: "longest walk", Help: "steps after which a search may stop: no pair is further from the start of its walk; rounded up",
		Unit: "steps", Read: readLongest, Fits: isStadium,
	}
)

func isStadium(_ schemes.Config, l schemes.Layout, _ schemes.Pair) error {
	if !slices.Equal(l.RegionNames(), stadiumRegions) {
		return fmt.Errorf("it takes the regions %v, not %v", stadiumRegions, l.RegionNames())
	}
	return nil
}

// TicketBits returns how many bits a ticket has, and in which region tickets are; 0 if the table has none.
func TicketBits(t schemes.Table) (bits, region int) {
	if isStadium(t.Config(), t.Layout(), t.Pair()) != nil {
		return 0, 0
	}
	arg := t.Block().Arg
	bits = int(arg[stadium.Of("kTicketBits")])
	if bits == 1 && arg[stadium.Of("kAccess")] != 0 {
		bits = 2 // one of them is the access bit
	}
	return bits, int(stadium.Of("kTickets"))
}

// Bins of the kernel that looks at tickets (kernels/tickets_look.h).
const (
	ticketsErased = 1
	ticketsTaken  = 2
)

func ticketUse(t schemes.Table) ([]schemes.Bar, error) {
	slots := t.Layout().Capacity
	bins, err := t.Look("hz_look_tickets", slots, kernels.Look{})
	if err != nil {
		return nil, err
	}
	return UseBars(bins[ticketsTaken], bins[ticketsErased], slots), nil
}

func readLongest(t schemes.Table) ([]schemes.Bar, error) {
	longest, err := Read[uint32](t, stateWord(t, "kLongest"), 1)
	steps := max(uint64(longest[0]), stadium.Of("kLongWalk"))
	return Parts(t.Layout().Capacity, Bar("", steps)), err
}

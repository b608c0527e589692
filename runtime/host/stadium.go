package host

import (
	"fmt"
	"math"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Tables behind a ticket board (kernels/stadium.h).

var stadiumRegions = []string{"tickets", "slots", "state"}

var stadium = schemes.ReadConstants(kernels.Headers, "stadium.h")

// stateWord returns the address of a word of a board's state.
func stateWord(t schemes.Table, name string) uint64 {
	return t.Block().Region[stadium.Of("kState")] + 4*stadium.Of(name)
}

// untilFull is the host side of inserts. If they may fill the table, the kernel tells the others when it is full.
func untilFull(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	return launchUntilFull(t, b, t.Size()+b.N)
}

// aloneUntilFull splits a batch at the point where the table reaches the threshold.
func aloneUntilFull(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	limit := uint64(math.Ceil(float64(t.Config().Get("threshold")) / 100 * float64(t.Layout().Capacity)))
	if t.Size() >= limit {
		return untilFull(t, b)
	}
	first := b
	first.Op, first.Keyed, first.N = "alone_insert", true, min(b.N, limit-t.Size())
	done, err := t.Launch(first)
	if err != nil || first.N == b.N {
		return done, err
	}
	more, err := launchUntilFull(t, b.Rest(t.Pair(), first.N), t.Size()+b.N)
	if err != nil {
		return more, err
	}
	more.Counts.Add(done.Counts)
	more.Batch = b
	return more, nil
}

// launchUntilFull carries out a batch after which a table has at most `pairs` pairs.
func launchUntilFull(t schemes.Table, b schemes.Batch, pairs uint64) (schemes.Result, error) {
	if pairs <= t.Layout().Capacity {
		return t.Launch(b)
	}
	if err := t.Set(device.Addr(stateWord(t, "kFullIn")), 0, 4); err != nil {
		return schemes.Result{}, err
	}
	block, stays := t.Block(), stadium.Of("kBatch") // the argument that is 1 while a full table stays full
	block.Arg[stays] = 1
	t.SetBlock(block)
	done, err := t.Launch(b)
	if err != nil {
		return done, err
	}
	block.Arg[stays] = 0
	t.SetBlock(block)
	return done, nil
}

// Values of the parameter board.
const (
	boardAuto = iota
	boardKept
)

// manyRows are worth a launch that makes the board.
const manyRows = 1 << 20

// boardAfter is the host side of operations that combine values. The board costs them reads and atomics, in memory if it is
// larger than caches, so many of them leave it alone, and it is made from the slots, which are read in order, in the end.
func boardAfter(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	if after, err := bySlots(t, b); err != nil {
		return schemes.Result{}, err
	} else if !after {
		return t.Launch(b)
	}
	block, mode := t.Block(), stadium.Of("kBySlots")
	block.Arg[mode] = 1
	t.SetBlock(block)
	done, err := t.Launch(b)
	block.Arg[mode] = 0
	t.SetBlock(block)
	if err != nil {
		return done, err
	}
	_, err = t.Launch(schemes.Batch{Op: "board", N: boardBytes(t) / 4})
	return done, err
}

// bySlots reports whether a batch may go by the slots, and gains by it.
func bySlots(t schemes.Table, b schemes.Batch) (bool, error) {
	how, pair := t.Config().Get("board"), t.Pair()
	large := b.N >= max(manyRows, t.Layout().Capacity/4) && t.Block().Host == 0
	if how == boardKept || how == boardAuto && !large || b.Block.Ops != 0 || b.N == 0 || pair.Key != pair.Value {
		return false, nil
	}
	erased, err := Read[uint32](t, stateWord(t, "kAnyErased"), 1)
	return err == nil && erased[0] == 0, err
}

func boardBytes(t schemes.Table) uint64 {
	return uint64(t.Layout().Regions[stadium.Of("kTickets")].Bytes)
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

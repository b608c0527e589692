package host

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Tables behind a ticket board (kernels/stadium.h).

var stadiumRegions = []string{"tickets", "slots", "state"}

// stateRegion is the index of the state's region, and fullIn the position in it where
// kernels report that the table is full (Stadium::State). batchArg is the argument that
// is 1 while a full table stays full.
const (
	stateRegion  = 2
	longestIn    = 4
	fullIn       = 8
	batchArg     = 2
	stadiumShort = 16 // steps that every search may take (Stadium::kLongWalk)
)

// UntilFull is the host side of inserts. If they may fill the table, the kernel reports
// when that has happened, so that not every insert has to find out by itself.
func UntilFull(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	return LaunchUntilFull(t, b, t.Size()+b.N)
}

// LaunchUntilFull is UntilFull for a batch after which a table has at most `pairs` pairs.
func LaunchUntilFull(t schemes.Table, b schemes.Batch, pairs uint64) (schemes.Result, error) {
	if pairs <= t.Layout().Capacity {
		return t.Launch(b)
	}
	block := t.Block()
	if err := t.Set(device.Addr(block.Region[stateRegion])+fullIn, 0, 4); err != nil {
		return schemes.Result{}, err
	}
	block.Arg[batchArg] = 1
	t.SetBlock(block)
	done, err := t.Launch(b)
	if err != nil {
		return done, err
	}
	block.Arg[batchArg] = 0
	t.SetBlock(block)
	return done, nil
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
	var have []string
	for _, r := range l.Regions {
		have = append(have, r.Name)
	}
	if !slices.Equal(have, stadiumRegions) {
		return fmt.Errorf("it takes the regions %v, not %v", stadiumRegions, have)
	}
	return nil
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
	raw := make([]byte, 4)
	if err := t.Read(raw, device.Addr(t.Block().Region[stateRegion])+longestIn); err != nil {
		return nil, err
	}
	steps := max(binary.LittleEndian.Uint32(raw), stadiumShort)
	return []schemes.Bar{{Value: float64(steps), Of: float64(t.Layout().Capacity)}}, nil
}

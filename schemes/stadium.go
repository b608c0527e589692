package schemes

import (
	"fmt"
	"math/big"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// What the two schemes of stadium hashing share; kernels/stash.h explains them.

var (
	ticketBits = Param{
		Name: "ticket", Role: Arg, Values: []int64{1, 2, 4, 8}, Default: 4,
		Help: "bits of a ticket: one says whether the slot is free, the others tell something about its key",
	}
	accessBit = Param{
		Name: "access", Role: Arg, Words: []string{"off", "on"}, Default: 1,
		Help: "one bit of a ticket says that somebody is at the slot: needed for mixed batches, update and upsert",
	}
)

// batchArg is the argument that is 1 while a table that is full stays full, and fullIn
// where, in the region of the state, kernels say that it is (Stash::State).
const (
	batchArg   = 2
	fullIn     = 8
	stateBytes = 64
)

// stadiumPairs are all widths: only tickets are changed by atomics.
func stadiumPairs() []Pair {
	pairs := []Pair{Pair4, Pair8}
	for _, value := range []int{4, 8, 16, 32, 64} {
		for _, key := range []int{4, 8} {
			if key != value {
				pairs = append(pairs, Pair{key, value})
			}
		}
	}
	return pairs
}

// slotBytes is the size of a pair in an array of them, as C++ has it.
func slotBytes(p Pair) uint64 {
	align := max(p.Key, min(p.Value, 8))
	return uint64((p.Bytes() + align - 1) / align * align)
}

// ticketSize is how many bits a ticket takes: with an access bit two at least.
func ticketSize(c Config) uint64 {
	bits := c.Get(ticketBits.Name)
	if access, has := c.Lookup(accessBit.Name); has && access == 1 {
		bits = max(bits, 2)
	}
	return uint64(bits)
}

// stadiumSize makes the number of slots a prime, so that a walk comes to every slot:
// the next one, or, if the memory is given, the one that fits into it.
func stadiumSize(c Config, s Shape) (Layout, error) {
	asked, given := s, s.Capacity == 0 && s.N == 0
	if given { // tickets take a part of the memory
		slot := slotBytes(s.Pair)
		fit := 8 * (s.Bytes - min(s.Bytes, stateBytes+4)) / (8*slot + ticketSize(c))
		asked.Bytes = fit * uint64(s.Pair.Bytes())
	}
	slots, err := asked.Slots()
	if err != nil {
		return Layout{}, err
	}
	capacity := primeFrom(slots, 1)
	if given {
		capacity = primeFrom(slots, -1)
	}
	if capacity >= 1<<32 {
		return Layout{}, fmt.Errorf("capacity is %d: slots have numbers below 2^32; take fewer", slots)
	}
	perWord := 32 / ticketSize(c)
	return Layout{
		Regions: []Region{
			{Name: "tickets", Bytes: int64((capacity + perWord - 1) / perWord * 4), Fill: 0xff},
			{Name: "slots", Bytes: int64(capacity * slotBytes(s.Pair)), Fill: 0xff, Table: true},
			{Name: "state", Bytes: stateBytes},
		},
		Capacity: capacity,
		Buckets:  capacity,
	}, nil
}

// primeFrom is the first prime from n on, upwards or downwards.
func primeFrom(n uint64, step int64) uint64 {
	n = max(n, 2)
	for !new(big.Int).SetUint64(n).ProbablyPrime(0) { // exact below 2^64
		n += uint64(step)
	}
	return n
}

// insertUntilFull is the host side of inserts. If they may fill the table, it lets the
// kernel say when that has happened, so that not every one has to find out by itself.
func insertUntilFull(t Table, b Batch) (Result, error) { return launchUntilFull(t, b, t.Size()+b.N) }

func launchUntilFull(t Table, b Batch, pairs uint64) (Result, error) {
	if pairs <= t.Layout().Capacity {
		return t.Launch(b)
	}
	block := t.Block()
	if err := t.Set(device.Addr(block.Region[2])+fullIn, 0, 4); err != nil {
		return Result{}, err
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

package ranks

import (
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// verb is what rank 0 asks of another rank: a call of its device, or one of the last few.
type verb byte

const (
	opFree verb = iota
	opAlloc
	opAllocHost
	opRelease
	opSet
	opWrite
	opRead
	opPrepare
	opLaunch
	opCall
	opBegin // of what the clock measures
	opEnd
	opExchange
	opArrive // what follows waits for the exchange of that number
	opLap
	opLapped // the end of a lap
	opOpen
	opLibrary // is it there?
	opJoin    // by a library
	opLeave
	opClose
	opBeat // a sign of life
	opGone // a rank is
	opBye
)

// command asks something of a rank. Only one with Ask has an answer, which also says what failed before it.
type command struct {
	Verb  verb
	Ask   bool
	Name  string
	Names []string
	At    device.Addr
	To    device.Addr
	Bytes int64
	Value byte
	Count uint64
	Data  []byte
	More  []byte
	Moves []device.Move
	Lap   int
}

type answer struct {
	Beat  bool
	Fatal string // why this rank cannot go on
	Err   string
	At    device.Addr
	Bytes int64
	Data  []byte
	Took  time.Duration
	Laps  device.Laps
	Info  device.Info
}

// beat is how often ranks give a sign of life; silence is how long one may give none. A rank whose process ends is
// known to be gone at once, since its connections end.
const (
	beat    = time.Second
	silence = 15 * time.Second
)

// most is the largest piece of memory in one message.
const most = 1 << 26

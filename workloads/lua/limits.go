package lua

import (
	"time"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
)

// Limits bound what a script may use. They are settings; nothing here has a default.
type Limits struct {
	Steps   uint64        // instructions of the Lua machine in one call of the script
	Time    time.Duration // time of one call, without that of its batches
	Memory  int64         // bytes of all Lua values that can be reached
	Vectors int64         // bytes of numbers that vectors hold: of gen.from, gen.file
	From    uint64        // numbers that gen.from makes at once
}

// ofBox are the limits that every sandbox has.
func (l Limits) ofBox() sandbox.Limits {
	return sandbox.Limits{Steps: l.Steps, Time: l.Time, Memory: l.Memory}
}

// Package host holds what the host sides and gauges of schemes share: functions that a manifest names, and the API of
// host sides in Lua (docs/host.md) with the ledger that checks them.
package host

import "github.com/hashzoo/hashzoo/schemes"

// Operation carries out an operation for any scheme that meets its requirements.
type Operation struct {
	Help    string
	Params  []string // the parameters it reads
	Regions []string // exactly the regions it works with; nil: any
	Do      schemes.HostOp
}

// Operations are the functions that the table host of a manifest can name.
var Operations = map[string]Operation{
	"rebuild": {
		Help:   "inserts; if some find no room and on_failure is rebuild, inserts all pairs again with new hash functions, at most `rebuilds` times",
		Params: []string{"on_failure", "rebuilds"}, Do: insertOrRebuild,
	},
	"retry": {
		Help: "repeats failed operations after the others are done, until none of them is helped: for operations that can fail because others hold what they give back",
		Do:   repeatWhileFewerFail,
	},
	"retrieve": {
		Help: "gives the pairs of each key side by side: with find_all it counts them first, with find there is one at most; of any scheme with retrieve",
		Do:   retrieve,
	},
	"flush": {
		Help: "takes all pairs out, empties the table and inserts them again: for tables that do not reuse the room of erased pairs",
		Do:   flushByRebuild,
	},
	"flush or keep": {
		Help: "flush for tables with bounded walks, in which pairs may find no room in another order: then the table is restored",
		Do:   flushOrKeep,
	},
	"until full": {
		Help:    "inserts that fill the table: the first that finds no room tells the others (kernels/stadium.h)",
		Regions: stadiumRegions, Do: untilFull,
	},
	"board after": {
		Help:    "operations that combine values: a large batch in a table of which nothing was erased goes by the slots, and the kernel board makes the board after it",
		Params:  []string{"board"},
		Regions: stadiumRegions, Do: boardAfter,
	},
	"alone, then until full": {
		Help:    "until full, but up to `threshold` percent of the slots with the kernel alone_insert",
		Params:  []string{"threshold"},
		Regions: stadiumRegions, Do: aloneUntilFull,
	},
}

// Gauges are the gauges that a manifest can name: for arrays of slots, and for ticket boards.
var Gauges = []schemes.Gauge{BucketFill, SlotUse, tickets, longestWalk}

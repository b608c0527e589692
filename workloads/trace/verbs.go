package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/workloads/rows"
)

// verbs maps the operations of cache traces. All writes do the work of upserts.
var verbs = map[string]string{
	"get": "find", "gets": "find", "read": "find", "lookup": "find", "query": "find",
	"set": "upsert", "put": "upsert", "write": "upsert", "add": "upsert", "replace": "upsert", "cas": "upsert",
	"append": "upsert", "prepend": "upsert", "incr": "upsert", "decr": "upsert",
	"delete": "erase", "remove": "erase", "del": "erase",
}

var ops = kernels.OpsThat(kernels.Operation.OnePair)

func (r *Reader) op(c rows.Cell, given bool) error {
	name := r.opt.Default
	if given {
		name = strings.ToLower(strings.TrimSpace(c.String()))
	}
	if op, ok := r.opt.Verbs[name]; ok {
		name = op
	} else if op, ok := verbs[name]; ok {
		name = op
	}
	if r.row.Op = name; !slices.Contains(ops, name) {
		name = short(rows.Cell{Text: name})
		return fmt.Errorf("%w; hint: --verbs %s=find", nearest.Unknown("operation", name, ops), name)
	}
	return nil
}

// CheckOp refuses operations that a trace cannot have.
func CheckOp(name string) error { return nearest.Check("operation", name, ops) }

func short(c rows.Cell) string {
	return strings.Trim(strconv.QuoteToASCII(nearest.Shorten(c.String(), 30)), `"`)
}

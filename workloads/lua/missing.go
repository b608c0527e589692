package lua

import (
	"fmt"
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// missing says why something that Lua has elsewhere is not there.
var missing = map[string]string{
	"os":             "scripts have no clocks, files or processes",
	"io":             "scripts have no files; gen.file reads keys, print writes",
	"debug":          "scripts cannot look into the interpreter",
	"package":        "require reads modules from the script's own folder",
	"module":         "a module returns a table",
	"coroutine":      "scripts run in one piece",
	"channel":        "scripts run in one piece",
	"load":           "scripts make no code",
	"loadstring":     "scripts make no code",
	"loadfile":       "require reads modules from the script's own folder",
	"dofile":         "require reads modules from the script's own folder",
	"collectgarbage": "memory is taken care of",
	"setfenv":        "globals are the same everywhere",
	"getfenv":        "globals are the same everywhere",
}

// unknownGlobal is the error for a global that was never assigned. Reading one is
// always a mistake, usually a misspelt name.
func (h *host) unknownGlobal(name string) error {
	if why, ok := missing[name]; ok {
		return fmt.Errorf("there is no %s: %s", name, why)
	}
	var known []string
	for k, _ := h.L.G.Global.Next(glua.LNil); k != glua.LNil; k, _ = h.L.G.Global.Next(k) {
		known = append(known, k.String())
	}
	known = append(known, ownNames...)
	slices.Sort(known)
	if near := nearest.Names(name, known); len(near) > 0 {
		return nearest.Unknown("global", name, near)
	}
	return fmt.Errorf("unknown global %q: nothing was assigned to it; hint: rawget(_G, %q) asks without failing", name, name)
}

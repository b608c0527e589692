package lua

import (
	"math/rand/v2"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// host is one Lua state and everything that its script can reach.
type host struct {
	*sandbox.Box
	script *Script

	setup     run.Setup
	declared  declared
	declaring bool                   // the top level of the script is running
	opt       map[string]glua.LValue // the values of options and axes
	own       map[string]glua.LValue
	modules   map[string]glua.LValue

	drawn uint64 // number of seeds drawn
	rng   *rand.Rand
	from  effort // of gen.from

	table  run.Table
	asked  uint64 // batches of this call
	kinds  types
	handle glua.LValue     // the script's t
	notes  map[string]bool // the script's remarks
	lack   *schemes.Lack   // what the script last asked for and the scheme lacks
}

func newHost(s *Script, setup run.Setup, table run.Table) (*host, error) {
	h := &host{
		script: s, setup: setup, table: table, rng: newRandom(setup.Seed),
		opt: map[string]glua.LValue{}, modules: map[string]glua.LValue{}, notes: map[string]bool{},
		declared: declared{values: map[string]glua.LValue{}, lines: map[string]string{}},
	}
	print := func(text string) {
		if s.Print != nil && table != nil {
			for line := range strings.SplitSeq(text, "\n") {
				s.Print(table.Scheme(), sandbox.OneLine(line))
			}
		}
	}
	var err error
	h.Box, err = sandbox.New(sandbox.Options{
		Limits:  sandbox.Limits{Steps: s.limits.Steps, Time: s.limits.Time, Memory: s.limits.Memory},
		Context: s.Context, File: s.Name, Subject: "the script", Setting: "lua.",
		Print: print, Declares: isDeclaration, Raising: h.raise, Cause: h.cause,
	})
	if err != nil {
		return nil, err
	}
	h.SetFunctions("", map[string]sandbox.Function{"require": h.require})
	h.SetFunctions(glua.MathLibName, map[string]sandbox.Function{"random": h.random, "randomseed": h.randomseed})
	h.makeTypes()
	h.own = map[string]glua.LValue{"opt": h.makeOpt(), "gen": h.makeGen(), "u64": h.Function(h.u64)}
	for _, v := range h.own {
		h.Keep(v)
	}
	h.watchGlobals()
	return h, nil
}

// pair returns the key and value widths of the table, as far as they are declared.
func (h *host) pair() schemes.Pair {
	if !h.declaring {
		return h.declared.shape.Pair
	}
	if v, ok := h.declared.values["shape"]; ok {
		if s, err := readShape(v); err == nil {
			return s.Pair
		}
	}
	return schemes.Pair4
}

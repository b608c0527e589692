package lua

import (
	"errors"
	"math/rand/v2"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// host is one Lua state and what its script has of the world.
type host struct {
	*sandbox.Box
	script *Script
	folder string // in front of the names of modules, in errors

	setup     run.Setup
	declared  declared
	declaring bool           // the script's own lines run
	opt       map[string]any // values of options and axes in force
	own       map[string]glua.LValue
	modules   map[string]glua.LValue

	seed  uint64
	drawn uint64 // seeds drawn so far
	rng   *rand.Rand
	from  effort // of gen.from

	table  run.Table
	kinds  types
	handle glua.LValue     // the script's t
	notes  map[string]bool // remarks that the script made
	lack   *schemes.Lack   // what the scheme was last asked for in vain
}

func newHost(s *Script, setup run.Setup, table run.Table) (*host, error) {
	h := &host{
		script: s, folder: folderOf(s.Name),
		setup: setup, table: table, seed: setup.Seed, rng: newRandom(setup.Seed),
		opt: map[string]any{}, own: map[string]glua.LValue{}, modules: map[string]glua.LValue{}, notes: map[string]bool{},
	}
	h.declared.values, h.declared.lines = map[string]glua.LValue{}, map[string]string{}
	var err error
	h.Box, err = sandbox.New(sandbox.Options{
		Limits: s.limits.ofBox(), Context: s.Context, File: s.Name, Subject: "the script", Setting: "lua.",
		Print:    func(text string) { s.print(h.table, text) },
		Declares: isDeclaration, Raising: h.raise, Cause: h.cause,
	})
	if err != nil {
		return nil, err
	}
	h.SetFunctions("", map[string]sandbox.Function{"require": h.require})
	h.SetFunctions(glua.MathLibName, map[string]sandbox.Function{"random": h.random, "randomseed": h.randomseed})
	h.makeTypes()
	h.own["opt"], h.own["gen"], h.own["u64"] = h.makeOpt(), h.makeGen(), h.Function(h.u64)
	for _, v := range h.own {
		h.Keep(v)
	}
	h.watchGlobals()
	return h, nil
}

// cause is why a call failed, if the script is not alone to blame.
func (h *host) cause(err error) error {
	if h.lack != nil && strings.Contains(err.Error(), h.lack.Error()) {
		return h.lack
	}
	return nil
}

// declarationError puts an error of a declaration on the line where it is written:
// that of the field, or of the assignment, or the first.
func (h *host) declarationError(err error) error {
	var field *fieldError
	if !errors.As(err, &field) {
		field = &fieldError{text: err.Error()}
	}
	if at := h.Library.LineOf(field.path); at != nil {
		return h.Library.Located(at.File, at.Line, err.Error(), field.err)
	}
	name, _, _ := strings.Cut(strings.ReplaceAll(field.path, "[", "."), ".")
	if file, line, _, ok := h.Library.Place(h.declared.lines[name]); ok {
		return h.Library.Located(file, line, err.Error(), field.err)
	}
	return h.Library.Located(h.script.Name, 1, err.Error(), field.err)
}

// pair is the key and value widths of the table, as far as they are declared.
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

package lua

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// host is one Lua state and what its script has of the world.
type host struct {
	L       *glua.LState
	script  *Script
	library *library
	folder  string // in front of the names of modules, in errors
	meter   *meter

	setup     run.Setup
	declared  declared
	declaring bool           // the script's own lines run
	opt       map[string]any // values of options and axes in force
	own       map[string]glua.LValue
	modules   map[string]glua.LValue
	roots     []glua.LValue // what only Go holds

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
		script: s, library: newLibrary(s.folder), folder: folderOf(s.Name),
		setup: setup, table: table, seed: setup.Seed, rng: newRandom(setup.Seed),
		opt: map[string]any{}, own: map[string]glua.LValue{}, modules: map[string]glua.LValue{}, notes: map[string]bool{},
	}
	h.declared.values, h.declared.lines = map[string]glua.LValue{}, map[string]string{}
	h.meter = &meter{Limits: s.limits, Context: s.Context, now: time.Now, memory: func() int64 { return h.weigh().bytes }}
	if s.Context == nil {
		h.meter.Context = context.Background()
	}
	h.meter.weighed = allocated()
	h.meter.begin()
	if err := h.newState(); err != nil {
		return nil, err
	}
	h.makeTypes()
	h.own["opt"], h.own["gen"], h.own["u64"] = h.makeOpt(), h.makeGen(), h.function(h.u64)
	for _, v := range h.own {
		h.roots = append(h.roots, v)
	}
	h.watchGlobals()
	return h, nil
}

// call runs a function of the script within its limits, and leaves its results on the
// stack.
func (h *host) call(fn *glua.LFunction, results int, arguments ...glua.LValue) error {
	if h.meter.failure != nil {
		return h.library.located(h.script.Name, 0, "the script is not run further: "+h.meter.failure.Error(), h.meter.cause)
	}
	h.meter.begin()
	h.L.SetTop(0)
	err := h.L.CallByParam(glua.P{Fn: fn, NRet: results, Protect: true}, arguments...)
	if err == nil && h.meter.failure != nil {
		err = h.meter.failure // caught by the script in its last lines
	}
	if err == nil {
		return nil
	}
	failed := h.library.failed(h.script.Name, err, h.cause(err))
	if h.meter.failure == nil {
		h.meter.stop(failed, nil)
	}
	return failed
}

// cause is why a call failed, if the script is not alone to blame. Between Go and here an
// error is but a text, which the script may have caught, and put into one of its own.
func (h *host) cause(err error) error {
	if h.meter.cause == nil && h.lack != nil && strings.Contains(err.Error(), h.lack.Error()) {
		return h.lack
	}
	return h.meter.cause
}

// declarationError puts an error of a declaration on the line where it is written:
// that of the field, or of the assignment, or the first.
func (h *host) declarationError(err error) error {
	var field *fieldError
	if !errors.As(err, &field) {
		field = &fieldError{text: err.Error()}
	}
	if at := h.library.lineOf(field.path); at != nil {
		return h.library.located(at.file, at.line, err.Error(), field.err)
	}
	name, _, _ := strings.Cut(strings.ReplaceAll(field.path, "[", "."), ".")
	if file, line, _, ok := h.library.place(h.declared.lines[name]); ok {
		return h.library.located(file, line, err.Error(), field.err)
	}
	return h.library.located(h.script.Name, 1, err.Error(), field.err)
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

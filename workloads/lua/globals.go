package lua

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

var functions = []string{"prepare", "event", "done"}

// builtin are the globals that scripts use and cannot assign.
var builtin = []string{"opt", "gen", "u64"}

// ownNames are the globals that the metatable provides.
var ownNames = append(slices.Clone(builtin), declarationNames...)

// unavailable says why a part of standard Lua does not exist here.
var unavailable = map[string]string{
	"os":             "scripts have no clocks, files or processes",
	"io":             "scripts have no files; gen.file reads keys, print writes text",
	"debug":          "scripts cannot inspect the interpreter",
	"package":        "require reads modules from the script's own folder",
	"module":         "a module returns a table",
	"coroutine":      "scripts run as a single thread",
	"channel":        "scripts run as a single thread",
	"load":           "scripts cannot create code",
	"loadstring":     "scripts cannot create code",
	"loadfile":       "require reads modules from the script's own folder",
	"dofile":         "require reads modules from the script's own folder",
	"collectgarbage": "memory is managed automatically",
	"setfenv":        "all functions share the same globals",
	"getfenv":        "all functions share the same globals",
}

// metatable makes a metatable that scripts can neither read nor change.
func (h *host) metatable(functions map[string]sandbox.Function) *glua.LTable {
	meta := h.L.NewTable()
	for name, f := range functions {
		meta.RawSetString(name, h.Function(f))
	}
	return h.Protected(meta)
}

func (h *host) getGlobal(L *glua.LState) (int, error) {
	name := L.Get(2).String()
	switch v := cmp.Or(h.own[name], h.declared.values[name]); {
	case v != nil:
		return sandbox.Return(L, v)
	case isDeclaration(name):
		return 0, fmt.Errorf("%s is not declared yet", name)
	}
	return 0, h.unknownGlobal(name)
}

// unknownGlobal is the error for reading a global that was never assigned: mostly a misspelled name.
func (h *host) unknownGlobal(name string) error {
	if why, ok := unavailable[name]; ok {
		return fmt.Errorf("%s is not available: %s", name, why)
	}
	known := slices.Clone(ownNames)
	h.L.G.Global.ForEach(func(k, _ glua.LValue) { known = append(known, k.String()) })
	slices.Sort(known)
	if near := nearest.Names(name, known); len(near) > 0 {
		return nearest.Unknown("global", name, near)
	}
	return fmt.Errorf("unknown global %q: nothing was assigned to it; hint: rawget(_G, %q) reads it without failing", name, name)
}

func (h *host) setGlobal(L *glua.LState) (int, error) {
	key, value := L.Get(2), L.Get(3)
	switch name := key.String(); {
	case slices.Contains(builtin, name):
		return 0, fmt.Errorf("%s is built in and cannot be assigned", name)
	case isDeclaration(name):
		return 0, h.declare(name, value)
	case value != glua.LNil:
		L.G.Global.RawSet(key, value)
	}
	return 0, nil
}

func (h *host) makeOpt() glua.LValue {
	get := h.member("opt", "option or axis", h.opt)
	return h.readOnly("opt", func(L *glua.LState) (int, error) {
		if name := L.Get(2); len(h.opt) == 0 {
			return 0, fmt.Errorf("opt.%s: the script declares no options or axes; hint: options = { %s = 1000 } above this line", name, name)
		}
		return get(L)
	})
}

func (h *host) readOnly(what string, get sandbox.Function) *glua.LTable {
	t := h.L.NewTable()
	t.Metatable = h.metatable(map[string]sandbox.Function{"__index": get, "__newindex": func(L *glua.LState) (int, error) {
		return 0, fmt.Errorf("%s.%s cannot be assigned: %s is read-only", what, L.Get(2), what)
	}})
	return t
}

// member makes the __index function of a value. Names that are not members are errors.
func (h *host) member(what, kind string, members map[string]glua.LValue) sandbox.Function {
	return func(L *glua.LState) (int, error) {
		name := L.Get(2).String()
		if v, ok := members[name]; ok {
			return sandbox.Return(L, v)
		}
		if kind == "method" && L.Get(2).Type() != glua.LTString {
			return 0, fmt.Errorf("%s has no readable element %s; hint: pass whole vectors to t", what, name)
		}
		return 0, fmt.Errorf("%s: %w", what, nearest.Unknown(kind, name, slices.Sorted(maps.Keys(members))))
	}
}

func (h *host) checkFunctions() error {
	for _, name := range functions {
		if v := h.L.G.Global.RawGetString(name); v.Type() != glua.LTFunction && v != glua.LNil {
			return sandbox.WrongValue(name, v, "a function")
		}
	}
	_, staged := h.declared.values["stages"]
	switch prepare, event := h.function("prepare") != nil, h.function("event") != nil; {
	case !prepare && !event:
		return errors.New("the script does nothing: it defines neither prepare nor event")
	case event && !staged:
		return &sandbox.FieldError{Path: "event", Text: "stages are missing: they say how often event is called, as in stages = { batches = 10 }; " +
			"hint: batches = math.huge if event ends the run by returning false"}
	case staged && !event:
		return &sandbox.FieldError{Path: "stages", Text: "event is missing: stages call it, as in function event(t, i) t:find(keys) end"}
	}
	return nil
}

// checkNames refuses a global that looks like a misspelled declaration, which would have no effect.
func (h *host) checkNames() error {
	for k, v := h.L.G.Global.Next(glua.LNil); k != glua.LNil; k, v = h.L.G.Global.Next(k) {
		if slices.Contains(ownNames, k.String()) {
			return fmt.Errorf("%s was set by rawset, which declares nothing: assign it, as in %s = value", k, k)
		}
		var meant []string
		switch f := v.(type) {
		case *glua.LFunction:
			if !f.IsG {
				meant = functions
			}
		case *glua.LTable:
			meant = declarationNames
		}
		for _, meant := range meant {
			if _, declared := h.declared.values[meant]; !declared && h.function(meant) == nil && nearest.Distance(k.String(), meant) == 1 {
				return sandbox.WrongField(k.String(), " is assigned but %s is not: did you mean %s? hint: otherwise make it local", meant, meant)
			}
		}
	}
	return nil
}

// moduleName matches module names: a.b is the file a/b.lua. No name leaves the folder.
var moduleName = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

func (h *host) require(L *glua.LState) (int, error) {
	name := L.CheckString(1)
	if v, ok := h.modules[name]; ok {
		if v == nil {
			return 0, fmt.Errorf("module %s requires itself", name)
		}
		return sandbox.Return(L, v)
	}
	module := sandbox.Check(h.readModule(name))
	h.modules[name] = nil
	v := sandbox.Run(L, module, glua.LString(name))
	v = lists.Either[glua.LValue](v == glua.LNil, glua.LTrue, v)
	h.modules[name] = v
	h.Keep(v)
	return sandbox.Return(L, v)
}

func (h *host) readModule(name string) (*glua.LFunction, error) {
	if !moduleName.MatchString(name) {
		return nil, fmt.Errorf("%q is not a module name: it takes names such as keys or util.keys, of files in the script's own folder", nearest.Shorten(name, 40))
	}
	if h.script.folder == nil {
		return nil, fmt.Errorf("module %s not found: this script has no folder", name)
	}
	file := strings.ReplaceAll(name, ".", "/") + ".lua"
	source, err := readSource(h.script.folder, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("module %s not found: no file %s in the script's folder", name, file)
	}
	if err != nil {
		return nil, fmt.Errorf("module %s: %w", name, err)
	}
	return h.Compile(path.Join(path.Dir(strings.ReplaceAll(h.script.Name, `\`, "/")), file), source)
}

// readSource reads a file up to one byte above the limit, so that Compile sees the excess.
func readSource(dir fs.FS, file string) (string, error) {
	f, err := regular.In(dir, file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, sandbox.MaxSource+1))
	return string(text), err
}

// newRandom is a state's generator for math.random: the interpreter's is shared and cannot be seeded.
func newRandom(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(stream.Derive(seed, "math.random"), seed))
}

func (h *host) random(L *glua.LState) (int, error) {
	low, high := 1.0, 0.0
	switch L.GetTop() {
	case 0:
		return sandbox.Return(L, glua.LNumber(h.rng.Float64()))
	case 1:
		high = float64(L.CheckNumber(1))
	default:
		low, high = float64(L.CheckNumber(1)), float64(L.CheckNumber(2))
	}
	low, high = math.Floor(low), math.Floor(high)
	if !(low <= high) || math.Abs(low) > 1<<53 || math.Abs(high) > 1<<53 {
		return 0, fmt.Errorf("from %v to %v: it takes whole numbers up to 2^53, the first not above the second", low, high)
	}
	return sandbox.Return(L, glua.LNumber(low+float64(h.rng.Uint64N(uint64(high-low)+1))))
}

func (h *host) randomseed(L *glua.LState) (int, error) {
	h.rng = newRandom(math.Float64bits(float64(L.CheckNumber(1))))
	_, err := h.seed(L.Get(1))
	return 0, err
}

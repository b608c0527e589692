package lua

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// What scripts may use: of the interpreter's libraries the functions listed here,
// and those of this package. What is not listed is not there.
var allowed = []struct {
	module string
	open   glua.LGFunction
	names  []string
}{
	{"", glua.OpenBase, []string{"_G", "_VERSION", "assert", "getmetatable", "ipairs", "next", "pairs", "pcall",
		"rawequal", "rawget", "rawset", "select", "setmetatable", "type", "unpack", "xpcall"}},
	{glua.TabLibName, glua.OpenTable, []string{"insert", "maxn", "remove"}},
	{glua.StringLibName, glua.OpenString, []string{"byte", "char", "len", "lower", "reverse", "sub", "upper"}},
	{glua.MathLibName, glua.OpenMath, []string{"abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "deg", "exp",
		"floor", "fmod", "frexp", "ldexp", "log", "log10", "max", "min", "modf", "pi", "pow", "rad", "sin", "sinh", "sqrt",
		"tan", "tanh"}},
}

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

const (
	callDepth = 200     // calls in calls
	fewest    = 1 << 12 // values on the stack at first,
	most      = 1 << 17 // and at most
)

// newState makes a Lua state with the standard functions that are allowed, and with
// ours in the place of those that are not bounded or not repeatable.
func (h *host) newState() error {
	h.L = glua.NewState(glua.Options{
		SkipOpenLibs: true, CallStackSize: callDepth,
		RegistrySize: fewest, RegistryMaxSize: most, RegistryGrowStep: fewest,
	})
	for _, lib := range allowed {
		if err := h.L.CallByParam(glua.P{Fn: h.L.NewFunction(lib.open), Protect: true}, glua.LString(lib.module)); err != nil {
			return err
		}
		keepOnly(h.module(lib.module), lib.names)
	}
	h.setFunctions("", map[string]luaFunction{"error": raiseAt, "print": h.print, "tostring": h.tostring, "tonumber": toNumber, "require": h.require,
		concatName: h.concat})
	h.setFunctions(glua.TabLibName, map[string]luaFunction{"concat": h.tableConcat, "sort": h.sort})
	h.setFunctions(glua.StringLibName, map[string]luaFunction{"rep": h.rep, "format": h.format, "find": h.find, "match": h.match,
		"gmatch": h.gmatch, "gsub": h.gsub})
	h.setFunctions(glua.MathLibName, map[string]luaFunction{"random": h.random, "randomseed": h.randomseed})
	h.module(glua.MathLibName).RawSetString("huge", glua.LNumber(math.Inf(1)))
	strings := h.L.NewTable()
	strings.RawSetString("__index", h.module(glua.StringLibName))
	h.L.SetMetatable(glua.LString(""), h.protected(strings))
	h.L.SetContext(h.meter)
	return nil
}

type luaFunction = func(L *glua.LState) (int, error)

// module is the table of a library; "" is that of the globals.
func (h *host) module(name string) *glua.LTable {
	if name == "" {
		return h.L.G.Global
	}
	return h.L.G.Global.RawGetString(name).(*glua.LTable)
}

func (h *host) setFunctions(module string, functions map[string]luaFunction) {
	for name, f := range functions {
		h.module(module).RawSetString(name, h.function(f))
	}
}

func keepOnly(t *glua.LTable, names []string) {
	var drop []glua.LValue
	t.ForEach(func(k, v glua.LValue) {
		module, isTable := v.(*glua.LTable)
		if !slices.Contains(names, k.String()) && !(isTable && module != t) {
			drop = append(drop, k)
		}
	})
	for _, k := range drop {
		t.RawSet(k, glua.LNil)
	}
}

// protected keeps scripts from reading or changing a metatable.
func (h *host) protected(meta *glua.LTable) *glua.LTable {
	meta.RawSetString("__metatable", glua.LFalse)
	return meta
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

// text is a value as print and tostring show it. What the interpreter shows as an
// address is shown without, since addresses differ from run to run.
func (h *host) text(v glua.LValue) string {
	switch v.(type) {
	case *glua.LTable, *glua.LFunction, *glua.LUserData:
		if h.L.GetMetaField(v, "__tostring") == glua.LNil {
			return v.Type().String()
		}
		return h.L.ToStringMeta(v).String()
	}
	return v.String()
}

// raiseAt is Lua's error; the interpreter's counts levels wrongly.
func raiseAt(L *glua.LState) (int, error) {
	v, level := L.CheckAny(1), L.OptInt(2, 1)
	text, ok := v.(glua.LString)
	if at := L.Where(level); ok && level > 0 && at != "" && !strings.HasPrefix(at, "[G]") {
		v = glua.LString(at + " " + string(text))
	}
	L.Error(v, 0)
	return 0, nil
}

func (h *host) tostring(L *glua.LState) (int, error) {
	L.Push(glua.LString(h.text(L.CheckAny(1))))
	return 1, nil
}

func (h *host) print(L *glua.LState) (int, error) {
	var line strings.Builder
	for i := 1; i <= L.GetTop(); i++ {
		if i > 1 {
			line.WriteByte('\t')
		}
		line.WriteString(h.text(L.Get(i)))
		if line.Len() > maxString {
			return 0, fmt.Errorf("print: %w", errLong)
		}
	}
	h.charge(L, line.Len()/16)
	h.script.print(h.table, line.String())
	return 0, nil
}

// toNumber is Lua's; the interpreter's does not read 1e6.
func toNumber(L *glua.LState) (int, error) {
	v, base := L.CheckAny(1), L.OptInt(2, 10)
	if text, ok := v.(glua.LString); ok {
		v = glua.LNil
		if x, ok := readNumber(strings.TrimSpace(string(text)), base); ok {
			v = glua.LNumber(x)
		}
	}
	if _, ok := v.(glua.LNumber); !ok {
		v = glua.LNil
	}
	L.Push(v)
	return 1, nil
}

func readNumber(text string, base int) (float64, bool) {
	if base != 10 {
		n, err := strconv.ParseInt(strings.TrimPrefix(text, "0x"), base, 64)
		return float64(n), err == nil
	}
	if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		n, err := strconv.ParseUint(hex, 16, 64)
		return float64(n), err == nil
	}
	if strings.Trim(text, "+-.eE0123456789") != "" { // no inf, nan, 1_000
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil
}

// describe is a value in an error.
func describe(v glua.LValue) string {
	switch v := v.(type) {
	case glua.LString:
		return strconv.Quote(shorten(string(v), 40))
	case glua.LNumber, glua.LBool, *glua.LNilType:
		return v.String()
	case *glua.LUserData:
		if named, ok := v.Value.(interface{ what() string }); ok {
			return named.what()
		}
	}
	return "a " + v.Type().String()
}

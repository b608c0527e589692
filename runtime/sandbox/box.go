// Package sandbox runs untrusted Lua: workloads (workloads/lua), plans of sweeps and claims about papers. It opens
// base, table, string and math, and bounds instructions and time per call, memory, strings and patterns, which the
// interpreter does not. box.go lists what code may use, limits.go how much. Errors are *Error values with file, line
// and the line's text.
//
// Users add their own functions to a Box. Go functions are not interrupted, so they must
// charge for work that grows with their arguments.
package sandbox

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Options configure a box.
type Options struct {
	Limits  Limits
	Context context.Context // stops the code when it ends; may be nil
	File    string          // for errors without a line
	Subject string          // how errors refer to the code: the script
	Setting string          // prefix of the settings that set the limits, for hints; may be empty

	// Print receives printed text. If it is nil, code has no print.
	Print func(text string)
}

// Box is one Lua state with its limits and its code.
type Box struct {
	L     *glua.LState
	Meter *Meter

	options  Options
	sources  map[string][]string // the lines of each file: a script and the modules it requires
	places   map[string]place    // where variables, functions and the fields of tables were last written
	raised   error               // the last error of a Go function
	patterns map[string]*pattern
}

// New returns a box that has not run any code.
func New(o Options) (*Box, error) {
	o.Context = cmp.Or(o.Context, context.Background())
	box := &Box{options: o, sources: map[string][]string{}, places: map[string]place{}, patterns: map[string]*pattern{}}
	box.Meter = &Meter{
		Limits: o.Limits, Context: o.Context, Now: time.Now, subject: o.Subject, setting: o.Setting,
		memory: func() int64 { return box.Weigh().Bytes }, weighed: allocated(),
	}
	box.Meter.begin()
	return box, box.newState()
}

// Keep registers a value of the code to which only Go refers, so that Weigh counts it.
func (box *Box) Keep(v glua.LValue) { box.L.G.Registry.Append(v) }

func (box *Box) Close() { box.L.Close() }

// Call runs a function within the limits and leaves its results on the stack. After a failure it refuses to run more.
func (box *Box) Call(fn *glua.LFunction, results int, arguments ...glua.LValue) error {
	m := box.Meter
	if m.failure != nil {
		return box.Located(box.options.File, 0, box.options.Subject+" was stopped before: "+m.failure.Error(), m.cause)
	}
	m.begin()
	box.L.SetTop(0)
	err := box.L.CallByParam(glua.P{Fn: fn, NRet: results, Protect: true}, arguments...)
	if err == nil && m.failure != nil {
		err = m.failure // the code caught it in its last lines
	}
	if err == nil {
		return nil
	}
	failed := box.failed(err, cmp.Or(m.cause, box.behind(err)))
	if m.failure == nil {
		m.Stop(failed, nil)
	}
	return failed
}

// behind returns the Go error behind a failed call, or nil. Its text tells, because Lua code may have put it into an
// error of its own.
func (box *Box) behind(err error) error {
	if box.raised != nil && strings.Contains(err.Error(), box.raised.Error()) {
		return box.raised
	}
	return nil
}

// allowed lists the functions of the interpreter's libraries that code may use; all others are removed.
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

const (
	callDepth = 200     // nested calls
	fewest    = 1 << 12 // initial stack slots
	most      = 1 << 17 // maximum stack slots
)

// newState replaces standard functions that are unbounded or not repeatable.
func (box *Box) newState() error {
	box.L = glua.NewState(glua.Options{
		SkipOpenLibs: true, CallStackSize: callDepth,
		RegistrySize: fewest, RegistryMaxSize: most, RegistryGrowStep: fewest,
	})
	for _, lib := range allowed {
		if err := box.L.CallByParam(glua.P{Fn: box.L.NewFunction(lib.open), Protect: true}, glua.LString(lib.module)); err != nil {
			return err
		}
		module := box.Module(lib.module)
		module.ForEach(func(name, _ glua.LValue) {
			if !slices.Contains(lib.names, name.String()) {
				module.RawSet(name, glua.LNil)
			}
		})
	}
	box.Module("").RawSetString(concatName, box.Function(box.concat))
	box.SetFunctions("", map[string]Function{"error": raiseAt, "tonumber": toNumber,
		"tostring": func(L *glua.LState) (int, error) { return Return(L, glua.LString(box.Text(L.CheckAny(1)))) }})
	if box.options.Print != nil {
		box.SetFunctions("", map[string]Function{"print": box.print})
	}
	box.SetFunctions(glua.TabLibName, map[string]Function{"concat": box.tableConcat, "sort": box.sort})
	box.SetFunctions(glua.StringLibName, map[string]Function{
		"rep": box.rep, "format": box.format, "find": box.find, "match": box.match, "gmatch": box.gmatch, "gsub": box.gsub,
	})
	for _, name := range ofTables {
		box.refuse(name, aTable, box.Module("").RawGetString(name))
	}
	for module, takes := range wanted {
		box.Module(module).ForEach(func(name, f glua.LValue) { box.refuse(module+"."+name.String(), takes, f) })
	}
	box.Module(glua.MathLibName).RawSetString("huge", glua.LNumber(math.Inf(1)))
	strings := box.L.NewTable()
	strings.RawSetString("__index", box.Module(glua.StringLibName))
	box.L.SetMetatable(glua.LString(""), box.Protected(strings))
	box.L.SetContext(box.Meter)
	return nil
}

// Module returns the table of a library; "" is the table of globals.
func (box *Box) Module(name string) *glua.LTable {
	if name == "" {
		return box.L.G.Global
	}
	return box.L.G.Global.RawGetString(name).(*glua.LTable)
}

// SetFunctions adds functions to a library. Their errors start with their names.
func (box *Box) SetFunctions(module string, functions map[string]Function) {
	for name, f := range functions {
		box.Module(module).RawSetString(name, box.Called(strings.TrimPrefix(module+"."+name, "."), f))
	}
}

// Protected hides a metatable from code.
func (box *Box) Protected(meta *glua.LTable) *glua.LTable {
	meta.RawSetString("__metatable", glua.LFalse)
	return meta
}

// Text formats a value for print and tostring, without addresses, which differ from run to run.
func (box *Box) Text(v glua.LValue) string {
	switch v.(type) {
	case *glua.LTable, *glua.LFunction, *glua.LUserData:
		if box.L.GetMetaField(v, "__tostring") == glua.LNil {
			return v.Type().String()
		}
		return box.L.ToStringMeta(v).String()
	}
	return v.String()
}

// raiseAt is Lua's error; the interpreter's version counts levels wrongly.
func raiseAt(L *glua.LState) (int, error) {
	v, level := L.CheckAny(1), L.OptInt(2, 1)
	text, ok := v.(glua.LString)
	if at := L.Where(level); ok && level > 0 && at != "" && !strings.HasPrefix(at, "[G]") {
		v = glua.LString(at + " " + string(text))
	}
	L.Error(v, 0)
	return 0, nil
}

func (box *Box) print(L *glua.LState) (int, error) {
	var line strings.Builder
	for i := 1; i <= L.GetTop(); i++ {
		if i > 1 {
			line.WriteByte('\t')
		}
		if line.WriteString(box.Text(L.Get(i))); line.Len() > maxString {
			return 0, errLong
		}
	}
	box.Charge(line.Len() / 16)
	box.options.Print(line.String())
	return 0, nil
}

// Describe formats a value for an error.
func Describe(v glua.LValue) string {
	switch v := v.(type) {
	case glua.LString:
		return strconv.Quote(nearest.Shorten(string(v), 40))
	case glua.LNumber, glua.LBool, *glua.LNilType:
		return v.String()
	case *glua.LUserData:
		if named, ok := v.Value.(Named); ok {
			return named.What()
		}
	}
	return "a " + v.Type().String()
}

// Named is a Go value that describes itself in errors.
type Named interface{ What() string }

// Userdata wraps a Go value as a Lua value.
func (box *Box) Userdata(value any, meta *glua.LTable) *glua.LUserData {
	return &glua.LUserData{Value: value, Metatable: meta, Env: box.L.G.Global}
}

// Value returns the Go value within a Lua value.
func Value[T any](v glua.LValue) (value T, ok bool) {
	if ud, isUserdata := v.(*glua.LUserData); isUserdata {
		value, ok = ud.Value.(T)
	}
	return value, ok
}

// Whole returns a value as a whole number from 0 to 2^53, up to which doubles are exact. A Go value that is a
// whole number may be larger.
func Whole(v glua.LValue) (uint64, bool) {
	if n, ok := Value[interface{ Uint64() uint64 }](v); ok {
		return n.Uint64(), true
	}
	x, ok := v.(glua.LNumber)
	return uint64(x), ok && x >= 0 && x <= 1<<53 && float64(x) == math.Trunc(float64(x))
}

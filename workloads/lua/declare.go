package lua

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// declarationNames are the globals that scripts declare by assigning, in the order in which they are read.
// They exist only in the globals' metatable.
var declarationNames = []string{"options", "axes", "shape", "stages", "thresholds", "count", "plots", "contents", "answers"}

func isDeclaration(name string) bool { return slices.Contains(declarationNames, name) }

// declared holds the declarations of a script.
type declared struct {
	values map[string]glua.LValue // as assigned

	options    []Option
	axes       []run.Axis
	shape      shape
	stages     []run.Stage
	thresholds []string
	count      bool
	plots      []results.Plot
	contents   Names
	answers    bool
}

// declare handles an assignment to a declaration. Options and axes are read at once, since the lines below use opt.
func (h *host) declare(name string, value glua.LValue) error {
	if !h.declaring {
		return fmt.Errorf("%s must be declared at the top of the script, not in a function that runs later", name)
	}
	if _, twice := h.declared.values[name]; twice {
		return fmt.Errorf("%s is declared twice", name)
	}
	h.declared.values[name] = value
	h.Keep(value)
	if name != "options" && name != "axes" {
		return nil
	}
	if err := sandbox.Try(func() { h.read(name, value) }); err != nil {
		at := h.declarationError(err)
		h.L.Error(glua.LString(at.Place()+": "+at.Text), 0) // instead of the line of the assignment
	}
	return nil
}

// read reads a declaration. It raises its errors, as all that it calls.
func (h *host) read(name string, v glua.LValue) {
	switch d := &h.declared; name {
	case "options":
		h.readOptions(v)
	case "axes":
		h.readAxes(v)
	case "shape":
		d.shape = h.readShape(v)
	case "stages":
		d.stages = readStages(v)
	case "thresholds":
		d.thresholds = readThresholds(v, d.stages)
	case "count":
		sandbox.Raise(sandbox.Convert("count", v, &d.count, ""))
	case "plots":
		d.plots = each("plots", v, h.readPlot)
	case "answers":
		sandbox.Raise(sandbox.Convert("answers", v, &d.answers, ""))
	case "contents":
		sandbox.Check(sandbox.Decode("contents", v, &d.contents))
	}
}

// refuse raises a mistake in a declaration.
func refuse(path, format string, args ...any) {
	sandbox.Raise(sandbox.WrongField(path, format, args...))
}

// readOptions reads options = { name = default, name = { default, "help" }, ... }, and sets them in opt.
func (h *host) readOptions(v glua.LValue) {
	sandbox.Raise(sandbox.EachNamed("options", v, func(path, name string, v glua.LValue) error {
		h.declared.options = append(h.declared.options, readOption(path, name, v))
		return nil
	}))
	h.setUp()
	for _, o := range h.declared.options {
		if value, given := h.setup.Options[o.Name]; given && !o.takes(value) {
			text := fmt.Sprintf("option %s is %s: it takes %s", o.Name, run.Text(value), o.Allowed())
			sandbox.Raise(&sandbox.FieldError{Path: "options." + o.Name, Text: text})
		}
		h.setOpt("options", o.Name, h.setup.Options, o.Default)
	}
}

// setUp takes the values of options from settings, if one of them names a file. Wrong values are refused later.
func (h *host) setUp() {
	options := h.declared.options
	files := slices.DeleteFunc(slices.Clone(options), func(o Option) bool { return !o.File })
	values, given := map[string]any{}, false
	for _, setting := range h.settings {
		name, text, _ := strings.Cut(setting, "=")
		if name == "" && len(files) == 1 {
			name = files[0].Name
		}
		i := slices.IndexFunc(options, func(o Option) bool { return o.Name == name })
		if i < 0 {
			continue
		}
		if value, err := options[i].Parse(text); err == nil {
			values[name], given = value, given || options[i].File
		}
	}
	if given {
		h.setup.Options = values
	}
}

// setOpt puts the value of an option or axis into opt: the chosen one or the default.
func (h *host) setOpt(what, name string, chosen map[string]any, standard any) {
	if _, twice := h.opt[name]; twice {
		refuse(what+"."+name, ": an option and an axis have the same name")
	}
	value, given := chosen[name]
	h.opt[name] = toLua(lists.Either(given, value, standard))
}

// finish reads the other declarations, and raises what is wrong with the script.
func (h *host) finish() {
	sandbox.Raise(h.checkNames())
	if _, ok := h.declared.values["shape"]; !ok {
		sandbox.Raise(errors.New("shape is missing: declare the table that the script needs, as in shape = { n = 1e6, load = 0.8 }"))
	}
	for _, name := range declarationNames[2:] {
		if v, ok := h.declared.values[name]; ok {
			h.read(name, v)
		}
	}
	sandbox.Raise(h.checkFunctions())
}

type shape struct {
	schemes.Shape
	overrides []override
}

type override struct{ scheme, param, value, path string }

// readShape reads shape = { n = , load = , pair = , schemes = { name = { param = value } } }. The user may have chosen
// another pair.
func (h *host) readShape(v glua.LValue) (s shape) {
	var table struct {
		N         uint64      `lua:"n" min:"1"`
		Load      float64     `lua:"load" min:"0" max:"1"`
		Capacity  uint64      `lua:"capacity" min:"1"`
		Bytes     uint64      `lua:"bytes" min:"1"`
		Pair      glua.LValue `lua:"pair"`
		Placement string      `lua:"placement" oneof:"device host"`
		Schemes   glua.LValue `lua:"schemes"`
	}
	f := sandbox.Check(sandbox.Decode("shape", v, &table))
	switch {
	case f.Count("n", "capacity", "bytes") != 1 || f.Has("load") != f.Has("n"):
		refuse(f.Path, ": it takes one of n with load, capacity, or bytes")
	case f.Has("load") && table.Load == 0:
		refuse(f.At("load"), " is 0, it takes a number above 0, up to 1")
	}
	s.Shape = schemes.Shape{
		N: table.N, Load: table.Load, Capacity: table.Capacity, Bytes: table.Bytes, Pair: readPair(f), Host: table.Placement == "host",
	}
	if f.Has("schemes") {
		s.overrides = readOverrides(f.At("schemes"), table.Schemes)
	}
	if h.setup.Pair != (schemes.Pair{}) {
		s.Pair = h.setup.Pair
	}
	return s
}

func readPair(f *sandbox.Fields) schemes.Pair {
	if !f.Has("pair") {
		return schemes.Pair4
	}
	name := f.Get("pair").String()
	pair, known := schemes.FindPair(name)
	if !known {
		f.Read("pair", &name, reflect.StructTag(fmt.Sprintf("oneof:%q", strings.Join(schemes.PairNames(), " "))))
		sandbox.Raise(f.Err)
	}
	return pair
}

func readOverrides(path string, v glua.LValue) (list []override) {
	sandbox.Raise(sandbox.EachNamed(path, v, func(path, name string, v glua.LValue) error {
		scheme, err := schemes.Find(name)
		if err != nil {
			return sandbox.WrongField(path, ": %v", err)
		}
		config := scheme.Defaults()
		return sandbox.EachNamed(path, v, func(path, param string, v glua.LValue) error {
			o := override{name, param, sandbox.Check(sandbox.Text(path, v)), path}
			list, config = append(list, o), o.apply(config)
			return nil
		})
	}))
	return list
}

func (o override) apply(config schemes.Config) schemes.Config {
	changed, err := config.With(o.param, o.value)
	if err != nil {
		refuse(o.path, ": %v", err)
	}
	return changed
}

// applied returns a configuration with the script's overrides, except for what the user gave.
func (s shape) applied(config schemes.Config) schemes.Config {
	for _, o := range s.overrides {
		if o.scheme == config.Name && !config.Given(o.param) {
			config = o.apply(config)
		}
	}
	if err := config.Compiled(); err != nil {
		refuse("shape.schemes", ": %v", err)
	}
	if err := config.CompiledFor(s.Pair); err != nil {
		refuse("shape.pair", ": %w", err)
	}
	if s.Host && !config.Caps.HostMemory {
		with := schemes.Where(func(s *schemes.Scheme) bool { return s.Caps.HostMemory })
		refuse("shape.placement", ` is "host": %w`, &schemes.Lack{
			What: "no tables in host memory",
			Text: fmt.Sprintf("scheme %s supports only device memory; try %s", config.Name, strings.Join(with, ", ")),
		})
	}
	return config
}

// Names are a script's names for the columns of the table's contents and answers. Empty names are those of the file.
type Names struct {
	Key   string `lua:"key"`
	Value string `lua:"value"`
	Row   string `lua:"row"` // the number of the key in the batch that asked for it
}

// readStages reads stages = { batches = 10 }, or a list of such tables.
func readStages(v glua.LValue) (stages []run.Stage) {
	switch t, ok := v.(*glua.LTable); {
	case !ok:
		sandbox.Raise(sandbox.WrongValue("stages", v, "{ batches = 10 }, or a list of such tables"))
	case t.RawGetInt(1) == glua.LNil:
		stages = make([]run.Stage, 1)
		readStage("stages", v, &stages[0])
	default:
		stages = each("stages", v, readStage)
	}
	if _, err := run.Named(stages); err != nil {
		sandbox.Raise(&sandbox.FieldError{Path: "stages", Text: err.Error()})
	}
	return stages
}

// each reads the items of a list that people write by hand.
func each[T any](path string, v glua.LValue, read func(path string, v glua.LValue, into *T)) []T {
	const most = 100
	items := sandbox.Check(sandbox.List(path, v))
	if len(items) > most {
		refuse(path, " has %d items, at most %d", len(items), most)
	}
	all := make([]T, len(items))
	for i, item := range items {
		read(fmt.Sprintf("%s[%d]", path, i+1), item, &all[i])
	}
	return all
}

func readStage(path string, v glua.LValue, s *run.Stage) {
	var stage struct {
		Name       string      `lua:"name"`
		Batches    uint64      `lua:"batches" min:"1" max:"inf"`
		Operations uint64      `lua:"operations" min:"1" max:"inf"`
		Duration   float64     `lua:"duration" min:"0.001" max:"31622400"` // seconds, up to 366 days
		Rate       float64     `lua:"rate" min:"0.001" max:"1e15"`
		Warmup     uint64      `lua:"warmup"`
		Settle     glua.LValue `lua:"settle"`
	}
	f := sandbox.Check(sandbox.Decode(path, v, &stage))
	*s = run.Stage{
		Name: stage.Name, Warmup: stage.Warmup, Batches: stage.Batches, Operations: stage.Operations,
		Duration: time.Duration(math.Round(stage.Duration * float64(time.Second))), Rate: stage.Rate,
		Settles: f.Has("settle"),
	}
	if stage.Settle != glua.LTrue {
		f.Read("settle", &s.Noise, `min:"1e-4" max:"1"`)
	}
	switch {
	case f.Count("batches", "operations", "duration", "settle") != 1:
		refuse(path, ": it takes one of batches, operations, duration (seconds) and settle; "+
			"hint: batches = math.huge if event ends the run by returning false")
	case s.Settles && f.Count("warmup", "rate") > 0:
		refuse(path, ": settle goes without rate and warmup; hint: repeat.warmup in config.toml")
	}
	sandbox.Raise(f.Err)
}

// readThresholds reads thresholds = { "find.mops > 1" }.
func readThresholds(v glua.LValue, stages []run.Stage) []string {
	return each("thresholds", v, func(path string, v glua.LValue, into *string) {
		sandbox.Raise(sandbox.Convert(path, v, into, ""))
		if err := run.CheckThreshold(*into, stages); err != nil {
			sandbox.Raise(&sandbox.FieldError{Path: path, Text: err.Error()})
		}
	})
}

// declarationError places an error at the line of its field, or the first line.
func (h *host) declarationError(err error) *sandbox.Error {
	field, _ := errors.AsType[*sandbox.FieldError](err)
	field = cmp.Or(field, &sandbox.FieldError{})
	file, line := h.LineOf(field.Path)
	return h.Located(file, line, err.Error(), field.Err)
}

// published reads the numbers of a paper in the file NAME.published.csv beside the script, if it is there.
func (s *Script) published() ([]results.Published, error) {
	if s.folder == nil {
		return nil, nil
	}
	file := strings.TrimSuffix(filepath.Base(s.Name), ".lua") + results.PublishedExtension
	text, err := readSource(s.folder, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	list, err := results.ParsePublished(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	if err := s.checkPublished(list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return list, nil
}

// checkPublished refuses fields that no row has, and rates that no plot can show.
func (s *Script) checkPublished(list []results.Published) error {
	axes := lists.Map(s.Axes, func(a run.Axis) string { return a.Name })
	options := lists.Map(s.Options, func(o Option) string { return o.Name })
	known := slices.Concat([]string{"column", "value", "unit"}, analysis.Fields, axes, options)
	return lists.Each(list, func(p results.Published) error {
		check := func(name string) error { return nearest.Check("column", name, known) }
		return cmp.Or(lists.Each(slices.Sorted(maps.Keys(p.Of)), check), s.shows(p))
	})
}

// shows checks that a plot shows the number. Those of another machine are shown as ratios.
func (s *Script) shows(p results.Published) error {
	given := false
	for _, plot := range s.Plots {
		if plot.Y != p.Column {
			continue
		}
		scheme, relative := p.Times()
		if !p.OfAMachine() && !relative || p.OfAMachine() && plot.Relative != nil || relative && plot.Relative["scheme"] == scheme {
			return nil
		}
		given = true
	}
	if given {
		return fmt.Errorf("%s in %s: a plot of it needs relative, as in relative = \"NAME\", the scheme to divide by", p.Column, p.Unit)
	}
	return fmt.Errorf("column %q: no plot of the script has it as y", p.Column)
}

// readPlot reads { x = "load", y = "mops", where = { op = "find" } }.
func (h *host) readPlot(path string, v glua.LValue, p *results.Plot) {
	plot := struct {
		*results.Plot
		Relative glua.LValue `lua:"relative"`
	}{Plot: p}
	f := sandbox.Check(sandbox.Decode(path, v, &plot))
	if plot.X == "" || plot.Y == "" {
		refuse(path, ` needs x and y, as in { x = "load", y = "mops" }`)
	}
	if f.Has("relative") {
		p.Relative = base(f.At("relative"), plot.Relative)
	}
	h.checkFields(path, append([]string{p.X}, p.Group...))
}

// checkFields refuses names that no row has. Parameters of schemes are known only when there are results.
func (h *host) checkFields(path string, names []string) {
	known := append(lists.Map(h.declared.axes, func(a run.Axis) string { return a.Name }), analysis.Fields...)
	for _, name := range names {
		if !isName(name) {
			refuse(path, " has %q, it takes a name such as %s", name, known[0])
		}
	}
	if x := names[0]; !slices.Contains(known, x) && !analysis.IsColumn(x) {
		refuse(path+".x", ": %v", nearest.Unknown("field", x, known))
	}
}

// base reads the name of a scheme, or { scheme = name, name = value }.
func base(path string, v glua.LValue) map[string]string {
	if name, ok := v.(glua.LString); ok && name != "" {
		return map[string]string{"scheme": string(name)}
	}
	all := map[string]string{}
	sandbox.Raise(sandbox.EachNamed(path, v, func(path, name string, v glua.LValue) (err error) {
		all[name], err = sandbox.Text(path, v)
		return err
	}))
	if all["scheme"] == "" {
		refuse(path, ` needs a scheme, as in { scheme = "NAME", how = "insert" }`)
	}
	return all
}

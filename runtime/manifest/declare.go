package manifest

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Declaration is a manifest as a scheme, with what is needed to compile it.
type Declaration struct {
	*Manifest
	Scheme *schemes.Scheme
	absent []absent
	moves  *Expr
	builds *Expr
	most   *Expr // the maximum load factor
}

// Declare makes a scheme from a manifest. Expressions are parsed here and evaluated when
// they are needed; Prove evaluates them all.
func (m *Manifest) Declare() (*Declaration, error) {
	s := &schemes.Scheme{
		Name: m.Name, Title: m.Title, About: m.About, Paper: m.Paper, Hashes: uint32(m.Hashes), Kernels: m.Kernels,
		Caps: schemes.Capabilities{
			Ops: m.Can.Ops, Concurrent: m.Can.Concurrent, PairsWhy: m.Can.PairsWhy,
			Stable: m.Can.Stable, HostMemory: m.Can.HostMemory, Duplicates: m.Can.Duplicates,
		},
		Size: m.functions.Size, MaxLoad: m.functions.MaxLoad, Setup: m.functions.Setup, Rows: m.functions.Rows,
	}
	for _, p := range m.Can.Pairs {
		s.Caps.Pairs = append(s.Caps.Pairs, pairs()[p])
	}
	d := &Declaration{Manifest: m, Scheme: s}
	parts := []func() error{d.parameters, d.sizing, d.conditions, d.watching, d.hostSide, d.fills, d.texts}
	for _, part := range parts {
		if err := part(); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *Declaration) parameters() error {
	for _, p := range d.Params {
		made, err := d.parameter(p)
		if err != nil {
			return err
		}
		d.Scheme.Params = append(d.Scheme.Params, made)
	}
	return nil
}

// expression parses the value of a key, which may use the names of a scope.
func (d *Declaration) expression(key string, text expression, known scope) (*Expr, error) {
	if text == "" {
		return nil, d.Wrong(key, "is missing: it takes an expression")
	}
	e, err := parseExpression(string(text), known)
	if err != nil {
		return nil, d.Wrong(key, "is %v", err)
	}
	return e, nil
}

// ofParams is expression with the parameters' names in scope.
func (d *Declaration) ofParams(key string, text expression, names ...string) (*Expr, error) {
	known := scope{}
	for _, p := range d.Params {
		known[p.Name] = p.Choices
	}
	for _, name := range names {
		known[name] = nil
	}
	return d.expression(key, text, known)
}

// valuesOf returns the parameters of a configuration as expressions see them.
func valuesOf(c schemes.Config) values {
	list := values{}
	for _, p := range c.Params {
		if p.Words != nil {
			list[p.Name] = p.Text(c.Get(p.Name))
		} else {
			list[p.Name] = float64(c.Get(p.Name))
		}
	}
	return list
}

// absent is an operation that does not exist with some parameters.
type absent struct {
	op   string
	when *Expr
}

// conditions sets the parts of the scheme that depend only on parameters.
func (d *Declaration) conditions() (err error) {
	s := d.Scheme
	if !d.byGo("max_load") {
		if d.most, err = d.ofParams("max_load", d.MaxLoad); err != nil {
			return err
		}
		s.MaxLoad = func(c schemes.Config) float64 {
			v, _ := d.most.Number(valuesOf(c)) // 0 after an error, which is not a load factor
			return v
		}
	}
	if d.Compiled != "" {
		if d.builds, err = d.ofParams("compiled", d.Compiled); err != nil {
			return err
		}
		s.Builds = condition(d.builds)
	}
	if d.Can.Moves != "" {
		if d.moves, err = d.ofParams("can.moves", d.Can.Moves); err != nil {
			return err
		}
		s.Moves = condition(d.moves)
	}
	for _, w := range d.Without {
		when, err := d.ofParams("without."+w.Name+".when", w.When)
		if err != nil {
			return err
		}
		d.absent = append(d.absent, absent{w.Name, when})
	}
	if d.absent != nil {
		s.Without = d.without
	}
	return nil
}

func condition(e *Expr) func(schemes.Config) bool {
	return func(c schemes.Config) bool {
		yes, _ := e.True(valuesOf(c)) // Prove has evaluated it
		return yes
	}
}

func (d *Declaration) without(c schemes.Config) (ops []string) {
	for _, a := range d.absent {
		if condition(a.when)(c) {
			ops = append(ops, a.op)
		}
	}
	return ops
}

// never returns the operations that no table of a variant supports, whatever its other
// parameters are; they have no kernels.
func (d *Declaration) never(variant schemes.Config) (ops []string) {
	known := values{}
	for _, p := range variant.Params {
		if p.Role == schemes.Variant {
			known[p.Name] = valuesOf(variant)[p.Name]
		}
	}
	for _, a := range d.absent {
		if yes, err := a.when.True(known); err == nil && yes { // an error means that it depends on another parameter
			ops = append(ops, a.op)
		}
	}
	return ops
}

// hostSide finds the functions for operations that take more than one launch.
func (d *Declaration) hostSide() error {
	source, err := d.text(Lua)
	if err != nil {
		return err
	}
	ops := map[string]schemes.HostOp{}
	if source != "" {
		if ops, err = host.Compile(d.path(Lua), source); err != nil {
			return err
		}
	}
	for _, op := range slices.Sorted(maps.Keys(ops)) {
		if !slices.Contains(d.able(), op) {
			return d.Wrong("can.ops", "lacks %s, for which %s has a function", op, Lua)
		}
	}
	for op, name := range d.Manifest.Host {
		if ops[op] != nil {
			return d.Wrong("host."+op, "is %s, and %s has a function of that name too", name, Lua)
		}
		if ops[op], err = d.named(op, name); err != nil {
			return err
		}
	}
	for _, op := range d.Can.Ops {
		if slices.Contains(schemes.TableOps, op) && ops[op] == nil {
			return d.Wrong("can.ops", "has %s, which needs a host side: a function of that name in %s, or host.%s", op, Lua, op)
		}
	}
	if len(ops) > 0 {
		d.Scheme.Host = ops
	}
	return nil
}

// named returns a function of the folder's Go, or one of package host.
func (d *Declaration) named(op, name string) (schemes.HostOp, error) {
	if own, ok := d.functions.Host[name]; ok {
		return own, nil
	}
	shared, ok := host.Operations[name]
	if !ok && d.outline {
		return func(schemes.Table, schemes.Batch) (schemes.Result, error) { panic("an outline carries nothing out") }, nil
	}
	if !ok {
		known := slices.Sorted(maps.Keys(host.Operations))
		return nil, d.Wrong("host."+op, "is %v", nearest.Unknown("function", name, append(known, slices.Sorted(maps.Keys(d.functions.Host))...)))
	}
	for _, p := range shared.Params {
		if d.index(p) < 0 {
			return nil, d.Wrong("host."+op, "is %s, which reads the parameter %s: declare it as [param.%s]", name, p, p)
		}
	}
	if have := d.regionNames(); shared.Regions != nil && !slices.Equal(shared.Regions, have) {
		return nil, d.Wrong("host."+op, "is %s, which takes the regions %s: it has %s", name, quoted(shared.Regions), quoted(have))
	}
	return shared.Do, nil
}

func (d *Declaration) regionNames() (names []string) {
	for _, r := range d.Regions {
		names = append(names, r.Name)
	}
	return names
}

// texts sets the scheme's vectors and figures.
func (d *Declaration) texts() (err error) {
	if d.Scheme.Vectors, err = d.text(Vectors); err != nil {
		return err
	}
	text, err := d.text(Figures)
	if err != nil || text == "" {
		return err
	}
	if d.Scheme.Expected, err = schemes.ParseFigures(text); err != nil {
		return &mistake{d.path(Figures), err.Error()}
	}
	return nil
}

// fills sets the load factors that the scheme's tables reach.
func (d *Declaration) fills() error {
	for _, f := range d.Fills {
		key := "fill." + f.Name + "."
		if f.Least < 0 || f.Least > 100 {
			return d.Wrong(key+"least", "is %d: it takes 0 to 100", f.Least)
		}
		load, err := d.ofParams(key+"load", f.Load)
		if err != nil {
			return err
		}
		if f.Settings == nil {
			f.Settings = texts{""}
		}
		for _, settings := range f.Settings {
			c, err := d.Scheme.Set(settings)
			if err != nil {
				return d.Wrong(key+"settings", "is %v", err)
			}
			v, err := load.Number(valuesOf(c))
			if err != nil {
				return d.Wrong(key+"load", "is %v", err)
			}
			if !(v > 0 && v <= 1) {
				return d.Wrong(key+"load", "is %q, which is %g for %s: it takes more than 0 and at most 1", f.Load, v, c)
			}
			d.Scheme.Fills = append(d.Scheme.Fills, schemes.Fill{Settings: settings, Load: v, Least: int(f.Least)})
		}
	}
	return nil
}

// Folder returns the folder of the manifest.
func (d *Declaration) Folder() string { return filepath.Dir(d.file) }

// Only leaves out every variant but that of some settings, which become the defaults, and what
// the scheme is held to with others.
func (d *Declaration) Only(settings string) error {
	only, err := d.Scheme.Configure(settings)
	if err != nil {
		return err
	}
	for i, p := range d.Scheme.Params {
		if p.Role == schemes.Variant {
			d.Scheme.Params[i].Default = only.Get(p.Name)
		}
	}
	d.Scheme.Builds = func(c schemes.Config) bool { return c.Variant() == only.Variant() }
	other := func(settings string) bool {
		_, err := d.Scheme.Configure(settings)
		return err != nil
	}
	d.Scheme.Fills = slices.DeleteFunc(d.Scheme.Fills, func(f schemes.Fill) bool { return other(f.Settings) })
	d.Scheme.Expected = slices.DeleteFunc(d.Scheme.Expected, func(f schemes.Figure) bool { return other(f.Settings) })
	d.Scheme.Vectors = retell(d.Scheme.Vectors, d.Scheme.Name, func(settings string) bool { return !other(settings) })
	return nil
}

// Rename gives the scheme another name than that of its manifest and kernels.
func (d *Declaration) Rename(name string) {
	d.Scheme.Name = name
	d.Scheme.Vectors = retell(d.Scheme.Vectors, name, func(string) bool { return true })
}

package manifest

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// declare makes the scheme. Expressions are parsed here and evaluated when they are needed.
func (m *Manifest) declare() error {
	if err := each(reflect.ValueOf(&m.keys).Elem(), "", m.expression); err != nil {
		return err
	}
	s := &schemes.Scheme{
		Name: m.Name, Title: m.Title, About: m.About, Paper: m.Paper, Hashes: uint32(m.Hashes), Kernels: m.Kernels,
		Params: lists.Map(m.Params, (*param).declared),
		Caps: schemes.Capabilities{
			Ops: m.Can.Ops, Concurrent: m.Can.Concurrent, PairsWhy: m.Can.PairsWhy,
			Pairs:  lists.Map(m.Can.Pairs, func(name string) schemes.Pair { return pairs()[name] }),
			Stable: m.Can.Stable, HostMemory: m.Can.HostMemory, Duplicates: m.Can.Duplicates,
		},
		Rows:   m.functions.Rows,
		Builds: condition(m.Compiled), Moves: condition(m.Can.Moves), Gauges: m.gauges(),
	}
	if m.Size.Buckets != nil {
		s.Size = m.size
	}
	if m.MaxLoad != nil {
		s.MaxLoad = func(c schemes.Config) float64 {
			v, _ := m.MaxLoad.Number(valuesOf(c)) // 0 after an error, which is not a load factor
			return v
		}
	}
	if m.Without != nil {
		s.Without = func(c schemes.Config) []string { return m.lacking(valuesOf(c)) }
	}
	m.Scheme = s
	if m.IsReference() {
		host.Reference(s)
	}
	return cmp.Or(m.fills(), m.texts())
}

// expression parses the value of a key, if it is an expression or should be.
func (m *Manifest) expression(key string, f reflect.StructField, at reflect.Value) error {
	given, ok := at.Interface().(expression)
	if usual := f.Tag.Get("default"); given == nil && usual != "" {
		given = &Expr{text: usual}
	}
	if !ok || given == nil {
		return nil
	}
	known := scope{}
	for _, name := range strings.Fields(f.Tag.Get("of")) {
		known[name] = nil
	}
	if _, ok := known["parameters"]; ok {
		delete(known, "parameters")
		for _, p := range m.Params {
			known[p.Name] = p.Choices
		}
	}
	e, err := parseExpression(given.text, known)
	if err != nil {
		return m.Wrong(key, "is %v", err)
	}
	e.wrong = func(err error) error { return m.Wrong(key, "is %v", err) }
	at.Set(reflect.ValueOf(e))
	return nil
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

// with adds the dimensions of a table.
func (v values) with(l schemes.Layout) values {
	v["capacity"], v["buckets"] = float64(l.Capacity), float64(l.Buckets)
	return v
}

func condition(e *Expr) func(schemes.Config) bool {
	return func(c schemes.Config) bool {
		yes, _ := e.True(valuesOf(c)) // Prove has evaluated it
		return yes
	}
}

// never returns the operations that no table of a variant supports, whatever its other
// parameters are; they have no kernels.
func (m *Manifest) never(variant schemes.Config) []string {
	known := valuesOf(variant)
	for _, p := range variant.Params {
		if p.Role != schemes.Variant {
			delete(known, p.Name)
		}
	}
	return m.lacking(known)
}

// lacking returns the operations that do not exist with some values. A condition that depends
// on other values does not count.
func (m *Manifest) lacking(known values) (ops []string) {
	for _, w := range m.Without {
		if yes, err := w.When.True(known); err == nil && yes {
			ops = append(ops, w.Name)
		}
	}
	return ops
}

func (m *Manifest) texts() (err error) {
	if m.Scheme.Vectors, err = m.text(Vectors); err != nil {
		return err
	}
	text, err := m.text(Figures)
	if err != nil || text == "" {
		return err
	}
	if m.Scheme.Expected, err = schemes.ParseFigures(text); err != nil {
		return &mistake{m.path(Figures), err.Error()}
	}
	return nil
}

func (m *Manifest) fills() error {
	for _, f := range m.Fills {
		key := "fill." + f.Name + "."
		if f.Settings == nil {
			f.Settings = texts{""}
		}
		for _, settings := range f.Settings {
			c, err := m.Scheme.Set(settings)
			if err != nil {
				return m.Wrong(key+"settings", "is %v", err)
			}
			v, err := m.loadFactor(key+"load", f.Load, c)
			if err != nil {
				return err
			}
			m.Scheme.Fills = append(m.Scheme.Fills, schemes.Fill{Settings: settings, Load: v, Least: int(f.Least)})
		}
	}
	return nil
}

func (m *Manifest) loadFactor(key string, e *Expr, c schemes.Config) (float64, error) {
	v, err := e.Number(valuesOf(c))
	if err == nil && !(v > 0 && v <= 1) {
		err = m.Wrong(key, "is %q, which is %g for %s: it takes more than 0 and at most 1", e.text, v, c)
	}
	return v, err
}

// Only leaves out every variant but that of some settings, which become the defaults, and what
// the scheme is held to with others.
func (m *Manifest) Only(settings string) error {
	only, err := m.Scheme.Configure(settings)
	if err != nil {
		return err
	}
	for i, p := range m.Scheme.Params {
		if p.Role == schemes.Variant {
			m.Scheme.Params[i].Default = only.Get(p.Name)
		}
	}
	m.Scheme.Builds = func(c schemes.Config) bool { return c.Variant() == only.Variant() }
	other := func(settings string) bool {
		_, err := m.Scheme.Configure(settings)
		return err != nil
	}
	m.Scheme.Fills = slices.DeleteFunc(m.Scheme.Fills, func(f schemes.Fill) bool { return other(f.Settings) })
	m.Scheme.Expected = slices.DeleteFunc(m.Scheme.Expected, func(f schemes.Figure) bool { return other(f.Settings) })
	m.Scheme.Vectors = retell(m.Scheme.Vectors, m.Scheme.Name, func(settings string) bool { return !other(settings) })
	return nil
}

// Rename gives the scheme another name than that of its manifest and kernels.
func (m *Manifest) Rename(name string) {
	m.Scheme.Name = name
	m.Scheme.Vectors = retell(m.Scheme.Vectors, name, func(string) bool { return true })
}

// retell rewrites vectors for a scheme of another name, and without the tables whose settings
// are not kept. Lines keep their numbers, which errors name.
func retell(text, name string, keep func(settings string) bool) string {
	lines := strings.Split(text, "\n")
	kept, any := true, false
	for i, line := range lines {
		words := strings.Fields(line)
		if len(words) > 1 && words[0] == "table" {
			old, settings, _ := strings.Cut(words[1], ":")
			kept = keep(settings)
			any = any || kept
			line = strings.Replace(line, old, name, 1)
		}
		if !kept {
			line = ""
		}
		lines[i] = line
	}
	if !any {
		return ""
	}
	return strings.Join(lines, "\n")
}

package plugin

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/schemes/plugin/expr"
)

// declaration is a manifest as a scheme, and what of it is needed to compile it.
type declaration struct {
	*manifest
	scheme   *schemes.Scheme
	variants []schemes.Config // those that are compiled
	absent   []absent
}

// declare makes a scheme of a manifest, and says what of it cannot be. Its kernels need
// not be there.
func (m *manifest) declare() (*declaration, error) {
	s := &schemes.Scheme{
		Name: m.name, Title: m.title, About: m.about, Paper: m.paper,
		Caps: m.caps, Hashes: uint32(m.hashes), Kernels: m.kernels,
	}
	s.Caps.Ops = m.ops
	if len(m.concurrent) > 0 {
		s.Caps.Concurrent = m.concurrent
	}
	for _, p := range m.pairs {
		s.Caps.Pairs = append(s.Caps.Pairs, pairs[p])
	}
	for _, p := range m.params {
		made, err := m.parameter(p)
		if err != nil {
			return nil, err
		}
		s.Params = append(s.Params, made)
	}
	d := &declaration{manifest: m, scheme: s}
	for _, part := range []func() error{d.sizing, d.lacks, d.watching, d.enumerate, d.sound, d.held} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	return d, d.hostSide()
}

// expression reads the value of a key, in which these names may be used.
func (m *manifest) expression(key, text string, names ...string) (*expr.Expr, error) {
	if text == "" {
		return nil, m.wrong(key, fmt.Errorf("is not there: it takes an expression"))
	}
	e, err := expr.Parse(text, names)
	if err != nil {
		return nil, m.wrong(key, fmt.Errorf("is %w", err))
	}
	return e, nil
}

// ofParams is expression with the names of the parameters too.
func (m *manifest) ofParams(key, text string, names ...string) (*expr.Expr, error) {
	for _, p := range m.params {
		names = append(names, p.name)
	}
	return m.expression(key, text, names...)
}

// made is a parameter as a scheme has it.
func (p *param) made() schemes.Param {
	made := schemes.Param{Name: p.name, Help: p.help, Role: roleOf[p.role], Letter: p.letter, Values: p.values, Words: p.choices}
	if p.limits != nil {
		made.Min, made.Max = p.limits[0], p.limits[1]
	}
	switch usual := p.usual.(type) {
	case int64:
		made.Default = usual
	case string:
		made.Default = int64(slices.Index(p.choices, usual))
	}
	return made
}

func (m *manifest) parameter(p *param) (schemes.Param, error) {
	made := p.made()
	if made.Role == schemes.HashFamily {
		return schemes.HashFamilyParam(), nil
	}
	if p.auto == "" {
		return made, nil
	}
	key := "param." + p.name + ".auto"
	if made.Role != schemes.Arg {
		return made, m.wrong(key, fmt.Errorf("is of a parameter whose role is %s: only arguments have it", p.role))
	}
	e, err := m.expression(key, p.auto, "capacity", "buckets")
	made.Auto = func(l schemes.Layout) int64 {
		v, _ := automatic(e, l)
		return v
	}
	return made, err
}

// automatic is the value of an argument that a table chooses, rounded down.
func automatic(e *expr.Expr, l schemes.Layout) (int64, error) {
	v, err := e.Number(expr.Names{"capacity": float64(l.Capacity), "buckets": float64(l.Buckets)})
	return int64(max(0, min(v, 1<<53))), err
}

// named are the parameters of a configuration as expressions have them.
func named(c schemes.Config) expr.Names {
	names := expr.Names{}
	for _, p := range c.Params {
		if p.Words != nil {
			names[p.Name] = p.Text(c.Get(p.Name))
		} else {
			names[p.Name] = float64(c.Get(p.Name))
		}
	}
	return names
}

// mostVariants is far more than anybody waits for to be compiled.
const mostVariants = 200

// enumerate lists the variants that are compiled.
func (d *declaration) enumerate() error {
	compiled, err := d.ofParams("compiled", cmp.Or(d.compiled, "1"))
	if err != nil {
		return err
	}
	all := []schemes.Config{d.scheme.Defaults()}
	for _, p := range d.scheme.Params {
		if p.Role == schemes.Variant {
			all = wider(all, p)
		}
		if len(all) > mostVariants {
			return d.wrong("param."+p.Name+".role", fmt.Errorf("is variant, and makes more than %d of them", mostVariants))
		}
	}
	for _, c := range all {
		yes, err := compiled.True(named(c))
		if err != nil {
			return d.wrong("compiled", err)
		}
		if yes {
			d.variants = append(d.variants, c)
		}
	}
	if len(d.variants) == 0 {
		return d.wrong("compiled", fmt.Errorf("leaves no variant"))
	}
	return nil
}

// wider are configurations with each value of one parameter more.
func wider(all []schemes.Config, p schemes.Param) []schemes.Config {
	var list []schemes.Config
	for _, c := range all {
		for value := range strings.SplitSeq(p.Allowed(), ", ") {
			more, err := c.With(p.Name, value)
			if err != nil {
				panic(err) // the value is the parameter's own
			}
			list = append(list, more)
		}
	}
	return list
}

// sound tries every expression with every variant.
func (d *declaration) sound() error {
	for _, c := range d.variants {
		if err := d.soundVariant(c); err != nil {
			return err
		}
	}
	return nil
}

// soundVariant says which configuration a mistake shows in.
func (d *declaration) soundVariant(c schemes.Config) error {
	if most := c.MaxLoad(c); !(most > 0 && most <= 1) {
		return d.wrong("max_load", fmt.Errorf("is %q, which is %g for %s: it takes more than 0 and at most 1", d.maxLoad, most, c))
	}
	if err := d.soundWithout(c); err != nil {
		return err
	}
	for _, pair := range d.scheme.Caps.Pairs {
		err := c.Sound(pair)
		if err == nil {
			continue
		}
		if at := new(mistake); errors.As(err, &at) {
			return &mistake{at.where, fmt.Sprintf("%s, in %s %s", at.what, c, pair)}
		}
		return d.wrong("size.capacity", fmt.Errorf("and what follows from it: %w", err))
	}
	return nil
}

// hostSide compiles the host side next to the manifest, if there is one, and looks whether
// it has what the manifest says.
func (d *declaration) hostSide() error {
	path := filepath.Join(filepath.Dir(d.file), d.name+".lua")
	source, err := os.ReadFile(path)
	if err == nil {
		d.scheme.Host, err = schemes.CompileHost(path, string(source))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, op := range d.ops {
		if slices.Contains(schemes.TableOps, op) && d.scheme.Host[op] == nil {
			return d.wrong("can.ops", fmt.Errorf("has %s, which needs a host side: a function of that name in %s.lua", op, d.name))
		}
	}
	return d.scheme.Consistent()
}

package schemes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Role says where a parameter's value goes.
type Role int

const (
	// Variant parameters choose among the compiled kernels: part of their names.
	Variant Role = iota
	// Arg parameters are read by the kernels from Table.Arg, in the order of
	// their declaration.
	Arg
	// HashCount and HashFamily go to fields of their own in the table block.
	HashCount
	// HashFamily is the family of hash functions.
	HashFamily
	// HostOnly parameters concern the host side alone.
	HostOnly
)

// Param is a parameter of a scheme: an integer, or a choice among words, whose
// value is the word's index.
type Param struct {
	Name     string
	Help     string
	Role     Role
	Letter   string  // Variant: the letters before its value in kernel names
	Values   []int64 // the values allowed; empty: all of Min to Max
	Min, Max int64
	Words    []string // a choice: the words allowed
	Default  int64

	// Auto gives the value that 0 stands for, once the table's size is known.
	Auto func(Layout) int64
}

// Allowed says which values are allowed, for help and errors.
func (p Param) Allowed() string {
	switch {
	case p.Words != nil:
		return strings.Join(p.Words, ", ")
	case p.Values != nil:
		words := make([]string, len(p.Values))
		for i, v := range p.Values {
			words[i] = strconv.FormatInt(v, 10)
		}
		return strings.Join(words, ", ")
	default:
		return fmt.Sprintf("%d to %d", p.Min, p.Max)
	}
}

// Text is a value as a user writes it.
func (p Param) Text(value int64) string {
	if p.Words != nil {
		return p.Words[value]
	}
	return strconv.FormatInt(value, 10)
}

// Parse reads a value as a user writes it.
func (p Param) Parse(text string) (int64, error) {
	if p.Words != nil {
		if i := slices.Index(p.Words, text); i >= 0 {
			return int64(i), nil
		}
		return 0, p.refuse(text)
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || p.check(v) != nil {
		return 0, p.refuse(text)
	}
	return v, nil
}

func (p Param) check(v int64) error {
	ok := v >= p.Min && v <= p.Max
	switch {
	case p.Words != nil:
		ok = v >= 0 && v < int64(len(p.Words))
	case p.Values != nil:
		ok = slices.Contains(p.Values, v)
	}
	if !ok {
		return p.refuse(strconv.FormatInt(v, 10))
	}
	return nil
}

func (p Param) refuse(given string) error {
	return fmt.Errorf("parameter %s is %q: it takes %s", p.Name, given, p.Allowed())
}

// Config is a scheme with a value for each of its parameters.
type Config struct {
	*Scheme
	Caps   Capabilities // what the scheme can do with these values
	values []int64      // one per parameter, in the order of declaration
	given  []bool       // those that With has set
}

// Defaults returns a scheme's configuration with every default.
func (s *Scheme) Defaults() Config {
	c := Config{Scheme: s, values: make([]int64, len(s.Params)), given: make([]bool, len(s.Params))}
	for i, p := range s.Params {
		c.values[i] = p.Default
	}
	c.Caps = c.able()
	return c
}

// Parse reads a scheme as a user writes it: name, or name:param=value,...
func Parse(text string) (Config, error) {
	name, settings, _ := strings.Cut(text, ":")
	s, err := Find(strings.TrimSpace(name))
	if err != nil {
		return Config{}, err
	}
	return s.Configure(settings)
}

// Configure reads settings as a user writes them, param=value,...; the other
// parameters have their defaults.
func (s *Scheme) Configure(settings string) (Config, error) {
	c, err := s.Set(settings)
	if err != nil {
		return Config{}, err
	}
	return c, c.Compiled()
}

// Set is Configure for a scheme whose kernels need not be there.
func (s *Scheme) Set(settings string) (Config, error) {
	c := s.Defaults()
	for _, setting := range strings.FieldsFunc(settings, func(r rune) bool { return r == ',' }) {
		param, value, ok := strings.Cut(setting, "=")
		if !ok {
			return Config{}, fmt.Errorf("scheme %s: %q is no setting: write param=value, as in %s:%s",
				s.Name, setting, s.Name, s.example())
		}
		var err error
		if c, err = c.With(strings.TrimSpace(param), strings.TrimSpace(value)); err != nil {
			return Config{}, err
		}
	}
	return c, nil
}

// example is a setting of the scheme, for errors.
func (s *Scheme) example() string {
	if len(s.Params) == 0 {
		return "param=value, if it had parameters"
	}
	return s.Params[0].Name + "=" + s.Params[0].Text(s.Params[0].Default)
}

// With returns the configuration with one parameter set to a text value.
func (c Config) With(param, value string) (Config, error) {
	i := c.index(param)
	if i < 0 {
		return c, fmt.Errorf("scheme %s: %w", c.Name, nearest.Unknown("parameter", param, c.paramNames()))
	}
	v, err := c.Params[i].Parse(value)
	if err != nil {
		return c, fmt.Errorf("scheme %s: %w", c.Name, err)
	}
	return c.set(i, v), nil
}

// set returns the configuration with one value given, leaving c as it is.
func (c Config) set(i int, value int64) Config {
	c.values, c.given = slices.Clone(c.values), slices.Clone(c.given)
	c.values[i], c.given[i] = value, true
	c.Caps = c.able()
	return c
}

// able is what the scheme can do, less what it cannot with these values.
func (c Config) able() Capabilities {
	caps := c.Scheme.Caps
	caps.Stable = caps.Stable && (c.Moves == nil || !c.Moves(c))
	if c.Without == nil {
		return caps
	}
	without := c.Without(c)
	lacks := func(op string) bool { return slices.Contains(without, op) }
	caps.Ops = slices.DeleteFunc(slices.Clone(caps.Ops), lacks)
	caps.Concurrent = slices.DeleteFunc(slices.Clone(caps.Concurrent), lacks)
	if lacks(MixOp) {
		caps.Concurrent = nil
	}
	return caps
}

// MovesWith lists the choices with which pairs of a stable scheme move after all.
func (s *Scheme) MovesWith() []string {
	var list []string
	for i, p := range s.Params {
		for v, word := range p.Words {
			if s.Moves != nil && s.Moves(s.Defaults().set(i, int64(v))) {
				list = append(list, p.Name+"="+word)
			}
		}
	}
	return list
}

// Given says whether a parameter was set, be it to its default.
func (c Config) Given(param string) bool {
	i := c.index(param)
	return i >= 0 && c.given[i]
}

// Get returns a parameter's value. It panics if the scheme has no such one.
func (c Config) Get(param string) int64 { return c.values[c.index(param)] }

// Lookup returns a parameter's value, if the scheme has such a one.
func (c Config) Lookup(param string) (int64, bool) {
	if i := c.index(param); i >= 0 {
		return c.values[i], true
	}
	return 0, false
}

// Settings returns all parameters with their values as text.
func (c Config) Settings() map[string]string {
	m := map[string]string{}
	for i, p := range c.Params {
		m[p.Name] = p.Text(c.values[i])
	}
	return m
}

// String is the configuration as a user writes it, without defaults.
func (c Config) String() string {
	var set []string
	for i, p := range c.Params {
		if c.values[i] != p.Default {
			set = append(set, p.Name+"="+p.Text(c.values[i]))
		}
	}
	if set == nil {
		return c.Name
	}
	return c.Name + ":" + strings.Join(set, ",")
}

func (c Config) index(param string) int {
	return slices.IndexFunc(c.Params, func(p Param) bool { return p.Name == param })
}

func (c Config) paramNames() []string {
	var names []string
	for _, p := range c.Params {
		names = append(names, p.Name)
	}
	return names
}

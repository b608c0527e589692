package schemes

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/number"
)

// Config is a scheme with a value for each of its parameters.
type Config struct {
	*Scheme
	Caps   Capabilities // what the scheme can do with these values
	values []int64      // one per parameter, in the order of declaration
	given  []bool       // the values that were set explicitly

	Load float64 // of its tables, instead of what the shape says; 0: that of the shape
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

// Configure reads settings as a user writes them, param=value,...; the other parameters keep their defaults.
func (s *Scheme) Configure(settings string) (Config, error) {
	c, err := s.Set(settings)
	if err != nil {
		return Config{}, err
	}
	return c, c.Compiled()
}

// Set is Configure without the check that the kernels exist.
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

// example returns a setting of the scheme, for errors.
func (s *Scheme) example() string {
	if len(s.Params) == 0 {
		return "param=value, if it had parameters"
	}
	return s.Params[0].Name + "=" + s.Params[0].Text(s.Params[0].Default)
}

// With returns the configuration with one parameter set to a text value.
func (c Config) With(param, value string) (Config, error) {
	if param == LoadParam {
		x, ok := number.Parse(value)
		if !ok || !(x > 0 && x <= 1) {
			return c, fmt.Errorf("scheme %s: load is %q: it takes a number above 0, up to 1", c.Name, value)
		}
		return c.AtLoad(x), nil
	}
	p, v, err := c.Param(param)
	if err == nil {
		v, err = p.Parse(value)
	}
	if err != nil {
		return c, fmt.Errorf("scheme %s: %w", c.Name, err)
	}
	return c.set(c.index(param), v), nil
}

// set returns the configuration with one value set, and leaves c unchanged.
func (c Config) set(i int, value int64) Config {
	c.values, c.given = slices.Clone(c.values), slices.Clone(c.given)
	c.values[i], c.given[i] = value, true
	c.Caps = c.able()
	return c
}

// able returns what the scheme can do, without what it cannot do with these values.
func (c Config) able() Capabilities {
	caps := c.Scheme.Caps
	caps.Stable = caps.Stable && !c.Matches(c.Moves, nil)
	for i, p := range c.Params {
		if c.given[i] && len(p.Only) > 0 {
			caps.Pairs = slices.DeleteFunc(slices.Clone(caps.Pairs), func(pair Pair) bool { return !p.has(c.values[i], pair) })
		}
	}
	without := c.Lacks(nil)
	caps.Ops, caps.Concurrent = Except(caps.Ops, without), Except(caps.Concurrent, without)
	if slices.Contains(without, MixOp) {
		caps.Concurrent = nil
	}
	return caps
}

// Matches reports whether the configuration has all settings of an entry of a list, as far as their parameters are known;
// nil: all are.
func (c Config) Matches(list []string, known func(Param) bool) bool {
	differs := func(setting string) bool {
		name, value, _ := strings.Cut(setting, "=")
		i := c.index(name)
		return known != nil && !known(c.Params[i]) || c.Params[i].Text(c.values[i]) != value
	}
	return slices.ContainsFunc(list, func(settings string) bool { return !slices.ContainsFunc(strings.Split(settings, ","), differs) })
}

// Lacks returns the operations that the scheme lacks with these values, as far as their parameters are known.
func (c Config) Lacks(known func(Param) bool) []string {
	return lists.Filter(slices.Sorted(maps.Keys(c.Without)), func(op string) bool { return c.Matches(c.Without[op], known) })
}

// For returns the configuration that tables with such pairs have: a variant that is not compiled for them
// has its last value.
func (c Config) For(pair Pair) Config {
	c.values = slices.Clone(c.values)
	for i, p := range c.Params {
		if !p.has(c.values[i], pair) {
			c.values[i] = p.last()
		}
	}
	return c
}

// Given reports whether a parameter was set explicitly, even to its default.
func (c Config) Given(param string) bool {
	i := c.index(param)
	return i >= 0 && c.given[i]
}

// Get returns a parameter's value. It panics if the scheme has no such parameter.
func (c Config) Get(param string) int64 { return c.values[c.index(param)] }

// Param returns a parameter and its value, or an error with the nearest names.
func (c Config) Param(name string) (Param, int64, error) {
	i, err := nearest.Index("parameter", name, c.Params, func(p Param) string { return p.Name })
	if err != nil {
		return Param{}, 0, err
	}
	return c.Params[i], c.values[i], nil
}

// Settings returns all parameters and their values as text.
func (c Config) Settings() map[string]string {
	m := map[string]string{}
	for i, p := range c.Params {
		m[p.Name] = p.Text(c.values[i])
	}
	return m
}

// String returns the configuration as a user writes it, without defaults.
func (c Config) String() string {
	set := c.settings(func(p Param, v int64) bool { return v != p.Default })
	if c.Load > 0 {
		set = strings.TrimPrefix(set+","+LoadParam+"="+strconv.FormatFloat(c.Load, 'g', -1, 64), ",")
	}
	return strings.TrimSuffix(c.Name+":"+set, ":")
}

// settings returns some of the parameters as a user writes them.
func (c Config) settings(which func(Param, int64) bool) string {
	var set []string
	for i, p := range c.Params {
		if which(p, c.values[i]) {
			set = append(set, p.Name+"="+p.Text(c.values[i]))
		}
	}
	return strings.Join(set, ",")
}

func (c Config) index(param string) int {
	return slices.IndexFunc(c.Params, func(p Param) bool { return p.Name == param })
}

// Variant returns the name of this configuration's compiled kernels: the scheme's name,
// and for each Variant parameter its letter and number, or its word.
func (c Config) Variant() string {
	name := c.Name
	for i, p := range c.Params {
		if p.Role == Variant {
			name += "_" + p.Letter + p.Text(c.values[i])
		}
	}
	return name
}

// Compiled returns an error if the variant of this configuration is not compiled. Useless
// combinations of Variant parameters are left out.
func (c Config) Compiled() error {
	if c.compiled() {
		return nil
	}
	there := strings.Join(lists.Map(c.Variants(), Config.variantText), "; ")
	return fmt.Errorf("scheme %s: %s is not compiled: there are %s", c.Name, c.variantText(), there)
}

func (c Config) variantText() string {
	return c.settings(func(p Param, _ int64) bool { return p.Role == Variant })
}

func (c Config) compiled() bool { return !c.Matches(c.Excluded, nil) }

// Variants returns the scheme's compiled configurations, with defaults for all other parameters.
func (s *Scheme) Variants() []Config {
	list := []Config{s.Defaults()}
	for i, p := range s.Params {
		if p.Role != Variant {
			continue
		}
		list = slices.Concat(lists.Map(list, func(c Config) []Config {
			return lists.Map(p.All(), func(v int64) Config { return c.set(i, v) })
		})...)
	}
	return slices.DeleteFunc(list, func(c Config) bool { return !c.compiled() })
}

// Only excludes every variant but that of a configuration, which has the defaults from then on.
func (s *Scheme) Only(c Config) {
	for _, other := range s.Variants() {
		if other.Variant() != c.Variant() {
			s.Excluded = append(s.Excluded, other.variantText())
		}
	}
	for i, p := range s.Params {
		if p.Role == Variant {
			s.Params[i].Default = c.values[i]
		}
	}
}

// CompiledFor returns an error if the scheme has no tables with such pairs.
func (c Config) CompiledFor(pair Pair) error {
	if !slices.Contains(c.Caps.Pairs, pair) {
		why := strings.TrimSuffix(": "+c.Caps.PairsWhy, ": ")
		return &Lack{
			What: fmt.Sprintf("no pairs of %d+%d bytes%s", pair.Key, pair.Value, why),
			Text: fmt.Sprintf("scheme %s has no pairs %v: it has %v%s", c.Name, pair, c.Caps.Pairs, why),
		}
	}
	return nil
}

// Takes returns why the host side refuses tables with such pairs, if it does.
func (c Config) Takes(pair Pair) error {
	_, err := c.Size(c, Shape{Pair: pair, Capacity: 1 << 10})
	return err
}

// Launched returns the operations that are kernels; those of a family share one. Operations on whole tables and
// composed ones are carried out by the host side, which may launch its own kernels.
func (c Config) Launched() []string {
	var ops []string
	for _, op := range Except(c.Caps.Ops, TableOps) {
		if kernels.Op(op).Composed() {
			continue
		}
		if kernel := kernels.Op(op).Kernel(); !slices.Contains(ops, kernel) {
			ops = append(ops, kernel)
		}
	}
	if len(c.Caps.Concurrent) > 0 {
		ops = append(ops, MixOp)
	}
	return append(ops, c.Kernels...)
}

// soundShapes are the shapes that sizing is tested with.
var soundShapes = []Shape{
	{Capacity: 1}, {Capacity: 7}, {Capacity: 1000}, {Capacity: 1 << 20},
	{N: 1, Load: 0.5}, {N: 1 << 20, Load: 0.5}, {N: 12345, Load: 0.3}, {Bytes: 1 << 24},
}

// Sound returns an error if a scheme's declared sizes and load factors are impossible for a configuration.
func (c Config) Sound(pair Pair) error {
	if most := c.MaxLoad(c); !(most > 0 && most <= 1) {
		return fmt.Errorf("%s: the highest load factor is %g: it takes more than 0 and at most 1", c, most)
	}
	for _, shape := range soundShapes {
		shape.Pair = pair
		l, err := c.Size(c, shape)
		if Lacking(err) != nil {
			continue
		}
		if err == nil {
			err = c.soundLayout(l, shape)
		}
		if err != nil {
			return fmt.Errorf("%s, a table of %+v: %w", c, shape, err)
		}
		c.Block(l, 1, nil)
	}
	return nil
}

func (c Config) soundLayout(l Layout, shape Shape) error {
	switch {
	case l.Capacity < max(shape.Capacity, shape.N, 1) || l.Buckets == 0:
		return fmt.Errorf("it has %d slots in %d buckets", l.Capacity, l.Buckets)
	case len(l.Regions) > kernels.MaxRegions || slices.ContainsFunc(l.Regions, func(r Region) bool { return r.Bytes < 0 }):
		return fmt.Errorf("it has the regions %+v: there are %d at most", l.Regions, kernels.MaxRegions)
	case shape.Bytes > 0 && uint64(l.Bytes()) > shape.Bytes:
		return fmt.Errorf("it takes %d bytes", l.Bytes())
	case c.Caps.HostMemory && !slices.ContainsFunc(l.Regions, func(r Region) bool { return r.Table }):
		return fmt.Errorf("it may lie in host memory, and none of its regions does")
	}
	for _, g := range c.Gauges {
		if g.Fits == nil {
			continue
		}
		if err := g.Fits(c, l, shape.Pair); err != nil {
			return fmt.Errorf("gauge %s: %w", g.Name, err)
		}
	}
	return nil
}

// LoadParam is a setting that every scheme takes: the load factor of its tables, instead of the script's. So one run
// can compare schemes at different loads.
const LoadParam = "load"

// AtLoad returns the configuration with its own load factor; 0: that of the shape.
func (c Config) AtLoad(load float64) Config {
	c.Load = load
	return c
}

// ErrNoLoad is the error of a load factor for tables whose size does not depend on one.
var ErrNoLoad = errors.New("the table is sized by its slots or bytes, not by n and a load factor")

// Shaped returns a shape with the configuration's own load factor, if it has one.
func (c Config) Shaped(s Shape) (Shape, error) {
	if c.Load == 0 {
		return s, nil
	}
	if s.N == 0 {
		return s, fmt.Errorf("scheme %s: %w", c, ErrNoLoad)
	}
	s.Load = c.Load
	return s, nil
}

// Block fills a table block, which describes a table to the kernels.
func (c Config) Block(l Layout, seed uint64, regions []device.Addr) kernels.Table {
	t := kernels.Table{
		Capacity: l.Capacity,
		Buckets:  l.Buckets,
		Seed:     splitmix(^seed)(),
		Family:   kernels.Fast,
		Hashes:   max(1, c.Hashes),
	}
	for i, at := range regions {
		t.Region[i] = uint64(at)
	}
	args := t.Arg[:0]
	for i, p := range c.Params {
		switch p.Role {
		case HashCount:
			t.Hashes = uint32(c.values[i])
		case HashFamily:
			t.Family = uint32(c.values[i])
		case Arg:
			args = append(args, uint64(c.values[i]))
		}
	}
	if c.Arguments != nil {
		c.Arguments(c, l, t.Arg[:])
	}
	t.Hash = hashConstants(seed, t.Family)
	return t
}

// Kernel returns the name of the kernel that carries out an operation.
func (c Config) Kernel(pair Pair, op string, counted bool) string {
	if family := kernels.Op(op).Kernel(); family != "" {
		op = family
	}
	return "hz_" + c.For(pair).Variant() + "_" + pair.String() + "_" + op + lists.Either(counted, "_counted", "")
}

// prime is the modulus of the universal family (kernels/hash.h).
const prime = 4294967291

// hashConstants draws the random constants of a table's hash functions: odd multipliers
// for the fast family, multipliers from 1 to p-1 for the universal one.
func hashConstants(seed uint64, family uint32) [kernels.MaxHashes]kernels.Hash {
	var functions [kernels.MaxHashes]kernels.Hash
	random := splitmix(seed)
	for i := range functions {
		a, b, c := random(), random(), random()
		universal := kernels.Hash{A: 1 + a%(prime-1), B: b % prime, C: 1 + c%(prime-1)}
		functions[i] = lists.Either(family == kernels.Universal, universal, kernels.Hash{A: a | 1, B: b, C: c})
	}
	return functions
}

// splitmix is SplitMix64: small, and identical on every machine and in every version of Go.
func splitmix(state uint64) func() uint64 {
	return func() uint64 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
}

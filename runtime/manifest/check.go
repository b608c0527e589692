package manifest

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
)

var (
	goodName     = regexp.MustCompile(`^[a-z0-9]*[a-z][a-z0-9]*$`)
	goodWord     = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	goodGauge    = regexp.MustCompile(`^[a-z][a-z0-9_ ]*$`)
	goodLibrary  = regexp.MustCompile(`^[A-Za-z0-9_+.][A-Za-z0-9_+.-]*$`)
	goodSettings = regexp.MustCompile(`^[a-z][a-z0-9_]*=[a-z0-9_]+(,[a-z][a-z0-9_]*=[a-z0-9_]+)*$`)
	goodClass    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// GoodName returns an error if schemes cannot have the name.
func GoodName(name string) error {
	if !goodName.MatchString(name) {
		return fmt.Errorf("is %q: it takes small letters and digits", name)
	}
	return nil
}

// checkKey checks that a required key is given, other than the class of kernels in Go, and that
// the names in a list exist.
func (m *Manifest) checkKey(key string, f reflect.StructField, at reflect.Value) error {
	if f.Tag.Get("required") != "" && at.IsZero() && !(m.Go && key == "class") {
		return m.Wrong(key, "is missing: it takes %s", takesOf(f))
	}
	names, _ := at.Interface().([]string)
	list, ok := vocabularies[takesOf(f)]
	for i, name := range names {
		switch {
		case ok && !slices.Contains(list.known(), name):
			return m.Wrong(key, "has %v", nearest.Unknown(list.what, name, list.known()))
		case ok && slices.Contains(names[:i], name):
			return m.Wrong(key, "has %s twice", name)
		}
	}
	return nil
}

// vocabularies are the names that lists take.
var vocabularies = map[string]struct {
	what  string
	known func() []string
}{
	"a list of operations": {"operation", func() []string { return kernels.OpsOf(kernels.OnKeys, kernels.OnSlots, kernels.OnTable) }},
	"a list of pairs":      {"pair", func() []string { return slices.Sorted(maps.Keys(pairs())) }},
	"a list of gauges":     {"gauge", SharedGauges},
}

func (m *Manifest) checkKernels() error {
	ops := kernels.OpsOf(kernels.OnKeys, kernels.OnSlots, kernels.Mixed, kernels.Family)
	if i := slices.IndexFunc(m.Kernels, func(k string) bool { return slices.Contains(ops, k) }); i >= 0 {
		return m.Wrong("kernels", "has %s, an operation: can.ops has those", m.Kernels[i])
	}
	if m.Hashes < 0 || m.Hashes > kernels.MaxHashes {
		return m.Wrong("hashes", "is %d: it takes 0 to %d", m.Hashes, kernels.MaxHashes)
	}
	return nil
}

func (m *Manifest) checkOps() error {
	for _, op := range m.Can.Concurrent {
		if len(m.Can.Concurrent) < 2 || !slices.Contains(m.Can.Ops, op) || kernels.Op(op).Kind != kernels.OnKeys {
			return m.Wrong("can.concurrent", "is %v: it takes two operations or more, of those with keys that can.ops has", m.Can.Concurrent)
		}
	}
	for _, op := range m.Can.Ops {
		if kernels.Op(op).Composed() && !slices.Contains(m.Can.Ops, "find") && !slices.Contains(m.Can.Ops, "find_all") {
			return m.Wrong("can.ops", "has %s, which takes the kernels of find or find_all: it has neither", op)
		}
	}
	return nil
}

// able returns the operations, and mix if some may share a batch.
func (m *Manifest) able() []string {
	return lists.Either(len(m.Can.Concurrent) == 0, m.Can.Ops, append(slices.Clone(m.Can.Ops), schemes.MixOp))
}

// pairs are the pairs that kernels can be compiled for, by name.
var pairs = sync.OnceValue(func() map[string]schemes.Pair {
	list := map[string]schemes.Pair{}
	for line := range strings.Lines(string(lists.Must(kernels.Headers.ReadFile("pair.h")))) {
		var p schemes.Pair
		if n, _ := fmt.Sscanf(line, "using k%dv%d =", &p.Key, &p.Value); n == 2 {
			list[p.String()] = p
		}
	}
	return list
})

func (m *Manifest) checkWithout() error {
	always := schemes.Except(m.Can.Ops, schemes.TableOps)
	for _, op := range slices.Sorted(maps.Keys(m.Without)) {
		if !slices.Contains(m.able(), op) {
			return m.Wrong("without."+op, "is of an %v", nearest.Unknown("operation", op, m.able()))
		}
		if always = schemes.Except(always, []string{op}); len(always) == 0 {
			return m.Wrong("without."+op, "leaves no operation that every table has")
		}
	}
	return nil
}

// checkGauges checks the keys of gauges.
func (m *Manifest) checkGauges() error {
	const bins = len(kernels.Look{}.Bin)
	for _, g := range m.Own {
		switch key := "gauge." + g.Name + "."; {
		case g.Look == "" && !m.HasHost():
			return m.Wrong(key+"look", "is missing: it takes %s", tagOf[gauge]("look", "takes"))
		case g.Look == "" && (g.Items != "" || g.Labels != nil || g.First != 0):
			return m.Wrong(key+"look", "is missing, and %s adds the bars of such a gauge: leave out items, labels and first", Host)
		case !goodGauge.MatchString(g.Name):
			return m.Wrong(key+"look", "is of a gauge that is called %q: it takes small letters, digits, _ and spaces", g.Name)
		case slices.Contains(m.Gauges, g.Name):
			return m.Wrong(key+"look", "is of a gauge that gauges has too: choose another name")
		case slices.Contains(slices.Concat(kernels.Ops, m.Kernels), g.Look):
			return m.Wrong(key+"look", "is %s, as another kernel is called: choose another name", g.Look)
		case g.First < 0 || g.First > int64(bins-g.bars()):
			return m.Wrong(key+"first", "is %d, of %d bars: there are %d bins", g.First, g.bars(), bins)
		}
	}
	return nil
}

// bars returns the number of bars of a gauge; without labels it is a single number.
func (g *gauge) bars() int { return max(1, len(g.Labels)) }

func (m *Manifest) checkParams() error {
	if most := host.MaxParams; len(m.Params) > most {
		return m.Wrong("param."+m.Params[most].Name+".role", "is of one parameter too many: there are %d at most", most)
	}
	arguments := 0
	for _, p := range m.Params {
		if err := m.checkParam(p); err != nil {
			return err
		}
		if p.Role == "argument" {
			arguments++
		}
		if arguments > kernels.MaxArgs {
			return m.Wrong("param."+p.Name+".role", "is argument, after %d others: there are %d at most", kernels.MaxArgs, kernels.MaxArgs)
		}
	}
	return nil
}

func (m *Manifest) checkParam(p *param) error {
	key := "param." + p.Name + "."
	switch {
	case p.Role == "":
		return m.Wrong(key+"role", "is missing: it takes %s; without a role, there are the parameters %s", strings.Join(roles, ", "), strings.Join(slices.Sorted(maps.Keys(shared())), ", "))
	case !goodWord.MatchString(p.Name):
		return m.Wrong(key+"role", "is of a parameter that is called %q: it takes small letters, digits and _", p.Name)
	case p.Role == "hash_family" && !slices.Equal(p.Choices, shared()["hash"].Choices):
		return m.Wrong(key+"role", "is hash_family: leave it out of [param.hash], which is such a parameter")
	case p.Role != "argument" && p.Auto:
		return m.Wrong(key+"auto", "is of a parameter whose role is %s: only arguments have it", p.Role)
	case p.Type == "":
		return m.Wrong(key+"type", "is missing: it takes integer, choice")
	}
	return m.checkValues(p, key)
}

func (m *Manifest) checkValues(p *param, key string) error {
	switch integer, variant := p.Type == "integer", p.Role == "variant"; {
	case integer && (p.Values == nil) == (p.Range == nil):
		return m.Wrong(key+"type", "is integer: it needs values or a range")
	case integer && p.Range != nil && (len(p.Range) != 2 || p.Range[0] > p.Range[1]):
		return m.Wrong(key+"range", "is %v: it takes the least and the most", p.Range)
	case p.Role == "hash_count" && (p.Range == nil || p.Range[0] < 1 || p.Range[1] > kernels.MaxHashes):
		return m.Wrong(key+"role", "is hash_count: it takes a range from 1 to %d", kernels.MaxHashes)
	case integer && variant && p.Range != nil:
		return m.Wrong(key+"range", "is of a variant: it takes values, as each is compiled")
	case !variant && p.Only != nil:
		return m.Wrong(key+"only", "is of a parameter whose role is %s: only variants have it", p.Role)
	case integer && variant && !goodWord.MatchString(p.Letter):
		return m.Wrong(key+"letter", "is %q: a variant has small letters for its kernels' names", p.Letter)
	case !integer && p.Choices == nil:
		return m.Wrong(key+"choices", "is missing: it takes a list of words")
	case !integer && variant && !goodClass.MatchString(p.Enum):
		return m.Wrong(key+"enum", "is %q: a variant has an enum of namespace hz with its words", p.Enum)
	}
	made := p.declared()
	if v, err := made.Parse(fmt.Sprint(p.Default)); err != nil || v != made.Default {
		return m.Wrong(key+"default", "is %v: it takes %s", p.Default, made.Allowed())
	}
	return nil
}

// declared returns the parameter for the registry.
func (p *param) declared() schemes.Param {
	made := schemes.Param{
		Name: p.Name, Help: p.Help, Role: schemes.Role(slices.Index(roles, p.Role)), Letter: p.Letter,
		Values: p.Values, Words: p.Choices, Auto: p.Auto,
		Only: lists.Map(p.Only, func(name string) schemes.Pair { return pairs()[name] }),
	}
	if p.Range != nil {
		made.Min, made.Max = p.Range[0], p.Range[1]
	}
	switch usual := p.Default.(type) {
	case int64:
		made.Default = usual
	case string:
		made.Default = int64(slices.Index(p.Choices, usual))
	}
	return made
}

// mostVariants limits the time to compile a scheme.
const mostVariants = 200

// Prove checks the variants and what the scheme is held to, and returns the first error. It needs no kernels.
func (m *Manifest) Prove() error {
	if err := m.countable(); err != nil {
		return err
	}
	if m.Go && kernels.InGo[m.Name] == nil {
		return m.Wrong("go", "is true, and no Go of its folder is compiled in")
	}
	if all := m.Scheme.Variants(); len(all) == 0 {
		return m.Wrong("excluded", "leaves no variant")
	}
	if err := m.Scheme.Defaults().Compiled(); err != nil {
		return m.Wrong("excluded", "has the defaults: %v", err)
	}
	return m.proveHeld()
}

// proveSizes checks the layouts of all variants and pairs. It needs the host side.
func (m *Manifest) proveSizes() error {
	for _, c := range m.Scheme.Variants() {
		for _, pair := range c.Caps.Pairs {
			if err := c.Sound(pair); err != nil {
				return &mistake{m.path(Host), err.Error()}
			}
		}
	}
	return nil
}

// countable bounds the number of variants before they are listed.
func (m *Manifest) countable() error {
	n := 1
	for _, p := range m.Scheme.Params {
		if p.Role == schemes.Variant {
			n *= len(p.All())
		}
		if n > mostVariants {
			return m.Wrong("param."+p.Name+".role", "is variant, and makes more than %d of them", mostVariants)
		}
	}
	return nil
}

// proveHeld checks the scheme's expectations: fills and figures.
func (m *Manifest) proveHeld() error {
	for _, f := range m.Scheme.Fills {
		if c, err := m.Scheme.Configure(f.Settings); err != nil {
			return m.Wrong("fill.settings", "has %s: %v", c, err)
		}
	}
	for _, f := range m.Scheme.Expected {
		_, err := m.Scheme.Configure(f.Settings)
		switch {
		case err != nil:
		case !slices.Contains(m.Can.Ops, f.Op):
			err = fmt.Errorf("op is %s, which can.ops does not have", f.Op)
		case !slices.Contains(m.Scheme.Caps.Pairs, schemes.Pair4):
			err = fmt.Errorf("figures are measured with pairs %s, which can.pairs does not have", schemes.Pair4)
		}
		if err != nil {
			return &mistake{m.path(Figures), err.Error()}
		}
	}
	return nil
}

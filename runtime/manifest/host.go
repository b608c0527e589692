package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Host is the file with the scheme's host side (kernels/host_side.h).
const Host = "host.h"

// HasHost reports whether the scheme has a host side of its own.
func (m *Manifest) HasHost() bool {
	text, _ := m.text(Host)
	return text != ""
}

// Side is the C++ type with the host side of the scheme.
func (m *Manifest) Side() string {
	return lists.Either(m.HasHost(), "hz::host::"+m.Class+"Host", "hz::host::NoHost")
}

// Attach gives the scheme its host side, which is registered under a name, and checks that it has all that it should.
func (m *Manifest) Attach(name string) error {
	s := m.Scheme
	m.side = host.Of(name)
	m.side.Add(s, m.able())
	for _, op := range m.Can.Ops {
		if (slices.Contains(schemes.TableOps, op) || kernels.Op(op).Composed()) && s.Host[op] == nil {
			return m.Wrong("can.ops", "has %s, for which %s needs a function", op, Host)
		}
	}
	switch {
	case s.Size == nil:
		return &mistake{m.path(Host), fmt.Sprintf("%s has no layout, the memory of a table", m.Side())}
	case s.MaxLoad == nil:
		return m.Wrong("max_load", "is missing, and %s has none", Host)
	}
	return cmp.Or(m.checkRead(), m.proveSizes())
}

// HostSource returns the C++ that makes the host side known to the engine: the parameters by name, and the operations.
func (m *Manifest) HostSource() string {
	tags := strings.Join(lists.Map(KnownOps(m.Can.Ops, len(m.Can.Concurrent) > 0), func(op string) string { return "hz::op_" + op }), ", ")
	param := "ParamsOf_" + m.Name
	return "struct " + param + m.params() + fmt.Sprintf("HZ_HOST(%s, %s, %s, hz::host::OpList<%s>)\n", m.Name, m.Side(), param, tags)
}

// KnownOps are the operations by which host sides know what they may launch.
func KnownOps(able []string, mixed bool) []string {
	ops := append(slices.Clone(able), "count", "export")
	if mixed {
		ops = append(ops, schemes.MixOp)
	}
	ops = append(ops, lists.Map(able, func(op string) string { return kernels.Op(op).Kernel() })...)
	return slices.Compact(slices.Sorted(slices.Values(ops)))
}

// params declares the parameters as members, which are given at run time.
func (m *Manifest) params() string {
	fields := m.fields()
	values := lists.Make(len(fields), func(i int) string { return fmt.Sprintf("value[%d]", i) })
	var s strings.Builder
	s.WriteString(" {\n")
	if len(fields) > 0 {
		fmt.Fprintf(&s, "  int64_t %s;\n", strings.Join(fields, ", "))
	}
	if constants := m.constants(); len(constants) > 0 {
		fmt.Fprintf(&s, "  static constexpr int64_t %s;\n", strings.Join(constants, ", "))
	}
	fmt.Fprintf(&s, "  static auto of([[maybe_unused]] const int64_t* value) { return ParamsOf_%s{%s}; }\n};\n", m.Name, strings.Join(values, ", "))
	return s.String()
}

// ParamStruct declares the parameters with the values of a configuration.
func (m *Manifest) ParamStruct(c schemes.Config) string {
	list := m.constants()
	for i, p := range m.Scheme.Params {
		list = append(list, fmt.Sprintf("%s = %d", m.fields()[i], c.Get(p.Name)))
	}
	return "struct Param {\n    static constexpr int64_t " + strings.Join(list, ", ") + ";\n  };\n"
}

// fields are the names of parameters in C++: a word of the language has an underscore behind it.
func (m *Manifest) fields() []string {
	return lists.Map(m.Scheme.Params, func(p schemes.Param) string {
		return lists.Either(slices.Contains(strings.Fields(cppWords), p.Name), p.Name+"_", p.Name)
	})
}

// constants has the numbers of the words of choices, NAME_WORD, and the places in hz_table.Arg of parameters that
// kernels read, NAME_arg.
func (m *Manifest) constants() (list []string) {
	args := 0
	for _, p := range m.Scheme.Params {
		for number, word := range p.Words {
			list = append(list, fmt.Sprintf("%s_%s = %d", p.Name, word, number))
		}
		if p.Role == schemes.Arg {
			list = append(list, fmt.Sprintf("%s_arg = %d", p.Name, args))
			args++
		}
	}
	return list
}

const cppWords = "auto bool break case catch char class const continue default delete do else enum explicit export " +
	"extern false float for friend goto if inline int long mutable namespace new operator private protected public register " +
	"return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using " +
	"virtual void volatile while"

// PluginHost is what the source of a plugin has behind its kernels: the host side, for CPUs, and the end. The file of the
// instrumented kernels has neither.
func (m *Manifest) PluginHost() string {
	var include string
	if m.HasHost() {
		include = fmt.Sprintf("#include %q\n", m.path(Host))
	}
	class := fmt.Sprintf("#line %d %q\n", m.lines["class"], m.file) // where errors are that a missing struct makes
	return "#if !HZ_GPU && !defined(HZ_COUNTED)\n#include \"host_engine.h\"\n" + include + class + m.HostSource() + "#endif\n" +
		"#if !defined(HZ_COUNTED)\nHZ_PLUGIN\n#endif\n"
}

// looks returns the functions of the class that count; gauges may share one.
func (m *Manifest) looks() []string {
	counting := lists.Filter(m.Own, func(g *gauge) bool { return g.Look != "" })
	return lists.Unique(lists.Map(counting, func(g *gauge) string { return g.Look }))
}

// gauges are those of the scheme's layout, and its own.
func (m *Manifest) gauges() []schemes.Gauge {
	list := lists.Map(lists.Filter(sharedKeys().Own, func(g *gauge) bool { return slices.Contains(m.Gauges, g.Name) }), m.shared)
	for _, g := range m.Own {
		made := g.declared()
		made.Read = g.read
		if g.Look == "" {
			made.Read = func(t schemes.Table) ([]schemes.Bar, error) { return m.side.Read(t, g.Name) }
		}
		list = append(list, made)
	}
	return list
}

func (g *gauge) declared() schemes.Gauge {
	return schemes.Gauge{Name: g.Name, Help: g.Help, Unit: g.Unit, Even: g.Even, Mean: g.Mean}
}

// shared is a gauge that the manifest names. The error of one that does not fit has the position.
func (m *Manifest) shared(g *gauge) schemes.Gauge {
	made := g.declared()
	made.Read = func(t schemes.Table) ([]schemes.Bar, error) { return host.Shared().Read(t, g.Name) }
	made.Fits = func(_ schemes.Config, l schemes.Layout, p schemes.Pair) error {
		if err := host.Shared().Fits(g.Name, l, p); err != nil {
			return m.Wrong("gauges", "has %s: %v", g.Name, err)
		}
		return nil
	}
	return made
}

// checkRead checks that the host side reads the gauges without a look, and no others.
func (m *Manifest) checkRead() error {
	plain := lists.Filter(m.Own, func(g *gauge) bool { return g.Look == "" })
	names := lists.Map(plain, func(g *gauge) string { return g.Name })
	if unread := schemes.Except(names, m.side.Gauges); len(unread) > 0 {
		return m.Wrong("gauge."+unread[0]+".look", "is missing, and %s does not read the gauge", Host)
	}
	if more := schemes.Except(m.side.Gauges, names); len(more) > 0 {
		return &mistake{m.path(Host), "it reads the gauge " + more[0] + ", and " + File + " has none of that name without a look"}
	}
	return nil
}

func (g *gauge) read(t schemes.Table) ([]schemes.Bar, error) {
	items := lists.Either(g.Items == "buckets", t.Layout().Buckets, t.Layout().Capacity)
	counted, err := t.Look(t.Config().Kernel(t.Pair(), g.Look, false), items, kernels.Look{})
	if err != nil {
		return nil, err
	}
	list := make([]schemes.Bar, g.bars())
	for i := range list {
		list[i] = schemes.Bar{Value: float64(counted[int(g.First)+i])}
		if g.Labels != nil {
			list[i].Label = g.Labels[i]
		}
	}
	return list, nil
}

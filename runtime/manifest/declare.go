package manifest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// declare makes the scheme. What its host side has is attached when its code is there (Attach).
func (m *Manifest) declare() error {
	s := &schemes.Scheme{
		Manifest: m, Name: m.Name, Title: m.Title, About: m.About, Paper: m.Paper, Hashes: uint32(m.Hashes), Kernels: m.Kernels,
		Params: lists.Map(m.Params, (*param).declared),
		Caps: schemes.Capabilities{
			Ops: m.Can.Ops, Concurrent: m.Can.Concurrent, PairsWhy: m.Can.PairsWhy,
			Pairs:  lists.Map(m.Can.Pairs, func(name string) schemes.Pair { return pairs()[name] }),
			Stable: m.Can.Stable, HostMemory: m.Can.HostMemory, Duplicates: m.Can.Duplicates,
		},
		Gauges: m.gauges(),
	}
	m.Scheme = s
	if err := m.checkSettings(); err != nil {
		return err
	}
	if m.Excluded != nil {
		s.Builds = func(c schemes.Config) bool { return !matches(c, m.Excluded) }
	}
	if m.Can.Moves != nil {
		s.Moves = func(c schemes.Config) bool { return matches(c, m.Can.Moves) }
	}
	if m.MaxLoad > 0 {
		s.MaxLoad = func(schemes.Config) float64 { return m.MaxLoad }
	}
	if len(m.Without) > 0 {
		s.Without = func(c schemes.Config) []string { return m.lacking(c, func(schemes.Param) bool { return true }) }
	}
	if m.IsReference() {
		host.Reference(s)
		s.OnGPU = m.OnGPU()
	}
	return cmp.Or(m.fills(), m.texts())
}

// matches reports whether a configuration has all of some settings.
func matches(c schemes.Config, list []string) bool {
	return slices.ContainsFunc(list, func(settings string) bool { return has(c, settings, func(schemes.Param) bool { return true }) })
}

// has reports whether a configuration has settings, as far as its parameters are known.
func has(c schemes.Config, settings string, known func(schemes.Param) bool) bool {
	for setting := range strings.SplitSeq(settings, ",") {
		name, value, _ := strings.Cut(setting, "=")
		i := slices.IndexFunc(c.Params, func(p schemes.Param) bool { return p.Name == name })
		if p := c.Params[i]; !known(p) || p.Text(c.Get(name)) != value {
			return false
		}
	}
	return true
}

// checkSettings refuses settings that no configuration has.
func (m *Manifest) checkSettings() error {
	check := func(key string, list []string) error {
		for _, settings := range list {
			if _, err := m.Scheme.Set(settings); err != nil {
				return m.Wrong(key, "has %q: %v", settings, err)
			}
		}
		return nil
	}
	for _, op := range slices.Sorted(maps.Keys(m.Without)) {
		if err := check("without."+op, m.Without[op]); err != nil {
			return err
		}
	}
	return cmp.Or(check("excluded", m.Excluded), check("can.moves", m.Can.Moves), check("can.wide_atomics", m.Can.WideAtomics))
}

// lacking returns the operations that do not exist with some values of the parameters that are known.
func (m *Manifest) lacking(c schemes.Config, known func(schemes.Param) bool) (ops []string) {
	for _, op := range slices.Sorted(maps.Keys(m.Without)) {
		if slices.ContainsFunc(m.Without[op], func(settings string) bool { return has(c, settings, known) }) {
			ops = append(ops, op)
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
			if _, err := m.Scheme.Set(settings); err != nil {
				return m.Wrong(key+"settings", "is %v", err)
			}
			m.Scheme.Fills = append(m.Scheme.Fills, schemes.Fill{Settings: settings, Load: f.Load, Least: int(f.Least)})
		}
		if !(f.Load > 0 && f.Load <= 1) {
			return m.Wrong(key+"load", "is %g: it takes more than 0 and at most 1", f.Load)
		}
	}
	return nil
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
	m.Scheme.Vectors = retell(m.Scheme.Vectors, m.Scheme.Name, func(settings, pair string) bool {
		c, err := m.Scheme.Configure(settings)
		return err == nil && (pair == "" || c.For(pairs()[pair]).Variant() == only.Variant())
	})
	return nil
}

// Rename gives the scheme another name than that of its manifest and kernels.
func (m *Manifest) Rename(name string) {
	m.Scheme.Name = name
	m.Scheme.Vectors = retell(m.Scheme.Vectors, name, func(string, string) bool { return true })
}

// retell rewrites vectors for a scheme of another name, and without the tables whose settings
// are not kept. Lines keep their numbers, which errors name.
func retell(text, name string, keep func(settings, pair string) bool) string {
	lines := strings.Split(text, "\n")
	kept, any := true, false
	for i, line := range lines {
		words := strings.Fields(line)
		if len(words) > 1 && words[0] == "table" {
			old, settings, _ := strings.Cut(words[1], ":")
			pair := "" // none is said
			for _, word := range words {
				if text, ok := strings.CutPrefix(word, "pair="); ok && pair == "" {
					pair = text
				}
			}
			kept = keep(settings, pair)
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

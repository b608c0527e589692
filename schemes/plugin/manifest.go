package plugin

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/tomlfile"
	"github.com/hashzoo/hashzoo/schemes"
)

// manifestFile is what a folder with a plugin has in it.
const manifestFile = "scheme.toml"

// manifest is scheme.toml, as it was read.
type manifest struct {
	file  string         // for errors
	lines map[string]int // of each key

	name, title, about, paper, class string
	maxLoad, compiled, moves         string
	hashes                           int64
	kernels                          []string
	ops, concurrent, pairs           []string
	caps                             schemes.Capabilities
	params                           []*param
	buckets, capacity                string
	regions                          []*region
	without                          []*without
	slotGauges                       []string
	gauges                           []*gauge
	fills                            []*fill
	figures                          []*figure
}

// param is a parameter as it was written.
type param struct {
	name, role, kind string
	limits, values   []int64
	choices          []string
	usual            any
	help, letter     string
	enum, auto       string
}

type region struct {
	name, bytes string
	fill        int64
	table       bool
}

func (m *manifest) param(name string) *param {
	return entry(&m.params, name, func(p *param) *string { return &p.name })
}

func (m *manifest) region(name string) *region {
	return entry(&m.regions, name, func(r *region) *string { return &r.name })
}

func (m *manifest) lacking(op string) *without {
	return entry(&m.without, op, func(w *without) *string { return &w.op })
}

func (m *manifest) gauge(name string) *gauge {
	return entry(&m.gauges, name, func(g *gauge) *string { return &g.name })
}

func (m *manifest) figure(name string) *figure {
	return entry(&m.figures, name, func(f *figure) *string { return &f.name })
}

func (m *manifest) fill(name string) *fill {
	return entry(&m.fills, name, func(f *fill) *string { return &f.name })
}

// entry finds what has a name, or adds it to the list: its order is that of the file.
func entry[T any](list *[]*T, name string, of func(*T) *string) *T {
	for _, t := range *list {
		if *of(t) == name {
			return t
		}
	}
	t := new(T)
	*of(t) = name
	*list = append(*list, t)
	return t
}

// readManifest reads the manifest in a folder, and says the first thing that is wrong
// with it. What it makes of it needs no kernels.
func readManifest(folder string) (*manifest, error) {
	file := filepath.Join(folder, manifestFile)
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseManifest(file, string(source))
}

func parseManifest(file, source string) (*manifest, error) {
	m := &manifest{file: file, lines: map[string]int{}}
	if err := tomlfile.Read(file, source, nil, m.read); err != nil {
		return nil, err
	}
	return m, m.check()
}

// mistake is something wrong in a manifest.
type mistake struct{ where, what string }

func (m *mistake) Error() string { return m.where + ": " + m.what }

// wrong is a mistake at a key. One that is not there has the line of the first key of its
// table.
func (m *manifest) wrong(key string, err error) error {
	line, ok := m.lines[key]
	table := key[:strings.LastIndex(key, ".")+1]
	for other, at := range m.lines {
		if !ok && table != "" && strings.HasPrefix(other, table) && (line == 0 || at < line) {
			line = at
		}
	}
	where := m.file
	if line > 0 {
		where = fmt.Sprintf("%s:%d", m.file, line)
	}
	return &mistake{where, key + " " + err.Error()}
}

var (
	goodName  = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	goodWord  = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	goodGauge = regexp.MustCompile(`^[a-z][a-z0-9_ ]*$`)
	goodClass = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// check looks at each value by itself.
func (m *manifest) check() error {
	if !goodName.MatchString(m.name) {
		return m.wrong("name", fmt.Errorf("is %q: it takes small letters and digits, a letter first", m.name))
	}
	if known, err := schemes.Find(m.name); err == nil && known.Plugin == nil {
		return m.wrong("name", fmt.Errorf("is %s: the zoo has a scheme of that name", m.name))
	}
	if !goodClass.MatchString(m.class) {
		return m.wrong("class", fmt.Errorf("is %q: it takes the name of a class template in namespace hz", m.class))
	}
	for _, said := range []struct{ key, text string }{{"title", m.title}, {"about", m.about}, {"paper", m.paper}} {
		if strings.TrimSpace(said.text) == "" {
			return m.wrong(said.key, fmt.Errorf("is empty: it takes a text"))
		}
	}
	for _, k := range m.kernels {
		if !goodWord.MatchString(k) {
			return m.wrong("kernels", fmt.Errorf("has %q: it takes names of small letters, digits and _", k))
		}
	}
	if len(m.ops) == 0 || len(m.pairs) == 0 {
		return m.wrong("can", fmt.Errorf("needs ops and pairs, at least one of each"))
	}
	for _, check := range []func() error{m.checkOps, m.checkWithout, m.checkGauges} {
		if err := check(); err != nil {
			return err
		}
	}
	for _, p := range m.pairs {
		if _, ok := pairs[p]; !ok {
			return m.wrong("can.pairs", fmt.Errorf("has %w", nearest.Unknown("pair", p, slices.Sorted(maps.Keys(pairs)))))
		}
	}
	if m.hashes < 0 || m.hashes > kernels.MaxHashes {
		return m.wrong("hashes", fmt.Errorf("is %d: it takes 0 to %d", m.hashes, kernels.MaxHashes))
	}
	arguments := 0
	for _, p := range m.params {
		if err := m.checkParam(p); err != nil {
			return err
		}
		if p.role == "argument" {
			arguments++
		}
		if arguments > kernels.MaxArgs {
			return m.wrong("param."+p.name+".role", fmt.Errorf("is argument, as of %d others: there are %d at most", kernels.MaxArgs, kernels.MaxArgs))
		}
	}
	for _, f := range m.figures {
		if err := m.checkFigure(f); err != nil {
			return err
		}
	}
	if m.caps.HostMemory && !slices.ContainsFunc(m.regions, func(r *region) bool { return r.table }) {
		return m.wrong("can.host_memory", fmt.Errorf("is true, and no region has table = true"))
	}
	for _, r := range m.regions {
		if r.fill < 0 || r.fill > 255 {
			return m.wrong("region."+r.name+".fill", fmt.Errorf("is %d: it takes 0 to 255", r.fill))
		}
	}
	return nil
}

// checkOps looks at the operations. Those on whole tables are known to have a host side
// once that is compiled.
func (m *manifest) checkOps() error {
	known := slices.DeleteFunc(slices.Concat(kernels.Ops, schemes.TableOps), func(op string) bool { return op == schemes.MixOp })
	for _, op := range m.ops {
		if !slices.Contains(known, op) {
			return m.wrong("can.ops", fmt.Errorf("has %w", nearest.Unknown("operation", op, known)))
		}
	}
	apart := slices.Concat(schemes.TableOps, []string{"count", "export"})
	for _, op := range m.concurrent {
		if len(m.concurrent) < 2 || !slices.Contains(m.ops, op) || slices.Contains(apart, op) {
			return m.wrong("can.concurrent", fmt.Errorf("is %v: it takes two operations or more, of those with keys that can.ops has", m.concurrent))
		}
	}
	return nil
}

func (m *manifest) checkParam(p *param) error {
	key := "param." + p.name + "."
	role, ok := roleOf[p.role]
	if !ok {
		return m.wrong(key+"role", fmt.Errorf("is %q: it takes %s", p.role, quoted(roles)))
	}
	if !goodWord.MatchString(p.name) {
		return m.wrong(key+"role", fmt.Errorf("is of a parameter that is called %q: it takes small letters, digits and _", p.name))
	}
	if slices.Contains(sizeNames, p.name) {
		return m.wrong(key+"role", fmt.Errorf("is of a parameter that is called %s, which expressions of sizes know as something else", p.name))
	}
	family := schemes.HashFamilyParam()
	switch {
	case role == schemes.HashFamily && (p.name != family.Name || p.kind != ""):
		return m.wrong(key+"role", fmt.Errorf("is hash_family: such a parameter is called %s, and has its type, choices and help by itself", family.Name))
	case role == schemes.HashFamily:
		return nil
	case p.kind == "integer":
		return m.checkInteger(p)
	case p.kind == "choice":
		return m.checkChoice(p)
	}
	return m.wrong(key+"type", fmt.Errorf("is %q: it takes %s", p.kind, quoted(types)))
}

func (m *manifest) checkInteger(p *param) error {
	key := "param." + p.name + "."
	switch {
	case (p.values == nil) == (p.limits == nil):
		return m.wrong(key+"type", fmt.Errorf("is integer: it needs values or a range"))
	case p.limits != nil && (len(p.limits) != 2 || p.limits[0] > p.limits[1]):
		return m.wrong(key+"range", fmt.Errorf("is %v: it takes the least and the most", p.limits))
	case p.role == "hash_count" && (p.limits == nil || p.limits[0] < 1 || p.limits[1] > kernels.MaxHashes):
		return m.wrong(key+"role", fmt.Errorf("is hash_count: it takes a range from 1 to %d", kernels.MaxHashes))
	case p.limits != nil && p.role == "variant":
		return m.wrong(key+"range", fmt.Errorf("is of a variant: it takes values, as each is compiled"))
	case p.role == "variant" && !goodWord.MatchString(p.letter):
		return m.wrong(key+"letter", fmt.Errorf("is %q: a variant has small letters for its kernels' names", p.letter))
	}
	if _, ok := p.usual.(int64); !ok {
		return m.wrong(key+"default", fmt.Errorf("is %v: it takes an integer", p.usual))
	}
	made := p.made()
	if _, err := made.Parse(fmt.Sprint(p.usual)); err != nil {
		return m.wrong(key+"default", fmt.Errorf("is %v: it takes %s", p.usual, made.Allowed()))
	}
	return nil
}

func (m *manifest) checkChoice(p *param) error {
	key := "param." + p.name + "."
	if i := slices.IndexFunc(p.choices, func(w string) bool { return !goodWord.MatchString(w) }); i >= 0 || len(p.choices) == 0 {
		return m.wrong(key+"choices", fmt.Errorf("is %q: it takes words of small letters, digits and _", p.choices))
	}
	if word, ok := p.usual.(string); !ok || !slices.Contains(p.choices, word) {
		return m.wrong(key+"default", fmt.Errorf("is %v: it takes %s", p.usual, quoted(p.choices)))
	}
	if p.role == "variant" && !goodClass.MatchString(p.enum) {
		return m.wrong(key+"enum", fmt.Errorf("is %q: a variant has an enum of namespace hz with its words", p.enum))
	}
	return nil
}

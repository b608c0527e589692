package manifest

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// launched returns the operations that have a kernel in a variant.
func (m *Manifest) launched(variant schemes.Config) []string {
	// What no table of a variant supports, whatever its other parameters are, has no kernels.
	never := variant.Lacks(func(p schemes.Param) bool { return p.Role == schemes.Variant })
	variant.Caps = m.Scheme.Caps
	variant.Caps.Ops = schemes.Except(variant.Caps.Ops, never) // a family's kernel stays while one of its operations does
	return schemes.Except(variant.Launched(), never)
}

// KernelNames returns the names of all kernels that the manifest asks for.
func (m *Manifest) KernelNames() (names []string) {
	for _, c := range m.Scheme.Variants() {
		for _, pair := range c.Caps.Pairs {
			for _, op := range m.launched(c) {
				names = append(names, c.Kernel(pair, op, false), c.Kernel(pair, op, true))
			}
			for _, look := range m.looks() {
				names = append(names, c.Kernel(pair, look, false))
			}
		}
	}
	return names
}

// args returns the parameters that kernels read, in order.
func (m *Manifest) args() []string {
	read := lists.Filter(m.Scheme.Params, func(p schemes.Param) bool { return p.Role == schemes.Arg })
	return lists.Map(read, func(p schemes.Param) string { return p.Name })
}

// Source returns the C++ source that instantiates kernels from the header: those of the
// variants and pairs that are wanted, or all of them for nil. With lines, a compiler reports
// errors in the class at the line of the manifest that names it.
func (m *Manifest) Source(lines bool, wanted func(schemes.Config, schemes.Pair) bool) string {
	return m.prologue(lines) + m.instantiations(lines, wanted)
}

// LibrarySource is that of a reference for GPUs, for nvcc: a line for each kernel (reference_gpu.h).
func (m *Manifest) LibrarySource() string {
	var s strings.Builder
	fmt.Fprintf(&s, "#include %q\n\nHZ_ARGS(%q, %q)\n", m.path(m.Name+".h"), m.Name, strings.Join(m.args(), " "))
	for _, c := range m.Scheme.Variants() {
		class := "of_" + c.Variant()
		fmt.Fprintf(&s, "\n#line %d %q\ntemplate <class P> using %s = hz::%s<%s>;\n", m.lines["class"], m.file, class, m.Class, strings.Join(m.templateArguments(c), ", "))
		for _, pair := range c.Caps.Pairs {
			for _, op := range m.launched(c) {
				macro := lists.Either(slices.Contains(m.Kernels, op), "HZ_LIBRARY_OWN", "HZ_LIBRARY_OP")
				for _, counted := range []bool{false, true} {
					fmt.Fprintf(&s, "%s(%s, %s, %s, %s)\n", macro, c.Kernel(pair, op, counted), class, pair, op)
				}
			}
		}
	}
	return s.String() + "HZ_PLUGIN\n"
}

// prologue writes the includes and definitions before the first variant.
func (m *Manifest) prologue(lines bool) string {
	var s strings.Builder
	header := lists.Either(lines, m.path(m.Name+".h"), m.Name+".h")
	fmt.Fprintf(&s, "#include %q\n#include \"kernel.h\"\n\n", header)
	fmt.Fprintf(&s, "HZ_ARGS(%q, %q)\n", m.Name, strings.Join(m.args(), " "))
	for _, k := range m.Kernels {
		fmt.Fprintf(&s, "HZ_OWN_OP(%s)\n", k)
	}
	return s.String()
}

func (m *Manifest) instantiations(lines bool, wanted func(schemes.Config, schemes.Pair) bool) string {
	var s strings.Builder
	line := func(int) string { return "" }
	if lines {
		line = func(at int) string { return fmt.Sprintf("#line %d %q\n", at, m.file) }
	}
	for _, c := range m.Scheme.Variants() {
		pairs := slices.Clone(c.Caps.Pairs)
		if wanted != nil {
			pairs = slices.DeleteFunc(pairs, func(p schemes.Pair) bool { return !wanted(c, p) })
		}
		if len(pairs) == 0 {
			continue
		}
		class := "of_" + c.Variant()
		fmt.Fprintf(&s, "%stemplate <class P> using %s = hz::%s<%s>;\n", line(m.lines["class"]), class, m.Class, strings.Join(m.templateArguments(c), ", "))
		for _, instance := range m.instances(c, class, pairs) {
			fmt.Fprintf(&s, "%s%s\n", line(m.lines["class"]), instance)
		}
		for _, pair := range pairs {
			for _, look := range m.looks() {
				i := slices.IndexFunc(m.Own, func(g *gauge) bool { return g.Look == look })
				where := lists.Either(pair == schemes.Pair8, "HZ_PAIR8", "HZ_PAIR4")
				fmt.Fprintf(&s, "%s%s(HZ_LOOK_KERNEL(%s, %s<hz::%s>::%s))\n", line(m.lines["gauge."+m.Own[i].Name+".look"]),
					where, c.Kernel(pair, look, false), class, pair, look)
			}
		}
	}
	return s.String()
}

func (m *Manifest) templateArguments(c schemes.Config) []string {
	list := []string{"P"}
	for i, p := range m.Scheme.Params {
		if p.Role != schemes.Variant {
			continue
		}
		list = append(list, lists.Either(p.Words == nil, "", "hz::"+m.Params[i].Enum+"::")+p.Text(c.Get(p.Name)))
	}
	return list
}

// instances returns the code for a variant's kernels. Older GPUs lack the atomics that wide pairs need (kernel.h).
func (m *Manifest) instances(c schemes.Config, class string, pairs []schemes.Pair) []string {
	ops := strings.Join(m.launched(c), ", ")
	wide := m.Can.WideAtomics == nil || c.Matches(m.Can.WideAtomics, nil)
	if wide && slices.Equal(pairs, []schemes.Pair{schemes.Pair4, schemes.Pair8}) {
		return []string{fmt.Sprintf("HZ_KERNELS(%s, %s, %s)", c.Variant(), class, ops)}
	}
	return lists.Map(pairs, func(pair schemes.Pair) string {
		what := fmt.Sprintf("%s, %s, %s, %s", c.Variant(), class, pair, ops)
		return lists.Either(wide && pair == schemes.Pair8, "HZ_PAIR8(HZ_LOOK(HZ_EACH_OP("+what+")))", "HZ_KERNELS_FOR("+what+")")
	})
}

// Lacking returns an error if a library has other kernels than the manifest asks for.
func (m *Manifest) Lacking(l kernels.Library) error {
	have, want := l.Names(), m.KernelNames()
	if lacks := schemes.Except(want, have); len(lacks) > 0 {
		return fmt.Errorf("it lacks the kernel %s, which %s asks for", lacks[0], File)
	}
	if more := schemes.Except(have, want); len(more) > 0 {
		return fmt.Errorf("it has the kernel %s, which %s does not ask for", more[0], File)
	}
	if args, ok := l.Args(m.Name); !ok || !slices.Equal(args, m.args()) {
		return fmt.Errorf("its kernels read the arguments %v, and %s has %v", args, File, m.args())
	}
	return nil
}

// Type is the C++ type of the kernels' class in a configuration, for a kind of pair P.
func (m *Manifest) Type(c schemes.Config) string {
	return "hz::" + m.Class + "<" + strings.Join(m.templateArguments(c), ", ") + ">"
}

// IsReference reports whether the tables are a library's.
func (m *Manifest) IsReference() bool { return m.Kind == "reference" }

// OnGPU reports whether they are on GPUs.
func (m *Manifest) OnGPU() bool { return m.Device == "gpu" }

// Linker returns the arguments that link the libraries.
func (m *Manifest) Linker() []string {
	return append(lists.Map(m.Libraries, func(library string) string { return "-l" + library }), "-lstdc++")
}

// refer gives a reference what all of them have: their tables are made for n pairs, and their memory is the library's.
func (m *Manifest) refer() error {
	has, why := map[string]bool{"libraries": len(m.Libraries) > 0, "device": m.Device != ""}, "only schemes of kind reference have it"
	if m.IsReference() {
		has = map[string]bool{"max_load": m.MaxLoad != 0, "kernels": m.Kernels != nil, "gauges": m.Gauges != nil || m.Own != nil,
			"can.host_memory": m.Can.HostMemory}
		why = "a reference has none: its library decides"
	}
	for key, given := range has {
		if given {
			return m.Wrong(key, "is given, and %s", why)
		}
	}
	if m.IsReference() {
		m.MaxLoad, m.Kernels = 1, host.ReferenceKernels
	}
	return nil
}

// register adds kernels in Go to the program's.
func (m *Manifest) register() {
	for _, c := range m.Scheme.Variants() {
		for _, pair := range c.Caps.Pairs {
			for _, op := range m.launched(c) {
				body := kernels.InGo[m.Name](pair.String(), op)
				kernels.AddGo(c.Kernel(pair, op, false), body)
				kernels.AddGo(c.Kernel(pair, op, true), body)
			}
		}
	}
}

// templates has the files that follow from the manifests: in each folder with kernels, variants.cc with the usual
// kernels, others.cc and counted.cc with the rest, which only the tag all compiles in, and scheme.go; and zoo.go and
// hosts.cc, which link all schemes and their host sides. The package of a scheme imports only the shared headers, so its kernels are compiled again only if
// a header changes.
//
//go:embed generated.tmpl
var templates string

var generated = template.Must(template.New("").Funcs(template.FuncMap{
	"flags": func(name string) string { return strings.Join(kernels.Flags(name), " ") },
	"kernels": func(all []*Manifest) []string { // that only host sides launch
		names := slices.Concat(lists.Map(all, func(m *Manifest) []string { return m.Kernels })...)
		return slices.Compact(slices.Sorted(slices.Values(names)))
	},
}).Parse(templates))

// Generate returns the generated files of a repository by their paths.
func Generate(root string) (map[string]string, error) {
	manifests, err := filepath.Glob(filepath.Join(root, "schemes", "*", File))
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	add := func(place, name string, data any) error {
		var text strings.Builder
		err := generated.ExecuteTemplate(&text, name, data)
		files[filepath.Join(place, name)] = text.String()
		return err
	}
	var all []*Manifest
	for _, path := range manifests {
		name := filepath.Base(filepath.Dir(path))
		m, err := Read(os.DirFS(filepath.Dir(path)), filepath.Join("schemes", name))
		if err == nil && m.Name != name {
			err = m.Wrong("name", "is %s, in the folder %s: they must be the same", m.Name, name)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, m)
		if m.Go {
			continue
		}
		place := filepath.Join("schemes", m.Name)
		for _, file := range []string{"variants.cc", "others.cc", "counted.cc", "scheme.go"} {
			if file == "others.cc" && m.OtherSource() == "" {
				continue
			}
			if err := add(place, file, m); err != nil {
				return nil, err
			}
		}
	}
	zoo := filepath.Join("runtime", "zoo")
	return files, cmp.Or(add(zoo, "zoo.go", all), add(zoo, "hosts.cc", all))
}

// Write writes generated files where they differ, and returns the paths of those.
func Write(root string, files map[string]string) (written []string, err error) {
	for path, text := range files {
		at := filepath.Join(root, path)
		if have, err := os.ReadFile(at); err == nil && string(have) == text {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return written, err
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			return written, err
		}
		written = append(written, path)
	}
	slices.Sort(written)
	return written, nil
}

// Instance is the kernels of one variant for one kind of pair, timed or instrumented. It is compiled as a unit.
type Instance struct {
	*Manifest
	Variant schemes.Config
	Pair    schemes.Pair
	Counted bool
}

// String names an instance as users write its scheme.
func (i Instance) String() string {
	return i.Variant.String() + " " + i.Pair.String() + lists.Either(i.Counted, " instrumented", "")
}

// Key is a name for files.
func (i Instance) Key() string {
	return i.Variant.Variant() + "_" + i.Pair.String() + lists.Either(i.Counted, "_counted", "")
}

// Source returns the C++ source that instantiates the kernels.
func (i Instance) Source() string {
	kind := lists.Either(i.Counted, "HZ_COUNTED", "HZ_TIMED")
	return "#define " + kind + "\n" + i.Manifest.Source(false, func(c schemes.Config, pair schemes.Pair) bool {
		return c.Variant() == i.Variant.Variant() && pair == i.Pair
	})
}

// InstanceOf returns the instance that has a kernel of a scheme that ships.
func InstanceOf(kernel string) (Instance, bool) {
	name, _, _ := strings.Cut(strings.TrimPrefix(kernel, "hz_"), "_")
	s, err := schemes.Find(name)
	if err != nil || s.Plugin != nil || Of(s).Go {
		return Instance{}, false
	}
	m := Of(s)
	for _, c := range m.Scheme.Variants() {
		for _, pair := range c.Caps.Pairs {
			if strings.HasPrefix(kernel, "hz_"+c.Variant()+"_"+pair.String()+"_") {
				return Instance{m, c, pair, strings.HasSuffix(kernel, "_counted")}, true
			}
		}
	}
	return Instance{}, false
}

// usual reports whether programs hold the kernels of a variant from the start: the defaults for the usual pairs.
// The others are compiled when a table needs them, unless the program is built with the tag all.
func (m *Manifest) usual(c schemes.Config, pair schemes.Pair) bool {
	usual := []schemes.Pair{schemes.Pair4, schemes.Pair8}
	return slices.Contains(usual, pair) && c.Variant() == m.Scheme.Defaults().For(pair).Variant()
}

// UsualSource is the source of the usual kernels, and OtherSource that of all others; it is empty if there are none.
func (m *Manifest) UsualSource() string { return m.Source(false, m.usual) }

func (m *Manifest) OtherSource() string {
	return m.instantiations(false, func(c schemes.Config, pair schemes.Pair) bool { return !m.usual(c, pair) })
}

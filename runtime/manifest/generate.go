package manifest

import (
	"cmp"
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// templates has the files that follow from the manifests: in each folder with kernels, variants.cc with the usual
// kernels, others.cc and counted.cc with the rest, which only the tag all compiles in, and scheme.go; and zoo.go and
// hosts.cc, which link all schemes and their host sides. The package of a scheme imports only the shared headers, so its kernels are compiled again only if
// a header changes.
//
//go:embed generated.tmpl
var templates string

var generated = template.Must(template.New("").Funcs(template.FuncMap{
	"flags":   func(name string) string { return strings.Join(kernels.Flags(name), " ") },
	"kernels": ownKernels,
}).Parse(templates))

// ownKernels are the kernels that only host sides launch, of all schemes.
func ownKernels(all []*Manifest) []string {
	names := slices.Concat(lists.Map(all, func(m *Manifest) []string { return m.Kernels })...)
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

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
	name := i.Variant.String() + " " + i.Pair.String() + lists.Either(i.Counted, " instrumented", "")
	return name
}

// Key is a name for files.
func (i Instance) Key() string {
	key := i.Variant.Variant() + "_" + i.Pair.String() + lists.Either(i.Counted, "_counted", "")
	return key
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

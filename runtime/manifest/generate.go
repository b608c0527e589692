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
func ownKernels(all []*Manifest) (names []string) {
	for _, m := range all {
		names = append(names, m.Kernels...)
	}
	slices.Sort(names)
	return slices.Compact(names)
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

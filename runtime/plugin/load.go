package plugin

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/compile"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Load makes a scheme of a folder that was built, and adds it to the zoo under its own name or, if that is not empty,
// under an alias. It runs native code of the plugin. What is loaded is what was built: its digests are compared.
func Load(folder, alias string) (*schemes.Scheme, error) {
	r, err := readRecord(folder)
	if err != nil {
		return nil, err
	}
	for name := range r.Files {
		if _, err := r.file(folder, name); err != nil {
			return nil, err
		}
	}
	m, err := declare(folder, r.Only)
	if err != nil {
		return nil, err
	}
	if m.Name != r.Name {
		return nil, fmt.Errorf("%s names the scheme %s, and %s %s", manifest.File, m.Name, recordFile, r.Name)
	}
	name := cmp.Or(alias, m.Name)
	if known, err := schemes.Find(name); err == nil && known.Plugin != nil && known.Plugin.Hash == r.hash() {
		return known, nil
	} else if err == nil {
		return nil, fmt.Errorf("the zoo has a scheme %s: a plugin needs a name of its own; hint: --plugin OTHER=%s", name, folder)
	}
	if err := cmp.Or(loadKernels(m, r, folder, name), m.Attach(name), m.Prove()); err != nil {
		return nil, err
	}
	m.Rename(name)
	m.Scheme.Plugin = &schemes.Plugin{Name: m.Name, Hash: r.hash(), Compiler: r.Compiler, Folder: folder}
	return m.Scheme, schemes.Enter(name, schemes.Entry{
		Reference: m.Scheme.Reference, Plugin: m.Scheme.Plugin, Declare: func() (*schemes.Scheme, error) { return m.Scheme, nil },
	})
}

func loadKernels(m *manifest.Manifest, r record, folder, name string) error {
	object, err := filepath.Abs(filepath.Join(folder, m.Name+".so"))
	if err != nil {
		return err
	}
	host, err := open(object)
	if err != nil {
		return err
	}
	library := host
	if m.OnGPU() {
		object = filepath.Join(filepath.Dir(object), compile.LibraryFile(m.Name))
		if library, err = open(object); err != nil {
			return err
		}
	}
	if err := m.Lacking(library); err != nil {
		return fmt.Errorf("%s: %w; hint: hashzoo plugin build", object, err)
	}
	if m.OnGPU() {
		kernels.Add(library.Renamed(m.Name, name), nil)
	}
	var gpu []kernels.PTX
	for file := range r.Files {
		if !strings.HasSuffix(file, ".ptx.gz") {
			continue
		}
		packed, err := r.file(folder, file)
		if err != nil {
			return err
		}
		list, err := kernels.ReadPTX(strings.TrimSuffix(file, ".gz"), packed, kernels.KernelsOf(m.Name, name))
		if err != nil {
			return err
		}
		gpu = append(gpu, list...)
	}
	kernels.Add(host.Renamed(m.Name, name), gpu)
	return nil
}

// open loads a shared object of this version.
func open(object string) (kernels.Library, error) {
	l, err := kernels.Open(object)
	if err == nil && l.ABI != kernels.ABIVersion {
		err = fmt.Errorf("%s was compiled for version %d of the kernels' interface, and this program has %d", object, l.ABI, kernels.ABIVersion)
	}
	return l, err
}

// Candidate is a folder with a built plugin.
type Candidate struct {
	Given  []string // what the user named: the folder, or folders that contain it
	Folder string
	Name   string // that the scheme gets; empty if even that cannot be read
	Alias  string // a name that the user chose; empty: the plugin's own
	Hash   string
	Scheme *schemes.Scheme // nil if it was not loaded; Err says why
	Err    error
}

// LoadAll loads the plugins of folders: each folder is a plugin or contains plugins. An
// error in one of them does not prevent the others from loading.
func LoadAll(given []string) (list []*Candidate) {
	for _, named := range given {
		for _, c := range find(named) {
			if at := slices.IndexFunc(list, func(o *Candidate) bool { return c.Err == nil && o.Err == nil && c.Name == o.Name && c.Hash == o.Hash }); at >= 0 {
				list[at].Given = append(list[at].Given, named)
			} else {
				list = append(list, c)
			}
		}
	}
	for _, c := range list {
		namesake := slices.IndexFunc(list, func(o *Candidate) bool { return o.Name != "" && o.Name == c.Name && o.Hash != c.Hash })
		if namesake >= 0 && c.Err == nil {
			other := list[namesake]
			c.Err = fmt.Errorf("two plugins are called %s, of %s and of %s; hint: --plugin OTHER=%s gives this one another name", c.Name, c.Folder, other.Folder, c.Folder)
		}
		if c.Err == nil {
			c.Scheme, c.Err = Load(c.Folder, c.Alias)
		}
		if c.Err != nil {
			c.Err = fmt.Errorf("plugin %s: %w", c.Folder, c.Err)
			_ = schemes.Enter(c.Name, schemes.Entry{Refused: c.Err}) // unless another scheme has that name
		}
	}
	return list
}

// find searches for built plugins: in the folder itself, in its built folder, or likewise in each folder within it.
func find(given string) (list []*Candidate) {
	folder, alias := given, ""
	if name, rest, ok := strings.Cut(given, "="); ok && manifest.GoodName(name) == nil {
		folder, alias = rest, name
	}
	if at, ok := built(folder); ok {
		return []*Candidate{candidate(given, alias, folder, at)}
	}
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		in := filepath.Join(folder, e.Name())
		if at, ok := built(in); ok {
			list = append(list, candidate(given, "", in, at))
		}
	}
	switch {
	case err == nil && list == nil:
		err = fmt.Errorf("nothing was built there; hint: hashzoo plugin build")
	case list != nil && alias != "":
		err = fmt.Errorf("%s is a name for %d plugins: name the folder of one", alias, len(list))
	}
	if err != nil {
		return []*Candidate{{Given: []string{given}, Folder: folder, Err: err}}
	}
	return list
}

func candidate(given, alias, folder, at string) *Candidate {
	r, err := readRecord(at)
	if err == nil {
		err = current(folder, at)
	}
	return &Candidate{Given: []string{given}, Folder: at, Name: cmp.Or(alias, r.Name), Alias: alias, Hash: r.hash(), Err: err}
}

// built returns the built plugin within a folder.
func built(folder string) (string, bool) {
	for _, at := range []string{folder, filepath.Join(folder, builtFolder)} {
		if _, err := os.Stat(filepath.Join(at, recordFile)); err == nil {
			return at, true
		}
	}
	return "", false
}

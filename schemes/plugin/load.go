package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// Load makes a scheme of a folder that was built, and adds it to the zoo. It runs native
// code of the plugin. What is loaded is what was built: its digests are compared.
func Load(folder string) (*schemes.Scheme, error) {
	r, err := readRecord(folder)
	if err != nil {
		return nil, err
	}
	for name := range r.Files {
		if _, err := r.file(folder, name); err != nil {
			return nil, err
		}
	}
	d, err := readDeclaration(folder)
	if err != nil {
		return nil, err
	}
	if d.name != r.Name {
		return nil, fmt.Errorf("%s names the scheme %s, and %s %s", manifestFile, d.name, recordFile, r.Name)
	}
	if known, err := schemes.Find(d.name); err == nil && known.Plugin != nil && known.Plugin.Hash == r.hash() {
		return known, nil
	} else if err == nil {
		return nil, fmt.Errorf("the scheme %s is in the zoo already: a plugin needs a name of its own", d.name)
	}
	if err := d.loadKernels(r, folder); err != nil {
		return nil, err
	}
	vectors, err := r.file(folder, d.name+".txt")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	d.scheme.Plugin = &schemes.Plugin{Name: d.name, Hash: r.hash(), Compiler: r.Compiler, Folder: folder}
	d.scheme.Shown = string(vectors)
	if err := schemes.Add(d.scheme); err != nil {
		return nil, err
	}
	return d.scheme, nil
}

// loadKernels loads the shared object and the PTX.
func (d *declaration) loadKernels(r record, folder string) error {
	object, err := filepath.Abs(filepath.Join(folder, d.name+".so"))
	if err != nil {
		return err
	}
	host, err := kernels.Open(object)
	if err != nil {
		return err
	}
	if host.ABI != kernels.ABIVersion {
		return fmt.Errorf("%s was compiled for version %d of the kernels' interface, and this program has %d", object, host.ABI, kernels.ABIVersion)
	}
	if err := d.lacking(host); err != nil {
		return fmt.Errorf("%s: %w; hint: hashzoo plugin build", object, err)
	}
	var gpu []kernels.PTX
	for name := range r.Files {
		if !strings.HasSuffix(name, ".ptx.gz") {
			continue
		}
		packed, err := r.file(folder, name)
		if err != nil {
			return err
		}
		list, err := kernels.ReadPTX(strings.TrimSuffix(name, ".gz"), packed)
		if err != nil {
			return err
		}
		gpu = append(gpu, list...)
	}
	kernels.Add(host, gpu)
	return nil
}

// Candidate is a folder with a plugin that was built.
type Candidate struct {
	Given  []string // what the user named: the folder, or ones that it is in
	Folder string
	Name   string // of the scheme; empty if even that cannot be read
	Hash   string
	Scheme *schemes.Scheme // nil if it was not loaded, and Err says why
	Err    error
}

// LoadAll loads the plugins of folders: each is one, or has such in it. What is wrong
// with one of them does not keep the others from being loaded.
func LoadAll(given []string) []*Candidate {
	var list []*Candidate
	for _, folder := range given {
		for _, c := range find(folder) {
			if at := slices.IndexFunc(list, c.same); at >= 0 {
				list[at].Given = append(list[at].Given, folder)
			} else {
				list = append(list, c)
			}
		}
	}
	for _, c := range list {
		if other := namesake(list, c); other != nil && c.Err == nil {
			c.Err = fmt.Errorf("two plugins are called %s, of %s and of %s: load one of them", c.Name, c.Folder, other.Folder)
		}
	}
	for _, c := range list {
		if c.Err == nil {
			c.Scheme, c.Err = Load(c.Folder)
		}
		if c.Err != nil {
			c.Err = fmt.Errorf("plugin %s: %w", c.Folder, c.Err)
			schemes.Refuse(c.Name, c.Err)
		}
	}
	return list
}

// same says whether two are copies of one.
func (c *Candidate) same(other *Candidate) bool {
	return c.Err == nil && other.Err == nil && c.Name == other.Name && c.Hash == other.Hash
}

// namesake is another plugin of the same name that is not the same.
func namesake(list []*Candidate, c *Candidate) *Candidate {
	for _, other := range list {
		if other.Name != "" && other.Name == c.Name && other.Hash != c.Hash {
			return other
		}
	}
	return nil
}

// find looks for what was built: in the folder itself, where Build puts it in there, or in
// the same way in each of the folders in it.
func find(given string) (list []*Candidate) {
	if at, ok := built(given); ok {
		return []*Candidate{candidate(given, at)}
	}
	entries, err := os.ReadDir(given)
	for _, e := range entries {
		if at, ok := built(filepath.Join(given, e.Name())); ok {
			list = append(list, candidate(given, at))
		}
	}
	if err == nil && list == nil {
		err = fmt.Errorf("nothing was built there; hint: hashzoo plugin build")
	}
	if err != nil {
		return []*Candidate{{Given: []string{given}, Folder: given, Err: err}}
	}
	return list
}

func candidate(given, at string) *Candidate {
	r, err := readRecord(at)
	return &Candidate{Given: []string{given}, Folder: at, Name: r.Name, Hash: r.hash(), Err: err}
}

// built is where in a folder a plugin was built.
func built(folder string) (string, bool) {
	for _, at := range []string{folder, filepath.Join(folder, builtFolder)} {
		if _, err := os.Stat(filepath.Join(at, recordFile)); err == nil {
			return at, true
		}
	}
	return "", false
}

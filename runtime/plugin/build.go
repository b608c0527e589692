package plugin

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/compile"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/schemes"
)

// builtFolder is the folder that Build makes inside the folder of the sources.
const builtFolder = "built"

// ErrSource is the error of Build if the compiler refused the sources and has said why.
var ErrSource = errors.New("the compiler found errors, and nothing was built")

// Options are choices of a build.
type Options struct {
	Clang string    // the compiler; empty: the first that can
	Only  string    // settings: compile their variant alone, and for CPUs alone; empty: everything
	Say   io.Writer // gets what the compiler says
}

// Built says what was built.
type Built struct {
	Name, Folder, Hash, Compiler string
	Kernels                      int // per processor
}

// Build compiles the plugin in a folder with clang. The result is a folder of its own that
// holds everything that is loaded.
func Build(ctx context.Context, folder string, o Options) (built Built, err error) {
	m, err := declare(folder, o.Only)
	if err != nil {
		return built, err
	}
	if _, err := os.Stat(filepath.Join(folder, m.Name+".h")); err != nil {
		return built, fmt.Errorf("plugin %s: its header is missing: %w", m.Name, err)
	}
	c, err := compile.New(o.Clang, m.OnGPU())
	if err != nil {
		return built, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	made, err := os.MkdirTemp(folder, ".build-")
	if err != nil {
		return built, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	r, err := build(ctx, c, m, folder, made, o)
	if err != nil {
		return built, err
	}
	target := filepath.Join(folder, builtFolder)
	if err := cmp.Or(os.RemoveAll(target), os.Rename(made, target), os.Chmod(target, 0o755)); err != nil {
		return built, err
	}
	return Built{m.Name, target, r.hash(), r.Compiler, len(m.KernelNames())}, nil
}

// build fills a folder with what is built and its record.
func build(ctx context.Context, c *compile.Compiler, m *manifest.Manifest, folder, made string, o Options) (r record, err error) {
	r = record{ABI: kernels.ABIVersion, Name: m.Name, Only: o.Only, Compiler: c.Version, Processor: runtime.GOARCH, Files: map[string]string{}}
	r.Sources, err = sourcesDigest(folder, func(name string, content []byte) error {
		r.Files[name] = compile.Digest(content)
		return os.WriteFile(filepath.Join(made, name), content, 0o644)
	})
	if err != nil {
		return r, err
	}
	list, source, linked := outputs(m, o)
	said, err := c.Compile(ctx, compile.Input{Source: source, Headers: r.Sources}, list, made)
	if err == nil && linked {
		var shared compile.Output
		shared, err = c.Link(ctx, m.Name, made)
		list = append(list[len(compile.Objects(m.Name)):], shared)
	}
	if err == nil && m.OnGPU() {
		r.Compiler, said, err = library(ctx, m, r.Sources, made)
		list = append(list, compile.Library(m.Name, nil)...)
	}
	fmt.Fprint(o.Say, said)
	if err != nil && said != "" && ctx.Err() == nil {
		err = ErrSource
	}
	if err != nil {
		return r, fmt.Errorf("plugin %s: %w", m.Name, err)
	}
	return r, r.write(made, list)
}

// outputs are what a plugin is compiled to, apart from a library for GPUs, and from which source. linked says whether
// they are objects, which make the shared object: those of a reference are one.
func outputs(m *manifest.Manifest, o Options) (list []compile.Output, source string, linked bool) {
	if m.OnGPU() || m.IsReference() {
		list, source = compile.Shared(m.Name), m.PluginHost()
		list[0].Flags, list[0].Libraries = append(list[0].Flags, "-fexceptions"), []string{"-lstdc++"}
		if !m.OnGPU() {
			source = m.Source(true, nil) + source
			list[0].Flags = append(list[0].Flags, kernels.Flags("reference")...)
			list[0].Libraries = m.Linker()
		}
		return list, source, false
	}
	list = lists.Either(o.Only == "", compile.Outputs, compile.Objects)(m.Name)
	return list, m.Source(true, nil) + m.PluginHost(), true
}

// library compiles the kernels of a reference for GPUs.
func library(ctx context.Context, m *manifest.Manifest, sources, made string) (version, said string, err error) {
	c, err := compile.NVCC()
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	said, err = c.Compile(ctx, compile.Input{Source: m.LibrarySource(), Headers: sources}, compile.Library(m.Name, m.Linker()), made)
	return c.Version, said, err
}

// declare reads the manifest in a folder, and proves it. With settings, their variant is all that is compiled.
func declare(folder, only string) (*manifest.Manifest, error) {
	m, err := manifest.Read(os.DirFS(folder), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s; hint: hashzoo plugin new NAME writes one", folder, manifest.File)
	}
	if err != nil {
		return nil, err
	}
	if s, err := schemes.Find(m.Name); err == nil && s.Plugin == nil {
		return nil, m.Wrong("name", "is %s: hashzoo has a scheme of that name", m.Name)
	}
	err = m.Prove()
	if err == nil && only != "" {
		err = m.Only(only)
	}
	return m, err
}

// sources returns the names of the files that the plugin in a folder is made of. A built folder has them too.
func sources(folder string) ([]string, error) {
	paths, err := lists.TryMap([]string{manifest.File, "*.h", manifest.Vectors, manifest.Figures}, func(pattern string) ([]string, error) {
		return filepath.Glob(filepath.Join(folder, pattern))
	})
	return lists.Map(slices.Concat(paths...), filepath.Base), err
}

// write writes the record, with what was compiled.
func (r record) write(made string, compiled []compile.Output) error {
	for _, o := range compiled {
		content, err := os.ReadFile(filepath.Join(made, o.File))
		if err != nil {
			return err
		}
		r.Files[o.File] = compile.Digest(content)
	}
	text := bytes.NewBufferString(recordHead)
	return cmp.Or(toml.NewEncoder(text).Encode(r), os.WriteFile(filepath.Join(made, recordFile), text.Bytes(), 0o644))
}

// UpToDate returns the built folder within a folder, and an error if its sources have changed since.
func UpToDate(folder string) (string, error) {
	at, ok := built(folder)
	if !ok {
		return "", fmt.Errorf("plugin %s: nothing was built there; hint: hashzoo plugin build %s", folder, folder)
	}
	if err := current(folder, at); err != nil {
		return at, fmt.Errorf("plugin %s: %w", folder, err)
	}
	return at, nil
}

// current returns an error if the sources in a folder are not those of what was built there.
func current(folder, at string) error {
	if filepath.Clean(folder) == at {
		return nil // a copy of what was built, without its sources
	}
	r, err := readRecord(at)
	if err != nil {
		return err
	}
	sources, err := sourcesDigest(folder, func(string, []byte) error { return nil })
	if err == nil && sources != r.Sources {
		err = fmt.Errorf("its sources have changed since it was built; hint: hashzoo plugin build %s", folder)
	}
	return err
}

const recordFile = "build.toml" // identifies a built folder

// record describes a built plugin.
type record struct {
	ABI       int               `toml:"abi"`
	Name      string            `toml:"name"`
	Only      string            `toml:"only,omitempty"` // settings: their variant alone is compiled, for CPUs alone
	Compiler  string            `toml:"compiler"`
	Processor string            `toml:"processor"` // for example amd64
	Sources   string            `toml:"sources"`   // digest of the sources
	Files     map[string]string `toml:"files"`     // digests of the built files, by name
}

const recordHead = "# What this plugin of hashzoo was built from and with. The files are loaded only if they\n" +
	"# have these digests; hashzoo plugin build makes them anew.\n"

// readRecord reads a record. One of another version may have other keys.
func readRecord(folder string) (r record, err error) {
	path := filepath.Join(folder, recordFile)
	if _, err := toml.DecodeFile(path, &r); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if r.ABI != kernels.ABIVersion {
		return r, fmt.Errorf("it was built for version %d of the kernels' interface, and this program has %d; hint: hashzoo plugin build, with the sources",
			r.ABI, kernels.ABIVersion)
	}
	if r.Processor != runtime.GOARCH {
		return r, fmt.Errorf("it was built for %s processors, and this one is %s; hint: hashzoo plugin build, with the sources", r.Processor, runtime.GOARCH)
	}
	if err := manifest.GoodName(r.Name); err != nil {
		return r, fmt.Errorf("%s: name %w", path, err)
	}
	return r, nil
}

// file reads a file of the folder if it is unchanged since the build.
func (r record) file(folder, name string) ([]byte, error) {
	content, err := regular.Read(filepath.Join(folder, name), regular.Binary)
	if err != nil {
		return nil, err
	}
	if compile.Digest(content) != r.Files[name] {
		return nil, fmt.Errorf("%s has changed since it was built; hint: hashzoo plugin build", filepath.Join(folder, name))
	}
	return content, nil
}

// hash returns the plugin's digest, which covers all files.
func (r record) hash() string {
	return compile.DigestOf(slices.Sorted(maps.Keys(r.Files)), func(name string) string { return r.Files[name] })
}

// sourcesDigest covers all sources of a plugin except the program's headers, which the ABI version stands for. do sees
// each of them.
func sourcesDigest(folder string, do func(name string, content []byte) error) (string, error) {
	names, err := sources(folder)
	if err != nil {
		return "", err
	}
	digests := map[string]string{}
	err = lists.Each(names, func(name string) error {
		content, err := regular.Read(filepath.Join(folder, name), regular.Text)
		digests[name] = compile.Digest(content)
		return cmp.Or(err, do(name, content))
	})
	return compile.DigestOf(names, func(name string) string { return digests[name] }), err
}

// Load makes a scheme of a folder that was built, and adds it to the zoo under its own name or, if that is not empty,
// under an alias. It runs native code of the plugin. Its digests are compared with those of what was built.
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

// Package compile compiles kernels while the program runs: those of plugins, and those of schemes that ship but were not
// compiled into the program. It keeps what it has compiled.
package compile

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
)

// ErrCompiler is the error of New if there is no compiler.
var ErrCompiler = errors.New("no clang 18 or later that compiles for GPUs")

// Compiler is a compiler, and the embedded headers as files.
type Compiler struct {
	Version string
	Program string
	clang   bool
	nvcc    bool
	headers string       // a temporary folder
	write   func() error // writes them there: most programs find everything in the cache
	cache   cache
}

// gnu compiles for CPUs where there is no clang. Unlike g++ it does not link the C++ library.
const gnu = "gcc"

// New finds a compiler: the one given, or the first that can compile for GPUs, or, for CPUs alone, gcc.
func New(named string, cpuOnly bool) (*Compiler, error) {
	candidates, given := kernels.Flags("clang"), ""
	if named != "" {
		candidates, given = []string{named}, " ("+named+" is none)"
	}
	for _, program := range candidates {
		if version, ok := canCompile(program); ok {
			return newCompiler(version, program, true)
		}
	}
	if said, err := exec.Command(gnu, "--version").Output(); err == nil && cpuOnly && named == "" {
		return newCompiler(firstLine(said), gnu, false)
	}
	return nil, fmt.Errorf("%w%s: apt-get install clang-19, or name one with --clang", ErrCompiler, given)
}

// NVCC finds the compiler of the CUDA toolkit, for libraries whose tables are on GPUs.
func NVCC() (*Compiler, error) {
	program, err := exec.LookPath("nvcc")
	if err != nil {
		program, err = exec.LookPath("/usr/local/cuda/bin/nvcc")
	}
	if err != nil {
		return nil, errors.New("no nvcc, which compiles it: install the CUDA toolkit, and have its bin in PATH")
	}
	said, err := exec.Command(program, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", program, err)
	}
	c, err := newCompiler(strings.TrimSpace("nvcc "+string(nvccRelease.Find(said))), program, false)
	c.nvcc = true
	return c, err
}

var nvccRelease = regexp.MustCompile(`release [0-9.]+`)

// newCompiler makes the folder of the headers in the cache, from where a later program removes it if this one is killed.
func newCompiler(version, program string, clang bool) (*Compiler, error) {
	c := openCache()
	headers, err := os.MkdirTemp(c.folder, ".headers-")
	write := sync.OnceValue(func() error { return os.CopyFS(headers, kernels.Headers) })
	return &Compiler{Version: version, Program: program, clang: clang, headers: headers, write: write, cache: c}, err
}

var clangVersion = regexp.MustCompile(`clang version (\d+)`)

// versions are functions that return those of the compilers that were asked, by their paths.
var versions sync.Map

// canCompile checks a compiler, once, and returns its version.
func canCompile(program string) (version string, ok bool) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", false
	}
	once, _ := versions.LoadOrStore(path, sync.OnceValue(func() string { return versionOf(path) }))
	version = once.(func() string)()
	return version, version != ""
}

// versionOf checks a compiler as tools/clang.sh does. It is empty if that cannot compile.
func versionOf(path string) string {
	var said bytes.Buffer
	ask := exec.Command(path, "-v", "--print-targets") // both at once, because clang takes long to start
	ask.Stderr = &said
	targets, err := ask.Output()
	major := clangVersion.FindSubmatch(said.Bytes())
	if err != nil || major == nil || !bytes.Contains(targets, []byte("nvptx64")) {
		return ""
	}
	if n, _ := strconv.Atoi(string(major[1])); n < 18 {
		return ""
	}
	return firstLine(said.Bytes())
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// digestOf covers the headers of a folder, which is embedded or has been read before. A folder that is nil has none.
func digestOf(folder fs.FS) string {
	var names []string
	if folder != nil {
		names, _ = fs.Glob(folder, "*.h")
	}
	return DigestOf(names, func(name string) string {
		text, _ := fs.ReadFile(folder, name)
		return Digest(text)
	})
}

func (c *Compiler) Close() error { return os.RemoveAll(c.headers) }

// Output is a file that is compiled.
type Output struct {
	File  string
	Flags []string
	clang []string // flags for clang alone
	pack  bool     // the file is compressed after it was compiled

	Libraries []string // arguments that link them, after the source; their headers are in no digest, so nothing is cached
}

// Outputs are the objects for the CPU, and a PTX file for each oldest GPU of some kernel.
func Outputs(name string) []Output { return append(Objects(name), forGPUs(name)...) }

// Shared is a shared object for the CPU, of a source with timed and instrumented kernels.
func Shared(name string) []Output { return []Output{forCPU(name)} }

// Objects are the parts of a shared object for the CPU: the timed kernels with the host side, and the instrumented kernels.
func Objects(name string) (list []Output) {
	for _, kind := range []string{"timed", "counted"} {
		o := forCPU(name)
		o.File = name + "." + kind + ".o"
		o.Flags = append(o.Flags, "-c", "-fexceptions", "-DHZ_"+strings.ToUpper(kind))
		o.clang = append(o.clang, "-Wno-unused-command-line-argument") // those for the linker
		list = append(list, o)
	}
	return list
}

// Link makes the shared object from the objects in a folder.
func (c *Compiler) Link(ctx context.Context, name, folder string) (Output, error) {
	o := forCPU(name)
	parts := lists.Map(Objects(name), func(part Output) string { return filepath.Join(folder, part.File) })
	o.Libraries = slices.Concat([]string{"-x", "none"}, parts, []string{"-lstdc++"})
	said, err := c.one(ctx, Input{}, o, folder)
	if err != nil {
		err = fmt.Errorf("%w: %s", err, said)
	}
	return o, errors.Join(err, lists.Each(parts, os.Remove))
}

// Library is that of a reference whose tables are on GPUs, by nvcc.
func Library(name string, libraries []string) []Output {
	return []Output{{File: LibraryFile(name), Flags: kernels.Flags("nvcc"), Libraries: libraries}}
}

// LibraryFile is the name of that file.
func LibraryFile(name string) string { return name + ".gpu.so" }

func forCPU(name string) Output {
	flags := slices.Concat(kernels.Flags("host"), kernels.Flags(runtime.GOARCH), kernels.Flags("plugin"), []string{"-x", "c++"})
	return Output{File: name + ".so", Flags: flags, clang: kernels.Flags("clang_plugin")}
}

func forGPUs(name string) []Output {
	return lists.Map(kernels.Flags("gpus"), func(gpu string) Output {
		return Output{File: name + "." + gpu + ".ptx.gz", Flags: slices.Concat(kernels.Flags("ptx"), kernels.Flags(gpu)), pack: true}
	})
}

// Input is a source, and the digest of the author's headers that it includes. A source that has a path is that file;
// otherwise the compiler reads it from its standard input.
type Input struct{ Source, Headers, Path string }

// Compile makes all outputs of a source, at the same time. It returns what the compiler says of one of the outputs,
// since it says the same of the others.
func (c *Compiler) Compile(ctx context.Context, in Input, list []Output, to string) (said string, err error) {
	complaints, errs := make([]string, len(list)), make([]error, len(list))
	var compiling sync.WaitGroup
	for i, o := range list {
		compiling.Go(func() { complaints[i], errs[i] = c.one(ctx, in, o, to) })
	}
	compiling.Wait()
	failed := max(0, slices.IndexFunc(errs, func(err error) bool { return err != nil }))
	return complaints[failed], errs[failed]
}

func (c *Compiler) one(ctx context.Context, in Input, o Output, to string) (said string, err error) {
	key, cached := c.key(in, o), lists.Either(o.Libraries == nil, c.cache, cache{})
	if cached.get(key, filepath.Join(to, o.File)) {
		return "", nil
	}
	if err := c.write(); err != nil {
		return "", err
	}
	file := filepath.Join(to, strings.TrimSuffix(o.File, ".gz"))
	flags, include := o.Flags, []string{"-iquote", c.headers}
	if c.clang {
		flags = slices.Concat(flags, o.clang, kernels.Flags("errors"))
	}
	if c.nvcc { // which does not read its standard input
		include, in.Path = []string{"-Xcompiler", "-iquote,.,-iquote," + c.headers}, filepath.Join(c.headers, "source.cu")
		if err := os.WriteFile(in.Path, []byte(in.Source), 0o600); err != nil {
			return "", err
		}
	}
	args := slices.Concat(flags, include, []string{"-o", file, cmp.Or(in.Path, "-")}, o.Libraries)
	run := exec.CommandContext(ctx, c.Program, args...)
	run.Stdin = strings.NewReader(in.Source)
	var complaints bytes.Buffer
	run.Stderr = &complaints
	if err := run.Run(); err != nil {
		return authored(complaints.String(), c.headers), fmt.Errorf("%s did not make %s: %w", filepath.Base(c.Program), o.File, err)
	}
	if o.pack {
		err = pack(file)
	}
	if err == nil && complaints.Len() == 0 { // warnings are to be seen again
		cached.put(key, filepath.Join(to, o.File))
	}
	return authored(complaints.String(), c.headers), err
}

var sharedHeaders = sync.OnceValue(func() string { return digestOf(kernels.Headers) })

// key identifies what is compiled: everything it is made of, and by which compiler.
func (c *Compiler) key(in Input, o Output) string {
	return Digest(fmt.Append(nil, c.Version, o.Flags, o.File, in.Source, in.Headers, sharedHeaders()))
}

// pack compresses a file, deterministically.
func pack(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(text)
	}
	if err = cmp.Or(err, w.Close()); err != nil {
		return err
	}
	return cmp.Or(os.WriteFile(file+".gz", packed.Bytes(), 0o644), os.Remove(file))
}

// Digest is short enough to read, and long enough to exclude collisions.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// DigestOf covers files by their names and digests.
func DigestOf(names []string, digest func(name string) string) string {
	lines := lists.Map(names, func(name string) string { return name + " " + digest(name) + "\n" })
	return Digest([]byte(strings.Join(lines, "")))
}

// cache is a folder of compiled files, each under the digest of everything it was made from.
// Without a folder it holds nothing.
type cache struct{ folder string }

// mostCached bounds the number of files in the cache; the oldest are removed.
const mostCached = 3000

// abandoned is the age of a temporary file or folder that no program uses any longer.
const abandoned = 24 * time.Hour

// openCache opens the user's cache. A machine without one compiles everything anew.
func openCache() cache {
	user, err := os.UserCacheDir()
	if err != nil {
		return cache{}
	}
	folder := filepath.Join(user, "hashzoo", "objects")
	return lists.Either(os.MkdirAll(folder, 0o700) == nil, cache{folder}, cache{})
}

// get copies a cached file, and reports whether there was one that is whole.
func (c cache) get(key, to string) bool {
	if c.folder == "" {
		return false
	}
	packed, err := regular.Read(filepath.Join(c.folder, key), regular.Binary)
	if err != nil {
		return false
	}
	sum, content, _ := strings.Cut(string(packed), "\n")
	return sum == Digest([]byte(content)) && os.WriteFile(to, []byte(content), 0o644) == nil
}

// put keeps a file. A cache that cannot be written is no error: it only saves time.
func (c cache) put(key, from string) {
	content, err := os.ReadFile(from)
	if c.folder == "" || err != nil {
		return
	}
	made, err := os.CreateTemp(c.folder, ".new-")
	if err != nil {
		return
	}
	defer os.Remove(made.Name())
	_, err = made.WriteString(Digest(content) + "\n" + string(content))
	if cmp.Or(err, made.Close()) == nil && os.Rename(made.Name(), filepath.Join(c.folder, key)) == nil {
		c.prune()
	}
}

// prune removes the files that were written longest ago, and what programs have left behind that were killed.
func (c cache) prune() {
	var files []fs.FileInfo
	entries, _ := os.ReadDir(c.folder)
	for _, e := range entries {
		switch info, err := e.Info(); {
		case err != nil:
		case strings.HasPrefix(e.Name(), "."):
			if time.Since(info.ModTime()) > abandoned {
				os.RemoveAll(filepath.Join(c.folder, e.Name()))
			}
		default:
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, old := range files[min(len(files), mostCached):] {
		os.Remove(filepath.Join(c.folder, old.Name()))
	}
}

// diagnostic is one line of the compiler with a place, and the excerpt of source below it.
type diagnostic struct {
	file, line, column, severity, message string
	excerpt                               []string
}

var placed = regexp.MustCompile(`^(.+?):(\d+):(\d+): (error|fatal error|warning|note): (.*)$`)

// authored rewrites what clang says so that it is about the author's files and no others. An
// error inside a header of hashzoo is reported where the author's file led there. The kernels
// of all pairs and operations repeat most errors, so each is shown once.
func authored(said, headers string) string {
	var out strings.Builder
	shown := map[string]bool{}
	for _, group := range grouped(said) {
		d := report(group, headers)
		if key := fmt.Sprint(d.file, d.line, templateArguments.ReplaceAllString(d.message, "")); !shown[key] {
			shown[key] = true
			out.WriteString(d.text())
		}
	}
	return cmp.Or(out.String(), said) // a linker's error has no place in a source
}

// grouped splits the compiler's output into errors and warnings, each with its notes.
func grouped(said string) (groups [][]diagnostic) {
	for line := range strings.Lines(said) {
		line = strings.TrimSuffix(line, "\n")
		m := placed.FindStringSubmatch(line)
		switch last := len(groups) - 1; {
		case m != nil && m[4] != "note":
			groups = append(groups, []diagnostic{{m[1], m[2], m[3], m[4], m[5], nil}})
		case last < 0:
		case m != nil:
			groups[last] = append(groups[last], diagnostic{m[1], m[2], m[3], m[4], m[5], nil})
		case strings.HasPrefix(line, " "):
			d := &groups[last][len(groups[last])-1]
			d.excerpt = append(d.excerpt, line)
		}
	}
	return groups
}

var (
	templateArguments = regexp.MustCompile(`<.*>`)
	requirement       = regexp.MustCompile(` due to requirement '[^']*'`)
	operation         = regexp.MustCompile(`hz::op_(\w+)`)
)

// report is an error or warning with those of its notes that explain the author's lines.
func report(group []diagnostic, headers string) diagnostic {
	first := group[0]
	if first.by(headers) {
		return elsewhere(group, headers)
	}
	for _, note := range group[1:] {
		if !note.by(headers) && !strings.HasPrefix(note.message, "in instantiation of") {
			first.excerpt = append(first.excerpt, note.text())
		}
	}
	return first
}

// elsewhere moves an error from a header of hashzoo to the line of the author that led there.
func elsewhere(group []diagnostic, headers string) diagnostic {
	first := group[0]
	needs := fmt.Sprintf("%s; needed by %s:%s", requirement.ReplaceAllString(first.message, ""), filepath.Base(first.file), first.line)
	for _, note := range group[1:] {
		if note.by(headers) {
			continue
		}
		if m := operation.FindStringSubmatch(note.message); m != nil {
			needs += ", for " + m[1]
		}
		return diagnostic{note.file, note.line, note.column, first.severity, needs, nil}
	}
	return first
}

// by reports whether the place is in a header of hashzoo, or in what was generated.
func (d diagnostic) by(headers string) bool {
	return strings.HasPrefix(d.file, headers) || strings.HasPrefix(d.file, "<")
}

func (d diagnostic) text() string {
	text := fmt.Sprintf("%s:%s:%s: %s: %s\n", filepath.Clean(d.file), d.line, d.column, d.severity, d.message)
	for _, line := range d.excerpt {
		text += strings.TrimSuffix(line, "\n") + "\n"
	}
	return text
}

package plugin

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
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

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/regular"
)

// compiler is a compiler, and the embedded headers as files.
type compiler struct {
	program string
	version string
	clang   bool
	headers string // a temporary folder
	cache   cache
}

// gnu compiles for CPUs where there is no clang. Unlike g++ it does not link the C++ library.
const gnu = "gcc"

// newCompiler finds a compiler: the one given, or the first that can compile for GPUs, or, for CPUs alone, gcc.
func newCompiler(named string, cpuOnly bool) (*compiler, error) {
	candidates, given := kernels.Flags("clang"), ""
	if named != "" {
		candidates, given = []string{named}, " ("+named+" is none)"
	}
	for _, program := range candidates {
		if version, ok := canCompile(program); ok {
			headers, err := writeHeaders()
			return &compiler{program, version, true, headers, openCache()}, err
		}
	}
	if said, err := exec.Command(gnu, "--version").Output(); err == nil && cpuOnly && named == "" {
		headers, err := writeHeaders()
		return &compiler{gnu, firstLine(said), false, headers, openCache()}, err
	}
	return nil, fmt.Errorf("%w%s: apt-get install clang-19, or name one with --clang", ErrCompiler, given)
}

var clangVersion = regexp.MustCompile(`clang version (\d+)`)

// canCompile checks a compiler as tools/clang.sh does, and returns its version.
func canCompile(program string) (version string, ok bool) {
	said, err := exec.Command(program, "--version").Output()
	major := clangVersion.FindSubmatch(said)
	if err != nil || major == nil {
		return "", false
	}
	targets, err := exec.Command(program, "--print-targets").Output()
	n, _ := strconv.Atoi(string(major[1]))
	return firstLine(said), err == nil && n >= 18 && bytes.Contains(targets, []byte("nvptx64"))
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

func writeHeaders() (string, error) {
	folder, err := os.MkdirTemp("", "hashzoo-headers-")
	if err != nil {
		return "", err
	}
	return folder, os.CopyFS(folder, kernels.Headers)
}

func (c *compiler) close() error { return os.RemoveAll(c.headers) }

type output struct {
	file  string
	flags []string
	clang []string // flags for clang alone
	pack  bool     // the file is compressed after it was compiled

	libraries []string // arguments that link them, after the source; their headers are in no digest, so nothing is cached
}

// outputs are a shared object for the CPU, and a PTX file for each oldest GPU of some kernel.
func outputs(name string) []output { return append([]output{forCPU(name)}, forGPUs(name)...) }

func forCPU(name string) output {
	flags := slices.Concat(kernels.Flags("host"), kernels.Flags(runtime.GOARCH), kernels.Flags("plugin"), []string{"-x", "c++"})
	return output{file: name + ".so", flags: flags, clang: kernels.Flags("clang_plugin")}
}

func forGPUs(name string) (list []output) {
	for _, gpu := range kernels.Flags("gpus") {
		list = append(list, output{file: name + "." + gpu + ".ptx.gz", flags: slices.Concat(kernels.Flags("ptx"), kernels.Flags(gpu)), pack: true})
	}
	return list
}

// input is a source, and the digest of the author's headers that it includes. A source that has a path is that file;
// otherwise the compiler reads it from its standard input.
type input struct{ source, headers, path string }

// compile makes all outputs of a source, at the same time. It returns what the compiler says of one of the outputs,
// since it says the same of the others.
func (c *compiler) compile(ctx context.Context, in input, list []output, to string) (said string, err error) {
	complaints, errs := make([]string, len(list)), make([]error, len(list))
	var compiling sync.WaitGroup
	for i, o := range list {
		compiling.Go(func() { complaints[i], errs[i] = c.one(ctx, in, o, to) })
	}
	compiling.Wait()
	for i := range list {
		if errs[i] != nil {
			return complaints[i], errs[i]
		}
	}
	return complaints[0], nil
}

func (c *compiler) one(ctx context.Context, in input, o output, to string) (said string, err error) {
	key, cached := c.key(in, o), c.cache
	if o.libraries != nil {
		cached = cache{}
	}
	if cached.get(key, filepath.Join(to, o.file)) {
		return "", nil
	}
	file := filepath.Join(to, strings.TrimSuffix(o.file, ".gz"))
	flags := o.flags
	if c.clang {
		flags = slices.Concat(flags, o.clang, kernels.Flags("errors"))
	}
	args := slices.Concat(flags, []string{"-iquote", c.headers, "-o", file, cmp.Or(in.path, "-")}, o.libraries)
	run := exec.CommandContext(ctx, c.program, args...)
	run.Stdin = strings.NewReader(in.source)
	var complaints bytes.Buffer
	run.Stderr = &complaints
	if err := run.Run(); err != nil {
		return authored(complaints.String(), c.headers), fmt.Errorf("%s did not make %s: %w", filepath.Base(c.program), o.file, err)
	}
	if o.pack {
		err = pack(file)
	}
	if err == nil && complaints.Len() == 0 { // warnings are to be seen again
		cached.put(key, filepath.Join(to, o.file))
	}
	return authored(complaints.String(), c.headers), err
}

var sharedHeaders = sync.OnceValue(func() string {
	sum, err := digestOf(kernels.Headers)
	if err != nil {
		panic(err) // they are embedded
	}
	return sum
})

// key identifies what is compiled: everything it is made of, and by which compiler.
func (c *compiler) key(in input, o output) string {
	return digest(fmt.Append(nil, c.version, o.flags, o.file, in.source, in.headers, sharedHeaders()))
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

// cache is a folder of compiled files, each under the digest of everything it was made from.
// Without a folder it holds nothing.
type cache struct{ folder string }

// mostCached bounds the number of files in the cache; the oldest are removed.
const mostCached = 3000

// openCache opens the user's cache. A machine without one compiles everything anew.
func openCache() cache {
	user, err := os.UserCacheDir()
	if err != nil {
		return cache{}
	}
	folder := filepath.Join(user, "hashzoo", "objects")
	if os.MkdirAll(folder, 0o700) != nil {
		return cache{}
	}
	return cache{folder}
}

// digestOf covers all files of a folder.
func digestOf(folder fs.FS) (string, error) {
	var all []byte
	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(folder, path)
		all = append(all, path+" "+digest(content)+"\n"...)
		return err
	})
	return digest(all), err
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
	return sum == digest([]byte(content)) && os.WriteFile(to, []byte(content), 0o644) == nil
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
	_, err = made.WriteString(digest(content) + "\n" + string(content))
	if cmp.Or(err, made.Close()) == nil && os.Rename(made.Name(), filepath.Join(c.folder, key)) == nil {
		c.prune()
	}
}

// prune removes the files that were written longest ago.
func (c cache) prune() {
	var files []fs.FileInfo
	entries, _ := os.ReadDir(c.folder)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, old := range files[min(len(files), mostCached):] {
		os.Remove(filepath.Join(c.folder, old.Name()))
	}
}

package plugin

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hashzoo/hashzoo/kernels"
)

// compiler is clang, and the headers that the program carries, as files.
type compiler struct {
	program string
	version string
	headers string // a temporary folder
}

// newCompiler finds clang: the one that is named, or the first of those that can compile
// for GPUs.
func newCompiler(named string) (*compiler, error) {
	candidates, given := kernels.Flags("clang"), ""
	if named != "" {
		candidates, given = []string{named}, " ("+named+" is none)"
	}
	for _, program := range candidates {
		if version, ok := canCompile(program); ok {
			headers, err := writeHeaders()
			return &compiler{program, version, headers}, err
		}
	}
	return nil, fmt.Errorf("%w%s: apt-get install clang-19, or name one with --clang", ErrCompiler, given)
}

// canCompile is what tools/ptx.sh asks of a compiler, which also says its version.
func canCompile(program string) (version string, ok bool) {
	ask := exec.Command(program, "-E", "-P", "-x", "c", "-")
	ask.Stdin = strings.NewReader("__clang_major__")
	major, err := ask.Output()
	if n, _ := strconv.Atoi(strings.TrimSpace(string(major))); err != nil || n < 18 {
		return "", false
	}
	targets, err := exec.Command(program, "--print-targets").Output()
	if err != nil || !bytes.Contains(targets, []byte("nvptx64")) {
		return "", false
	}
	said, err := exec.Command(program, "--version").Output()
	version, _, _ = strings.Cut(string(said), "\n")
	return version, err == nil
}

func writeHeaders() (string, error) {
	folder, err := os.MkdirTemp("", "hashzoo-headers-")
	if err != nil {
		return "", err
	}
	return folder, os.CopyFS(folder, kernels.Headers)
}

// close removes the headers.
func (c *compiler) close() error { return os.RemoveAll(c.headers) }

// output is what a compilation makes.
type output struct {
	file  string
	flags []string
	pack  bool // the file is packed after it was compiled
}

// outputs are a shared object for the CPU, and a file of PTX for each of the GPUs that
// are the oldest for some kernels.
func outputs(name string) []output {
	list := []output{{name + ".so", slices.Concat(kernels.Flags("host"), kernels.Flags(runtime.GOARCH), kernels.Flags("plugin"), []string{"-x", "c++"}), false}}
	for _, gpu := range kernels.Flags("gpus") {
		list = append(list, output{name + "." + gpu + ".ptx.gz", slices.Concat(kernels.Flags("ptx"), kernels.Flags(gpu)), true})
	}
	return list
}

// compile makes all outputs of a source, at the same time. What the compiler says goes to
// the writer as it is: of one of the outputs, as it has the same to say of the others.
func (c *compiler) compile(ctx context.Context, source string, list []output, to string) (said string, err error) {
	complaints, errs := make([]string, len(list)), make([]error, len(list))
	var compiling sync.WaitGroup
	for i, o := range list {
		compiling.Go(func() { complaints[i], errs[i] = c.one(ctx, source, o, to) })
	}
	compiling.Wait()
	for i := range list {
		if errs[i] != nil {
			return complaints[i], errs[i]
		}
	}
	return complaints[0], nil
}

func (c *compiler) one(ctx context.Context, source string, o output, to string) (said string, err error) {
	file := filepath.Join(to, strings.TrimSuffix(o.file, ".gz"))
	args := slices.Concat(o.flags, kernels.Flags("errors"), []string{"-I", c.headers, "-o", file, "-"})
	run := exec.CommandContext(ctx, c.program, args...)
	run.Stdin = strings.NewReader(source)
	var complaints bytes.Buffer
	run.Stderr = &complaints
	if err := run.Run(); err != nil {
		return complaints.String(), fmt.Errorf("%s did not make %s: %w", filepath.Base(c.program), o.file, err)
	}
	if o.pack {
		err = pack(file)
	}
	return complaints.String(), err
}

// pack replaces a file by a packed one, which is the same whenever it is made.
func pack(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(file+".gz", packed.Bytes(), fs.FileMode(0o644)); err != nil {
		return err
	}
	return os.Remove(file)
}

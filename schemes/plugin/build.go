package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/hashzoo/hashzoo/kernels"
)

// builtFolder is where Build puts what it makes, in the folder of the sources.
const builtFolder = "built"

// ErrSource is what Build's error is if the compiler refused the sources; it has said why.
var ErrSource = errors.New("the compiler found errors, and nothing was built")

// ErrCompiler is what its error is if there is no compiler.
var ErrCompiler = errors.New("no clang 18 or later that compiles for GPUs")

// Built says what was built.
type Built struct {
	Name, Folder, Hash, Compiler string
	Kernels                      int // for each processor
}

// Build compiles the plugin in a folder with clang, and what the compiler says goes to
// the writer. The result is a folder of its own that has all that is loaded.
func Build(ctx context.Context, folder, clang string, say io.Writer) (built Built, err error) {
	d, err := readDeclaration(folder)
	if err != nil {
		return built, err
	}
	if _, err := os.Stat(filepath.Join(folder, d.name+".h")); err != nil {
		return built, fmt.Errorf("plugin %s: its header is not there: %w", d.name, err)
	}
	c, err := newCompiler(clang)
	if err != nil {
		return built, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	sources, err := sourcesDigest(folder)
	if err != nil {
		return built, err
	}
	made, err := os.MkdirTemp(folder, ".build-")
	if err != nil {
		return built, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	list := outputs(d.name)
	said, err := c.compile(ctx, d.source(), list, made)
	fmt.Fprint(say, said)
	if err != nil && said != "" && ctx.Err() == nil {
		return built, fmt.Errorf("plugin %s: %w", d.name, ErrSource)
	}
	if err != nil {
		return built, fmt.Errorf("plugin %s: %w", d.name, err)
	}
	r := record{ABI: kernels.ABIVersion, Name: d.name, Compiler: c.version, Processor: runtime.GOARCH, Sources: sources, Files: map[string]string{}}
	if err := r.collect(folder, made, list); err != nil {
		return built, err
	}
	target := filepath.Join(folder, builtFolder)
	if err := replace(made, target); err != nil {
		return built, err
	}
	return Built{d.name, target, r.hash(), c.version, len(d.kernelNames())}, nil
}

// readDeclaration reads the manifest of a folder with sources.
func readDeclaration(folder string) (*declaration, error) {
	m, err := readManifest(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s; hint: hashzoo plugin new NAME writes one", folder, manifestFile)
	}
	if err != nil {
		return nil, err
	}
	return m.declare()
}

// collect puts what was not compiled next to what was, and writes down what there is.
func (r record) collect(sources, made string, compiled []output) error {
	names := map[string]string{manifestFile: manifestFile, r.Name + ".lua": r.Name + ".lua", r.Name + ".txt": filepath.Join("testdata", r.Name+".txt")}
	for name, from := range names {
		content, err := os.ReadFile(filepath.Join(sources, from))
		if errors.Is(err, fs.ErrNotExist) {
			continue // a plugin need not have vectors, or a host side
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(made, name), content, 0o644)
		}
		if err != nil {
			return err
		}
		r.Files[name] = digest(content)
	}
	for _, o := range compiled {
		content, err := os.ReadFile(filepath.Join(made, o.file))
		if err != nil {
			return err
		}
		r.Files[o.file] = digest(content)
	}
	return r.write(made)
}

// replace puts a folder where another one was: it appears whole or not at all.
func replace(made, target string) error {
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	if err := os.Rename(made, target); err != nil {
		return err
	}
	return os.Chmod(target, 0o755)
}

// UpToDate is where in a folder a plugin was built, and an error if its sources are there
// and have changed since.
func UpToDate(folder string) (string, error) {
	at, ok := built(folder)
	if !ok {
		return "", fmt.Errorf("plugin %s: nothing was built there; hint: hashzoo plugin build %s", folder, folder)
	}
	if at == filepath.Clean(folder) || at == folder {
		return at, nil
	}
	r, err := readRecord(at)
	if err != nil {
		return "", fmt.Errorf("plugin %s: %w", at, err)
	}
	sources, err := sourcesDigest(folder)
	if err == nil && sources != r.Sources {
		err = fmt.Errorf("plugin %s: its sources have changed since it was built; hint: hashzoo plugin build %s", folder, folder)
	}
	return at, err
}

package compile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/manifest"
)

// A program holds the usual kernels of the schemes that ship. Others are compiled when a device is asked for them, and
// kept in the user's cache.
func init() { kernels.Supply(supply) }

// Compiling tells how far the compilation is of kernels that tables need.
type Compiling struct {
	What     string // the kernels
	Done, Of int    // sets of them: those of a variant for one kind of pair
	Took     time.Duration
}

// Text tells it in a line, or nothing where that is not worth a line.
func (c Compiling) Text() string {
	switch {
	case c.Done == c.Of:
		return fmt.Sprintf("compiled %s in %.1f s, and kept them for the next time", c.What, c.Took.Seconds())
	case c.Done == 0 && c.Of > worthALine:
		return fmt.Sprintf("compiling %d sets of kernels that this program was built without: %s", c.Of, c.What)
	}
	return ""
}

// worthALine is how many sets are compiled before their number is told ahead: each takes about a second.
const worthALine = 3

// OnCompile is called when a compilation begins and after each set of kernels, one call at a time. It may be nil.
var OnCompile func(Compiling)

// unit is one run of the compiler.
type unit struct {
	key     string // names its files
	title   string // for messages
	source  string
	headers fs.FS // of a scheme; nil if it needs those that all kernels share alone
}

// unitOf returns the unit that has a kernel: an instance of a scheme, or a file of package kernels.
func unitOf(kernel string) (unit, bool) {
	if i, ok := manifest.InstanceOf(kernel); ok {
		return unit{i.Key(), i.String(), i.Source(), i.Scheme.Files}, true
	}
	file, _, _ := strings.Cut(strings.TrimPrefix(kernel, "hz_"), "_")
	source, err := fs.ReadFile(kernels.Sources, file+".cc")
	return unit{file, "the kernels of " + file, string(source), nil}, err == nil
}

// supplying makes kernels for one caller at a time, so that nothing is compiled or added twice.
var supplying sync.Mutex

// supply compiles the kernels that a program was built without, as many units at once as there are processors.
func supply(gpu bool, names []string) error {
	supplying.Lock()
	defer supplying.Unlock()
	var units []unit
	for _, name := range names {
		u, ok := unitOf(name)
		_, have := kernels.FindHost(name)
		if gpu {
			_, have = kernels.FindPTX(name)
		}
		if ok && !have && !slices.ContainsFunc(units, func(o unit) bool { return o.key == u.key }) {
			units = append(units, u)
		}
	}
	if len(units) == 0 {
		return nil
	}
	return compile(gpu, units)
}

func compile(gpu bool, units []unit) error {
	b, err := newBatch(gpu, units)
	if err != nil {
		return err
	}
	return errors.Join(b.run(), b.close())
}

// Again compiles the kernels of a unit, whether the program has them or not, which then has these.
func Again(kernel string) error {
	u, _ := unitOf(kernel)
	return compile(false, []unit{u})
}

// batch compiles units.
type batch struct {
	*Compiler
	gpu   bool
	units []unit
	to    string // the folder of what is compiled, until it is loaded

	mutex sync.Mutex
	began time.Time
	todo  []unit // those that the cache does not have
	done  int
}

func newBatch(gpu bool, units []unit) (*batch, error) {
	c, err := New("", !gpu)
	if err != nil {
		return nil, fmt.Errorf("%s: this program was built without these kernels, and there is no compiler for them: apt-get install clang-19, or take a program that make all or make release has built",
			titles(units))
	}
	b := &batch{Compiler: c, gpu: gpu, units: units, began: time.Now()}
	// A folder of temporary files may forbid to execute what is in it, and that of the cache may not.
	b.to, err = os.MkdirTemp(c.cache.folder, ".load-")
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return b, nil
}

// titles names units in one line.
func titles(units []unit) string {
	if more := len(units) - 3; more > 0 {
		return fmt.Sprintf("%s and %d more", titles(units[:3]), more)
	}
	return strings.Join(lists.Map(units, func(u unit) string { return u.title }), ", ")
}

func (b *batch) close() error { return errors.Join(os.RemoveAll(b.to), b.Compiler.Close()) }

func (b *batch) run() error {
	b.todo = lists.Filter(b.units, func(u unit) bool {
		return slices.ContainsFunc(b.outputs(u), func(o Output) bool { return !b.cache.get(b.key(b.input(u), o), filepath.Join(b.to, o.File)) })
	})
	b.tell(0)
	var working errgroup.Group
	working.SetLimit(runtime.NumCPU())
	for _, u := range b.todo {
		working.Go(func() error { return b.compile(u) })
	}
	if err := working.Wait(); err != nil {
		return err
	}
	for _, u := range b.units {
		if err := b.load(u); err != nil {
			return fmt.Errorf("%s: %w", u.title, err)
		}
	}
	return nil
}

// tell counts compiled units and reports the progress.
func (b *batch) tell(more int) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.done += more
	if len(b.todo) > 0 && OnCompile != nil {
		OnCompile(Compiling{titles(b.todo), b.done, len(b.todo), time.Since(b.began)})
	}
}

func (b *batch) outputs(u unit) []Output {
	return lists.Either(b.gpu, forGPUs, Shared)(u.key)
}

// input is the unit for the compiler. Its files lie in a folder of their own, from which it includes first.
func (b *batch) input(u unit) Input {
	folder := filepath.Join(b.headers, "of-"+u.key)
	return Input{Source: u.source + "HZ_PLUGIN\n", Headers: digestOf(u.headers), Path: filepath.Join(folder, u.key+".cc")}
}

func (b *batch) compile(u unit) error {
	in := b.input(u)
	if err := u.write(in); err != nil {
		return err
	}
	if said, err := b.Compile(context.Background(), in, b.outputs(u), b.to); err != nil {
		return fmt.Errorf("%s: %w\n%s", u.title, err, said)
	}
	b.tell(1)
	return nil
}

// write writes the source, and the scheme's files next to it.
func (u unit) write(in Input) error {
	folder := filepath.Dir(in.Path)
	err := os.MkdirAll(folder, 0o700)
	if err == nil && u.headers != nil {
		err = os.CopyFS(folder, u.headers)
	}
	return cmp.Or(err, os.WriteFile(in.Path, []byte(in.Source), 0o600))
}

// load adds the kernels of a unit to the program's.
func (b *batch) load(u unit) error {
	if !b.gpu {
		host, err := kernels.Open(filepath.Join(b.to, u.key+".so"))
		if err == nil {
			kernels.Add(host, nil)
		}
		return err
	}
	all, err := lists.TryMap(b.outputs(u), func(o Output) ([]kernels.PTX, error) {
		packed, err := os.ReadFile(filepath.Join(b.to, o.File))
		if err != nil {
			return nil, err
		}
		return kernels.ReadPTX(strings.TrimSuffix(o.File, ".gz"), packed, strings.NewReplacer())
	})
	if err == nil {
		kernels.Add(kernels.Library{}, slices.Concat(all...))
	}
	return err
}

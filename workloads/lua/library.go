package lua

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"path"
	"regexp"
	"strconv"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// moduleName matches module names: a.b is the file a/b.lua. No name leaves the folder.
var moduleName = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

func (h *host) require(L *glua.LState) (int, error) {
	name := L.CheckString(1)
	if v, ok := h.modules[name]; ok {
		if v == nil {
			return 0, fmt.Errorf("module %s requires itself", name)
		}
		return sandbox.Return(L, v)
	}
	c := sandbox.Check(h.readModule(name))
	h.modules[name] = nil
	v := sandbox.Run(L, L.NewFunctionFromProto(c.Proto), glua.LString(name))
	if v == glua.LNil {
		v = glua.LTrue
	}
	h.modules[name] = v
	h.Keep(v)
	return sandbox.Return(L, v)
}

func (h *host) readModule(name string) (*sandbox.Code, error) {
	if !moduleName.MatchString(name) {
		return nil, fmt.Errorf("%q is not a module name: it takes names such as keys or util.keys, of files in the script's own folder", nearest.Shorten(name, 40))
	}
	if h.script.folder == nil {
		return nil, fmt.Errorf("module %s not found: this script has no folder", name)
	}
	file := strings.ReplaceAll(name, ".", "/") + ".lua"
	source, err := readSource(h.script.folder, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("module %s not found: no file %s in the script's folder", name, file)
	}
	if err != nil {
		return nil, fmt.Errorf("module %s: %w", name, err)
	}
	return h.Library.Compile(path.Join(path.Dir(strings.ReplaceAll(h.script.Name, `\`, "/")), file), source)
}

// readSource reads a file up to one byte above the limit, so that Compile sees the excess.
func readSource(dir fs.FS, file string) (string, error) {
	f, err := regular.In(dir, file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, sandbox.MaxSource+1))
	return string(text), err
}

// newRandom is a state's generator for math.random: the interpreter's is shared and cannot be seeded.
func newRandom(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(stream.Derive(seed, "math.random"), seed))
}

func (h *host) random(L *glua.LState) (int, error) {
	low, high := 1.0, 0.0
	switch L.GetTop() {
	case 0:
		return sandbox.Return(L, glua.LNumber(h.rng.Float64()))
	case 1:
		high = float64(L.CheckNumber(1))
	default:
		low, high = float64(L.CheckNumber(1)), float64(L.CheckNumber(2))
	}
	low, high = math.Floor(low), math.Floor(high)
	if !(low <= high) || math.Abs(low) > 1<<53 || math.Abs(high) > 1<<53 {
		return 0, fmt.Errorf("from %v to %v: it takes whole numbers up to 2^53, the first not above the second", low, high)
	}
	return sandbox.Return(L, glua.LNumber(low+float64(h.rng.Uint64N(uint64(high-low)+1))))
}

func (h *host) randomseed(L *glua.LState) (int, error) {
	h.rng = newRandom(math.Float64bits(float64(L.CheckNumber(1))))
	return 0, nil
}

// nextSeed draws a seed. All states of a run draw the same ones in the same order.
func (h *host) nextSeed() uint64 {
	h.drawn++
	return stream.Derive(h.setup.Seed, "script "+strconv.FormatUint(h.drawn, 10))
}

package lua

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
)

// moduleName matches module names: a.b is the file a/b.lua. No name leaves the folder.
var moduleName = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// require runs a module of the script's folder once and returns its result.
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
		return nil, fmt.Errorf("%q is not a module name: it takes names such as keys or util.keys, of files in the script's own folder", sandbox.Shorten(name, 40))
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

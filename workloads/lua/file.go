package lua

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/stream"
	"github.com/hashzoo/hashzoo/workloads/stream/file"
)

// files are columns that a script has read, for all its instances: each would read
// the same numbers.
type files struct {
	mutex sync.Mutex
	read  map[string]column
}

type column struct {
	stream.Stream
	remark string // what is out of the ordinary about it
}

// genFile is gen.file("keys.csv", { column = "id" }): numbers of a file in the
// script's folder.
func (h *host) genFile(L *glua.LState) (int, error) {
	name, ok := L.Get(1).(glua.LString)
	if !ok || L.GetTop() > 2 {
		return 0, fmt.Errorf(`gen.file: the file is %s, it takes a name and named arguments, as in gen.file("keys.csv", { column = "id" })`, sandbox.Describe(L.Get(1)))
	}
	opt, err := h.fileOptions(L.Get(2))
	if err != nil {
		return 0, err
	}
	if path.IsAbs(string(name)) || !fs.ValidPath(path.Clean(string(name))) {
		return 0, fmt.Errorf("gen.file: %q is not in the script's folder, and no other file can be read", sandbox.Shorten(string(name), 60))
	}
	if h.script.folder == nil {
		return 0, fmt.Errorf("gen.file: there is no file %s: this script has no folder", name)
	}
	c, err := h.script.files.column(h.script.folder, path.Clean(string(name)), opt)
	if err != nil {
		return 0, fmt.Errorf("gen.file: %w", err)
	}
	if err := h.hold(8 * int64(c.Len())); err != nil {
		return 0, fmt.Errorf("gen.file: %w", err)
	}
	if c.remark != "" && h.table != nil {
		h.table.Note(c.remark)
	}
	return h.push(L, c.Stream)
}

func (h *host) fileOptions(v glua.LValue) (opt file.Options, err error) {
	opt = file.Options{Width: h.pair().Key, Limit: uint64(h.script.limits.Vectors) / 8}
	if v == glua.LNil {
		return opt, nil
	}
	f, err := named("gen.file", v)
	if err != nil {
		return opt, err
	}
	if err := f.only("column", "rows", "as", "format", "numbered", "width"); err != nil {
		return opt, err
	}
	for name, to := range map[string]*string{"column": &opt.Column, "as": &opt.As, "format": &opt.Format} {
		if *to, err = f.text(name); err != nil {
			return opt, err
		}
	}
	if opt.Rows, err = f.whole("rows", 1, false); err != nil {
		return opt, err
	}
	if f.has("width") {
		width, err := f.whole("width", 4, false)
		if err != nil {
			return opt, err
		}
		opt.Width = int(min(width, 1<<20))
	}
	opt.Numbered, err = f.flag("numbered")
	return opt, err
}

// column reads a column, or finds that it was read.
func (all *files) column(dir fs.FS, name string, opt file.Options) (column, error) {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	key := fmt.Sprintf("%q %+v", name, opt)
	if c, ok := all.read[key]; ok {
		return c, nil
	}
	read, err := readFile(dir, name, opt)
	if err != nil {
		return column{}, err
	}
	c := column{stream.Data(read.Label, read.Numbers), remark(read)}
	if all.read == nil {
		all.read = map[string]column{}
	}
	all.read[key] = c
	return c, nil
}

func readFile(dir fs.FS, name string, opt file.Options) (*file.Column, error) {
	f, err := dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s in the script's folder", name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file that could be read", name)
	}
	opened, ok := f.(file.Opened)
	if !ok {
		text, err := io.ReadAll(f)
		if err != nil {
			return nil, err
		}
		opened = bytes.NewReader(text)
	}
	return file.Read(name, opened, opt)
}

func remark(c *file.Column) string {
	switch {
	case c.Collisions > 0:
		return fmt.Sprintf("%s: %d texts have the same hash as others, and are the same key", c.Label, c.Collisions)
	case c.Reserved > 0:
		return fmt.Sprintf("%s: %d keys are among the two that no table takes", c.Label, c.Reserved)
	}
	return ""
}

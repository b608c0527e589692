package lua

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/stream"
	"github.com/hashzoo/hashzoo/workloads/stream/file"
)

// files caches the columns that a script has read, for all its instances.
type files struct {
	mutex sync.Mutex
	read  map[string]column
}

type column struct {
	stream.Stream
	remark string // anything unusual about it
}

// genFile is gen.file("keys.csv", { column = "id" }): numbers of a file in the script's
// folder.
func (h *host) genFile(L *glua.LState) (int, error) {
	name, ok := L.Get(1).(glua.LString)
	if !ok || L.GetTop() > 2 {
		return 0, wrongValue("the file", L.Get(1), `a name and named arguments, as in gen.file("keys.csv", { column = "id" })`)
	}
	c := sandbox.Check(h.column(string(name), sandbox.Check(h.fileOptions(L.Get(2)))))
	sandbox.Raise(h.hold(8 * int64(c.Len())))
	if c.remark != "" && h.table != nil {
		h.table.Note(c.remark)
	}
	return h.push(L, c.Stream)
}

func (h *host) fileOptions(v glua.LValue) (opt file.Options, err error) {
	arguments := struct {
		Column   string `lua:"column"`
		Rows     uint64 `lua:"rows" min:"1"`
		As       string `lua:"as"`
		Format   string `lua:"format"`
		Numbered bool   `lua:"numbered"`
		Width    uint64 `lua:"width" min:"4"`
	}{Width: uint64(h.pair().Key)}
	if v != glua.LNil {
		_, err = decode("gen.file", v, &arguments)
	}
	return file.Options{
		Column: arguments.Column, Rows: arguments.Rows, As: arguments.As, Format: arguments.Format, Numbered: arguments.Numbered,
		Width: int(min(arguments.Width, 1<<20)), Limit: uint64(h.script.limits.Vectors) / 8,
	}, err
}

// column reads a column of a file in the script's folder, once for all instances.
func (h *host) column(name string, opt file.Options) (column, error) {
	all, clean := &h.script.files, path.Clean(name)
	switch {
	case path.IsAbs(name) || !fs.ValidPath(clean):
		return column{}, fmt.Errorf("%q is not in the script's folder, and scripts can read no other files", sandbox.Shorten(name, 60))
	case h.script.folder == nil:
		return column{}, fmt.Errorf("file %s not found: this script has no folder", name)
	}
	all.mutex.Lock()
	defer all.mutex.Unlock()
	key := fmt.Sprintf("%q %+v", clean, opt)
	if c, ok := all.read[key]; ok {
		return c, nil
	}
	read, err := readFile(h.script.folder, clean, opt)
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
	f, err := regular.In(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("file %s not found in the script's folder", name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	opened, ok := f.(file.Opened)
	if !ok {
		return nil, fmt.Errorf("%s cannot be read from any place", name)
	}
	return file.Read(name, opened, opt)
}

func remark(c *file.Column) string {
	switch {
	case c.Collisions > 0:
		return fmt.Sprintf("%s: %d texts have the same hash as another text and become the same key", c.Label, c.Collisions)
	case c.Reserved > 0:
		return fmt.Sprintf("%s: %d keys are reserved, and every table rejects them", c.Label, c.Reserved)
	}
	return ""
}

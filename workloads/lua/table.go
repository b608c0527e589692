package lua

import (
	"fmt"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

// tableHandle is the t that prepare and event are given.
type tableHandle struct{}

func (*tableHandle) what() string { return "the table" }

// keyed are the operations on a batch of keys, and whether they take values.
var keyed = map[string]bool{
	"insert": true, "find": false, "update": true, "upsert": true, "erase": false, "find_all": false,
}

// whole are the operations on a table as a whole.
var whole = []string{"flush", "resize"}

func (h *host) tableType() *glua.LTable {
	functions := h.L.NewTable()
	add := func(name string, f luaFunction) {
		functions.RawSetString(name, h.function(func(L *glua.LState) (int, error) {
			if ud, ok := L.Get(1).(*glua.LUserData); !ok || ud != h.handle {
				return 0, fmt.Errorf("%s is called on %s: write t:%s(...), with a colon", name, describe(L.Get(1)), name)
			}
			n, err := f(L)
			if err != nil && !strings.HasPrefix(err.Error(), "t:"+name) {
				err = fmt.Errorf("t:%s: %w", name, err)
			}
			return n, err
		}))
	}
	for op, values := range keyed {
		add(op, h.batchMethod(op, values))
	}
	for _, op := range whole {
		add(op, h.wholeMethod(op))
	}
	add("mix", h.mix)
	add("clear", h.clear)
	add("has", h.hasOperation)
	add("note", h.note)
	for name, get := range map[string]func() float64{
		"size":        func() float64 { return float64(h.table.Size()) },
		"capacity":    func() float64 { return float64(h.table.Capacity()) },
		"load_factor": func() float64 { return h.table.Load() },
		"bytes":       func() float64 { return float64(h.table.Bytes()) },
	} {
		add(name, func(L *glua.LState) (int, error) {
			L.Push(glua.LNumber(get()))
			return 1, nil
		})
	}
	meta := h.L.NewTable()
	meta.RawSetString("__index", h.methodsOf("the table", functions))
	return meta
}

// clear is t:clear() or t:clear{ reseed = true }.
func (h *host) clear(L *glua.LState) (int, error) {
	reseed := false
	if L.GetTop() > 1 {
		f, err := named("t:clear", L.Get(2))
		if err != nil {
			return 0, err
		}
		if err := f.only("reseed"); err != nil {
			return 0, err
		}
		if reseed, err = f.flag("reseed"); err != nil {
			return 0, err
		}
	}
	if err := h.table.Clear(reseed); err != nil {
		return 0, h.broken(err)
	}
	return 0, nil
}

// hasOperation is t:has("upsert").
func (h *host) hasOperation(L *glua.LState) (int, error) {
	op, ok := L.Get(2).(glua.LString)
	if !ok {
		return 0, fmt.Errorf("the operation is %s, it takes a name such as \"upsert\"", describe(L.Get(2)))
	}
	_, isKeyed := keyed[string(op)]
	known := isKeyed || op == "mix" || op == "flush" || op == "resize"
	if !known {
		return 0, fmt.Errorf("%q is no operation of a table", string(op))
	}
	L.Push(glua.LBool(h.table.Supports(string(op)) == nil))
	return 1, nil
}

// note is t:note("text"): a remark in the results.
func (h *host) note(L *glua.LState) (int, error) {
	text, ok := L.Get(2).(glua.LString)
	if !ok {
		return 0, fmt.Errorf("the remark is %s, it takes a text", describe(L.Get(2)))
	}
	h.table.Note(shorten(string(text), 1000))
	return 0, nil
}

// broken keeps an error that no script can do anything about.
func (h *host) broken(err error) error {
	h.meter.stop(err, err)
	return err
}

package lua

import (
	"fmt"
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// tableHandle is the t that prepare and event are given.
type tableHandle struct{}

func (*tableHandle) What() string { return "the table" }

// tableMethods are what a script can do with its table.
func (h *host) tableMethods() map[string]sandbox.Function {
	methods := map[string]sandbox.Function{
		"mix": h.mix, "clear": h.clear, "has": h.hasOperation, "note": h.note,
		"size":        h.number(func(t run.Table) float64 { return float64(t.Size()) }),
		"capacity":    h.number(func(t run.Table) float64 { return float64(t.Capacity()) }),
		"load_factor": h.number(run.Table.Load),
		"bytes":       h.number(func(t run.Table) float64 { return float64(t.Bytes()) }),
	}
	for _, op := range kernels.Operations {
		switch op.Kind {
		case kernels.OnKeys:
			methods[op.Name] = h.batchMethod(op, run.Table.Do)
		case kernels.OnTable:
			methods[op.Name] = h.wholeMethod(op)
		}
	}
	methods["fill"] = h.batchMethod(kernels.Op("insert"), run.Table.Fill)
	return methods
}

func (h *host) number(get func(run.Table) float64) sandbox.Function {
	return func(L *glua.LState) (int, error) { return sandbox.Return(L, glua.LNumber(get(h.table))) }
}

func (h *host) tableType() *glua.LTable {
	functions := map[string]glua.LValue{}
	for name, f := range h.tableMethods() {
		functions[name] = h.Called("t:"+name, func(L *glua.LState) (int, error) {
			if L.Get(1) != h.handle {
				return 0, fmt.Errorf("called on %s: write t:%s(...), with a colon", sandbox.Describe(L.Get(1)), name)
			}
			return f(L)
		})
	}
	return h.metatable(map[string]sandbox.Function{"__index": h.member("the table", "method", functions)})
}

// clear is t:clear() or t:clear{ reseed = true }.
func (h *host) clear(L *glua.LState) (int, error) {
	var arguments struct {
		Reseed bool `lua:"reseed"`
	}
	if L.GetTop() > 1 {
		sandbox.Check(decode("t:clear", L.Get(2), &arguments))
	}
	return 0, h.broken(h.table.Clear(arguments.Reseed))
}

// hasOperation is t:has("upsert"), or t:has("find", "insert"): both in one launch.
func (h *host) hasOperation(L *glua.LState) (int, error) {
	most := max(L.GetTop(), 2)
	has := true
	for i := 2; i <= most; i++ {
		op, ok := L.Get(i).(glua.LString)
		if !ok {
			return 0, wrongValue("the operation", L.Get(i), `a name such as "upsert"`)
		}
		if known := kernels.OpsOf(kernels.OnKeys, kernels.Mixed, kernels.OnTable); !slices.Contains(known, string(op)) {
			return 0, nearest.Unknown("operation of a table", string(op), known)
		}
		has = has && h.table.Supports(string(op)) == nil && (most == 2 || slices.Contains(h.setup.Config.Caps.Concurrent, string(op)))
	}
	return sandbox.Return(L, glua.LBool(has))
}

// note is t:note("text"): a remark in the results.
func (h *host) note(L *glua.LState) (int, error) {
	text, ok := L.Get(2).(glua.LString)
	if !ok {
		return 0, wrongValue("the remark", L.Get(2), "a text")
	}
	remark := nearest.Shorten(sandbox.OneLine(string(text)), 1000)
	if h.notes[remark] = true; len(h.notes) > maxNotes {
		return 0, fmt.Errorf("more than %d different remarks; hint: print is for what changes", maxNotes)
	}
	h.table.Note(remark)
	return 0, nil
}

// maxNotes bounds the remarks of a script: they are part of the results.
const maxNotes = 100

// broken ends the script if an error of the table occurred, which no script can handle.
func (h *host) broken(err error) error {
	if err != nil {
		h.Meter.Stop(err, err)
	}
	return err
}

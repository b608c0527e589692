package lua

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/rows"
	"github.com/hashzoo/hashzoo/workloads/stream"
	"github.com/hashzoo/hashzoo/workloads/stream/file"
)

// effort is the cost of making numbers in Lua.
type effort struct {
	numbers uint64
	calls   int
	took    time.Duration
}

// stepsEach is how many instructions gen.from grants per number, on average.
const stepsEach = 1000

// genFrom is gen.from(function(i) ... end, { n = 1000 }): slow and limited, for what no generator does.
func (h *host) genFrom(L *glua.LState) (int, error) {
	fn, ok := L.Get(1).(*glua.LFunction)
	if !ok || L.GetTop() != 2 {
		return 0, errors.New("it takes a function and a count, as in gen.from(function(i) return i * i end, { n = 1000 })")
	}
	var count struct {
		N uint64 `lua:"n"`
	}
	if f := sandbox.Check(sandbox.Decode("gen.from", L.Get(2), &count)); !f.Has("n") {
		return 0, errors.New("n is missing: it is the number of numbers to make")
	}
	sandbox.Raise(h.allow(count.N))
	started := time.Now()
	numbers := make([]uint64, count.N)
	for i := range numbers {
		numbers[i] = sandbox.Check(numberOf(L, fn, i+1))
	}
	h.from.numbers, h.from.calls, h.from.took = h.from.numbers+count.N, h.from.calls+1, h.from.took+time.Since(started)
	return h.push(L, stream.Data("gen.from", numbers))
}

func (h *host) allow(n uint64) error {
	if most := h.script.limits.From; n > most {
		return fmt.Errorf("n is %d, at most %d are allowed; hint: use a generator, or raise lua.from", n, most)
	}
	if err := h.hold(8 * int64(n)); err != nil {
		return err
	}
	h.Meter.Allow(n * stepsEach)
	return nil
}

// hold checks that vectors may keep more bytes of numbers. Unreachable vectors do not count.
func (h *host) hold(bytes int64) error {
	most := h.script.limits.Vectors
	if held := h.Weigh().Held; held+bytes > most {
		return fmt.Errorf("%d bytes of numbers and the %d bytes that vectors hold exceed the limit of %d; hint: raise lua.vectors", bytes, held, most)
	}
	return nil
}

func numberOf(L *glua.LState, fn *glua.LFunction, i int) (uint64, error) {
	v := sandbox.Run(L, fn, glua.LNumber(i))
	n, ok := sandbox.Whole(v)
	if !ok {
		return 0, fmt.Errorf(`the function returned %s for %d, it takes whole numbers from 0 to 2^53, or u64"..."`, sandbox.Describe(v), i)
	}
	return n, nil
}

// noteData tells the run about data, which the script may have read before it began.
func (h *host) noteData() {
	for _, remark := range h.remarks {
		h.table.Note(remark)
	}
	h.remarks = nil
}

func (h *host) noteEffort() {
	if e := h.from; e.calls > 0 && h.table != nil {
		h.table.Note(fmt.Sprintf("gen.from made %d numbers in Lua, calls: %d, in %.0f ms outside the measured time",
			e.numbers, e.calls, e.took.Seconds()*1e3))
	}
	h.from = effort{}
}

// column is numbers of a file.
type column struct {
	stream.Stream
	remarks []string // for the user
}

// genFile is gen.file("keys.csv", { column = "id" }): numbers of a file in the script's folder, or of one that
// the user gave.
func (h *host) genFile(L *glua.LState) (int, error) {
	name, ok := L.Get(1).(glua.LString)
	if !ok || L.GetTop() > 2 {
		return 0, sandbox.WrongValue("the file", L.Get(1), `a name and named arguments, as in gen.file("keys.csv", { column = "id" })`)
	}
	opt := file.Options{Width: uint64(h.pair().Key), Limit: uint64(h.script.limits.Vectors) / 8, Texts: h.script.limits.Texts}
	if v := L.Get(2); v != glua.LNil {
		sandbox.Check(sandbox.Decode("gen.file", v, &opt))
	}
	c := sandbox.Check(sandbox.Outside(h.Meter, func() (column, error) { return h.column(string(name), opt) }))
	sandbox.Raise(h.hold(8 * int64(c.Len())))
	h.remarks = append(h.remarks, c.remarks...)
	return h.push(L, c.Stream)
}

// column reads a column of a file, once for all instances.
func (h *host) column(name string, opt file.Options) (column, error) {
	given := h.given(name)
	clean := path.Clean(name)
	switch {
	case given:
		clean = name
	case name == "":
		return column{}, errors.New("the file has no name; hint: --file gives the script one")
	case path.IsAbs(name) || !fs.ValidPath(clean):
		return column{}, fmt.Errorf("%q is not in the script's folder, and scripts can read no other files unless --file gives them", nearest.Shorten(name, 60))
	case h.script.folder == nil:
		return column{}, fmt.Errorf("file %s not found: this script has no folder", name)
	}
	key := fmt.Sprintf("%t %q %+v", given, clean, opt)
	if c, ok := h.script.columns.Load(key); ok {
		return c.(column), nil
	}
	f, err := h.open(clean, given)
	if err != nil {
		return column{}, err
	}
	defer f.Close()
	opened, ok := f.(rows.File)
	if !ok {
		return column{}, fmt.Errorf("%s cannot be read from any place", name)
	}
	read, err := file.Read(clean, opened, opt)
	if err != nil {
		return column{}, err
	}
	c := column{stream.OfFields(read.Label, read.Numbers, read.Fields), read.Remarks}
	h.script.columns.Store(key, c)
	return c, nil
}

// given reports whether a name is that of a file that the user gave as the value of an option.
func (h *host) given(name string) bool {
	return slices.ContainsFunc(h.declared.options, func(o Option) bool { return o.File && name != "" && h.setup.Options[o.Name] == name })
}

func (h *host) open(name string, given bool) (fs.File, error) {
	if given {
		return regular.Open(name)
	}
	f, err := regular.In(h.script.folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("file %s not found in the script's folder", name)
	}
	return f, err
}

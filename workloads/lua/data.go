package lua

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"
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
		v, ok := sandbox.Run(L, fn, glua.LNumber(i+1)), false
		if numbers[i], ok = sandbox.Whole(v); !ok {
			return 0, fmt.Errorf(`the function returned %s for %d, it takes whole numbers from 0 to 2^53, or u64"..."`, sandbox.Describe(v), i+1)
		}
	}
	h.from.numbers, h.from.calls, h.from.took = h.from.numbers+count.N, h.from.calls+1, h.from.took+time.Since(started)
	return h.push(L, stream.Data("gen.from", numbers))
}

func (h *host) allow(n uint64) error {
	const stepsEach = 1000 // instructions that gen.from grants per number, on average
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

// noteData tells the run about data, which the script may have read before it began.
func (h *host) noteData() {
	for _, remark := range h.remarks {
		h.table.Note(remark)
	}
	h.remarks = nil
}

// columns are numbers of a file.
type columns struct {
	list    []stream.Stream
	remarks []string // for the user
}

// genFile is gen.file("keys.csv", { column = "id" }, ...): columns of a file in the script's folder, or of one that
// the user gave, in one pass.
func (h *host) genFile(L *glua.LState) (int, error) {
	name, ok := L.Get(1).(glua.LString)
	if !ok {
		return 0, sandbox.WrongValue("the file", L.Get(1), `a name and named arguments, as in gen.file("keys.csv", { column = "id" })`)
	}
	opts := h.columnsOf(L)
	c := sandbox.Check(sandbox.Outside(h.Meter, func() (columns, error) { return h.columns(string(name), opts) }))
	h.remarks = append(h.remarks, c.remarks...)
	for _, s := range c.list {
		sandbox.Raise(h.hold(8 * int64(s.Len())))
		sandbox.Check(h.push(L, s))
	}
	return len(c.list), nil
}

// columnsOf returns what the arguments after the file's name ask for. The first one says what the file is like.
func (h *host) columnsOf(L *glua.LState) (list []file.Options) {
	last := max(2, L.GetTop())
	for last > 2 && L.Get(last) == glua.LNil {
		last--
	}
	opt := file.Options{}
	for i := 2; i <= last; i++ {
		was := opt.Shared
		opt = file.Options{Shared: was, Width: uint64(h.pair().Key), Texts: h.script.limits.Texts, Limit: uint64(h.script.limits.Vectors) / 8 / uint64(last-1)}
		if v := L.Get(i); v != glua.LNil {
			sandbox.Check(sandbox.Decode("gen.file", v, &opt))
		}
		if i > 2 && opt.Shared != was {
			sandbox.Raise(errors.New("columns of one file differ in what they say about it; hint: rows, format, numbered, delimiter, comment and k stand with the first column"))
		}
		list = append(list, opt)
	}
	return list
}

// columns reads columns of a file, once for all instances.
func (h *host) columns(name string, opts []file.Options) (columns, error) {
	given := slices.ContainsFunc(h.declared.options, func(o Option) bool { return o.File && name != "" && h.setup.Options[o.Name] == name })
	clean := path.Clean(name)
	switch {
	case given:
		clean = name
	case name == "":
		return columns{}, errors.New("the file has no name; hint: --file gives the script one")
	case path.IsAbs(name) || !fs.ValidPath(clean):
		return columns{}, fmt.Errorf("%q is not in the script's folder, and scripts can read no other files unless --file gives them", nearest.Shorten(name, 60))
	case h.script.folder == nil:
		return columns{}, fmt.Errorf("file %s not found: this script has no folder", name)
	}
	key := fmt.Sprintf("%t %q %+v", given, clean, opts)
	if c, ok := h.script.columns.Load(key); ok {
		return c.(columns), nil
	}
	f, err := h.open(clean, given)
	if err != nil {
		return columns{}, err
	}
	defer f.Close()
	c, err := h.shared(clean, key, f, opts)
	if err == nil {
		h.script.columns.Store(key, c)
	}
	return c, err
}

// shared reads columns of a file, unless another script did since the file was changed.
func (h *host) shared(name, key string, f fs.File, opts []file.Options) (columns, error) {
	about, err := f.Stat()
	if err != nil {
		return columns{}, err
	}
	key += fmt.Sprint(about.Size(), about.ModTime())
	others := cmp.Or(h.script.limits.Files, &sync.Map{})
	if c, ok := others.Load(key); ok {
		return c.(columns), nil
	}
	opened, ok := f.(rows.File)
	if !ok {
		return columns{}, fmt.Errorf("%s cannot be read from any place", name)
	}
	read, err := file.Read(name, opened, h.script.limits.Reading, opts...)
	if err != nil {
		return columns{}, err
	}
	c := columns{}
	for _, r := range read {
		c.list = append(c.list, stream.OfFields(r.Label, r.Numbers, r.Fields))
		c.remarks = append(c.remarks, r.Remarks...)
	}
	others.Store(key, c)
	return c, nil
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

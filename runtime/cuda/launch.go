//go:build cuda

package cuda

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// kernel is one that is ready to be launched.
type kernel struct {
	function cu.Function
	block    int // threads in a block
	call     int // bytes that it is called with by value; 0 if it takes addresses
	room     int // blocks that the whole GPU has room for at once
}

// waves is how many blocks there are at the most for each that the GPU has room for. With
// one, all stride over the whole batch, and the batch ends when the slowest does; with more,
// a multiprocessor that is done gets another. Up to 4000 were tried: 32 made finds 10 to
// 20 percent faster than one, and many more cost what a block costs to begin and end.
const waves = 32

// share is how many items each thread has before there are more blocks than the GPU has
// room for: at its end a warp adds its counters to those of all, which takes longer than
// an operation or two. With one each, batches of 4 million took up to twice as long.
const share = 4

// Prepare has the driver compile those of the kernels that are new.
func (d *Device) Prepare(names ...string) error {
	var missing []kernels.PTX
	seen := map[string]bool{}
	for _, name := range names {
		if _, ok := d.loaded[name]; ok || seen[name] {
			continue
		}
		seen[name] = true
		ptx, err := d.find(name)
		if err != nil {
			return err
		}
		missing = append(missing, ptx)
	}
	for _, module := range kernels.Modules(missing) {
		if err := d.do("compile "+module.File, func() error { return d.load(module) }); err != nil {
			return err
		}
	}
	return nil
}

// find returns a kernel that this GPU can run.
func (d *Device) find(name string) (kernels.PTX, error) {
	ptx, ok := kernels.FindPTX(name)
	if !ok && len(kernels.PTXNames()) == 0 {
		return ptx, fmt.Errorf("device %s: built without kernels for GPUs: install clang-19 and run make", d.info.Name)
	}
	if !ok {
		return ptx, fmt.Errorf("device %s: there is no kernel %s", d.info.Name, name)
	}
	if d.arch < ptx.Arch {
		return ptx, fmt.Errorf("device %s: kernel %s: %s, sm_%d or later; %s is %s",
			d.info.Name, name, ptx.Needs(), ptx.Arch, d.info.Name, d.info.Arch)
	}
	return ptx, nil
}

func (d *Device) load(module kernels.Module) error {
	compiled, err := compile(module.Text)
	if err != nil {
		return err
	}
	d.modules = append(d.modules, compiled)
	for _, ptx := range module.Kernels {
		function, err := compiled.Function(ptx.Name)
		if err != nil {
			return fmt.Errorf("kernel %s: %w", ptx.Name, called("cuModuleGetFunction", err))
		}
		perProcessor, err := function.MaxActiveBlocksPerMultiProcessor(ptx.Block, 0)
		if err != nil {
			return fmt.Errorf("kernel %s: %w", ptx.Name, called("cuOccupancyMaxActiveBlocksPerMultiprocessor", err))
		}
		if perProcessor == 0 {
			return fmt.Errorf("kernel %s: no multiprocessor has room for its block of %d threads", ptx.Name, ptx.Block)
		}
		d.loaded[ptx.Name] = kernel{function, ptx.Block, ptx.Call, perProcessor * d.info.Threads}
	}
	return nil
}

// compile hands PTX to the driver, with room for what its compiler complains of.
func compile(ptx string) (cu.Module, error) {
	log := make([]byte, 1<<13)
	// The address gets to the driver as a number, which does not keep the log alive.
	var pin runtime.Pinner
	pin.Pin(&log[0])
	defer pin.Unpin()
	module, err := cu.LoadDataEx(ptx, &cu.JITErrorLogBuffer{Buffer: log})
	if err == nil {
		return module, nil
	}
	text, _, _ := bytes.Cut(log, []byte{0})
	return module, fmt.Errorf("%w: %s", called("cuModuleLoadDataEx", err), strings.Join(strings.Fields(string(text)), " "))
}

// Launch starts a kernel: a thread for each item, up to some waves of what the GPU has
// room for at once. Kernels go through the rest in strides.
func (d *Device) Launch(name string, table, batch device.Addr, count uint64) error {
	return d.launch(name, 0, []uint64{uint64(table), uint64(batch), count}, count)
}

// Call is Launch for kernels that are called with their blocks.
func (d *Device) Call(name string, table, batch []byte, count uint64) error {
	call := slices.Concat(words(table), words(batch), []uint64{count})
	return d.launch(name, 8*len(call), call, count)
}

// words are the 64-bit words of a block.
func words(block []byte) []uint64 {
	list := make([]uint64, len(block)/8)
	for i := range list {
		list[i] = binary.NativeEndian.Uint64(block[8*i:])
	}
	return list
}

// launch starts a kernel that is called with so many bytes by value, or with addresses.
func (d *Device) launch(name string, call int, arguments []uint64, count uint64) error {
	k, ok := d.loaded[name]
	if !ok && d.broken == nil {
		return fmt.Errorf("device %s: kernel %s is launched before it was prepared", d.info.Name, name)
	}
	if ok && k.call != call {
		return fmt.Errorf("device %s: kernel %s takes blocks of %d bytes by value, and was given %d", d.info.Name, name, k.call, call)
	}
	if count == 0 {
		return d.broken
	}
	err := d.do("launch "+name, func() error {
		return d.clock.around(func() error {
			return called("cuLaunchKernel", k.launch(arguments, count))
		})
	})
	if err == nil {
		d.last = name
	}
	return err
}

// launch gives cu the arguments word by word. It puts them one behind the other, so that
// the first pointer of what it hands to the driver is that of all of them: a kernel whose
// one parameter is a struct finds it there.
func (k kernel) launch(arguments []uint64, count uint64) error {
	blocks := k.blocks(count)
	pointers := make([]unsafe.Pointer, len(arguments))
	for i := range arguments {
		pointers[i] = unsafe.Pointer(&arguments[i])
	}
	return k.function.Launch(blocks, 1, 1, k.block, 1, 1, 0, cu.NoStream, pointers)
}

// blocks is how many there are for so many items.
func (k kernel) blocks(count uint64) int {
	full := func(items uint64) uint64 { return (count-1)/(items*uint64(k.block)) + 1 } // blocks whose threads have so many
	room := uint64(k.room)
	return int(min(full(1), max(room, full(share)), waves*room))
}

// Time runs f and returns how long the GPU took for what f launched, filled and copied,
// from the start of the first to the end of the last.
func (d *Device) Time(f func() error) (time.Duration, error) {
	if err := d.do("time", d.clock.reset); err != nil {
		return 0, err
	}
	failed := f()
	var took time.Duration
	err := d.do("time", func() (err error) {
		took, err = d.clock.read()
		return err
	})
	if failed != nil {
		return 0, failed
	}
	return took, err
}

// clock measures on the GPU. Its marks are set by the thread right before and
// after what is timed, so that the way there and back is no part of it.
type clock struct {
	first, last cu.Event
	running     bool // inside Time
	started     bool // something was done inside Time
}

func (c *clock) start() (err error) {
	if c.first, err = cu.MakeEvent(cu.DefaultEvent); err == nil {
		c.last, err = cu.MakeEvent(cu.DefaultEvent)
	}
	return called("cuEventCreate", err)
}

func (c *clock) stop() error {
	err := cu.DestroyEvent(&c.first)
	if failed := cu.DestroyEvent(&c.last); err == nil {
		err = failed
	}
	return err
}

func (c *clock) reset() error {
	if c.running {
		return fmt.Errorf("already timing")
	}
	c.running, c.started = true, false
	return nil
}

// around runs f between two marks.
func (c *clock) around(f func() error) error {
	if !c.running {
		return f()
	}
	if !c.started {
		if err := c.first.Record(cu.NoStream); err != nil {
			return called("cuEventRecord", err)
		}
		c.started = true
	}
	if err := f(); err != nil {
		return err
	}
	return called("cuEventRecord", c.last.Record(cu.NoStream))
}

// read waits for the GPU and returns the time between the marks.
func (c *clock) read() (time.Duration, error) {
	c.running = false
	if err := cu.Synchronize(); err != nil {
		return 0, called("cuCtxSynchronize", err)
	}
	if !c.started {
		return 0, nil
	}
	ms, err := c.first.Elapsed(c.last)
	return time.Duration(ms * float64(time.Millisecond)), called("cuEventElapsedTime", err)
}

//go:build cuda

package cuda

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/hashzoo/hashzoo/kernels"
	_ "github.com/hashzoo/hashzoo/kernels/ptx" // the kernels
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

type kernel struct {
	function cu.Function
	block    int // threads per block
	call     int // bytes of arguments by value; 0 if it takes addresses
	room     int // blocks that fit on the whole GPU at once
	waves    int // how many times as many blocks as fit at once a launch has at most
}

// wavesOf bounds the blocks as a multiple of what fits on the GPU. With one wave the slowest block delays the batch: 32
// made finds 10 to 20 percent faster. Many more waves cost more in starting and ending blocks. The more rows a block gets,
// the more it combines: with 1000 groups, one wave was 2.5 times as fast as eight.
func wavesOf(kernel string) int { return lists.Either(kernels.Combining(kernel), 1, 32) }

// share is how many items each thread gets before a launch exceeds one wave, because adding a warp's counters to the
// global ones is expensive: with one item per thread, batches of 4 million took up to twice as long.
const share = 4

// Compiled is how long Prepare took so far.
func (d *Device) Compiled() time.Duration { return d.compiled }

// Prepare compiles the kernels that are not loaded yet.
func (d *Device) Prepare(names ...string) error {
	began := time.Now()
	defer func() { d.compiled += time.Since(began) }()
	if err := kernels.Obtain(true, names...); err != nil {
		return fmt.Errorf("device %s: %w", d.info.Name, err)
	}
	var missing []kernels.PTX
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		_, ok := d.loaded[name]
		if _, library := kernels.FindGPU(name); ok || library {
			continue
		}
		ptx, err := d.find(name)
		if err != nil {
			return err
		}
		missing = append(missing, ptx)
		if ahead, ok := kernels.FindPTX(kernels.Ahead(name)); ok {
			missing = append(missing, ahead)
		}
	}
	modules, err := kernels.Modules(missing)
	if err != nil {
		return err
	}
	return lists.Each(modules, func(m kernels.Module) error {
		return d.do("compile "+m.File, func() error { return d.retried(func() error { return d.load(m) }) })
	})
}

// find returns the PTX of a kernel, if this GPU can run it.
func (d *Device) find(name string) (kernels.PTX, error) {
	ptx, ok := kernels.FindPTX(name)
	if !ok && len(kernels.PTXNames()) == 0 {
		return ptx, fmt.Errorf("device %s: built without kernels for GPUs: install clang-19 and run make", d.info.Name)
	}
	if !ok {
		return ptx, fmt.Errorf("device %s: unknown kernel %s", d.info.Name, name)
	}
	if d.arch < ptx.Arch {
		return ptx, fmt.Errorf("device %s: kernel %s: %s, sm_%d or later; %s is %s",
			d.info.Name, name, ptx.Needs(), ptx.Arch, d.info.Name, d.info.Arch)
	}
	return ptx, nil
}

func (d *Device) load(module kernels.Module) error {
	compiled, err := d.ready(module)
	if err != nil {
		return err
	}
	d.modules = append(d.modules, compiled)
	for _, entry := range module.Kernels {
		function, err := compiled.Function(entry.Name)
		if err != nil {
			return fmt.Errorf("kernel %s: %w", entry.Name, called("cuModuleGetFunction", err))
		}
		perProcessor, err := function.MaxActiveBlocksPerMultiProcessor(entry.Block, 0)
		if err != nil {
			return fmt.Errorf("kernel %s: %w", entry.Name, called("cuOccupancyMaxActiveBlocksPerMultiprocessor", err))
		}
		if perProcessor == 0 {
			return fmt.Errorf("kernel %s: a block of %d threads does not fit on a multiprocessor", entry.Name, entry.Block)
		}
		d.loaded[entry.Name] = kernel{function, entry.Block, entry.Call, perProcessor * d.info.Threads, wavesOf(entry.Name)}
	}
	return nil
}

// ready loads the code that was compiled for this GPU with the program, or lets the driver compile the PTX.
func (d *Device) ready(module kernels.Module) (cu.Module, error) {
	if code := module.Ready(d.arch); code != "" {
		if loaded, err := cu.LoadData(code); err == nil {
			return loaded, nil
		}
	}
	return compile(module.Text)
}

// compile compiles PTX with the driver; errors include the compiler's log.
func compile(ptx string) (cu.Module, error) {
	log := make([]byte, 1<<13)
	// The driver gets the address as a number, which does not keep the log alive.
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

// Launch starts a kernel with a thread per item, up to a number of waves. Kernels stride over the rest.
func (d *Device) Launch(name string, table, batch device.Addr, count uint64) error {
	return d.launch(name, 0, []uint64{uint64(table), uint64(batch), count}, count)
}

// Call is Launch for kernels that take their blocks by value.
func (d *Device) Call(name string, table, batch []byte, count uint64) error {
	if library, ok := kernels.FindGPU(name); ok {
		if count == 0 {
			return d.broken
		}
		d.last = name
		return d.call("launch "+name, func() error {
			return d.clock.around(func() error {
				d.clock.gate.open() // it may wait for the GPU
				return library.Launch(table, batch, count)
			})
		})
	}
	call := slices.Concat(words(table), words(batch), []uint64{count})
	return d.launch(name, 8*len(call), call, count)
}

func words(block []byte) []uint64 {
	list := make([]uint64, len(block)/8)
	copy(kernels.BytesOf(list), block)
	return list
}

// launch starts a kernel; call is the number of bytes passed by value, 0 for addresses.
func (d *Device) launch(name string, call int, arguments []uint64, count uint64) error {
	k, ok := d.loaded[name]
	if !ok && d.broken == nil {
		return fmt.Errorf("device %s: kernel %s was launched before it was prepared", d.info.Name, name)
	}
	if ok && k.call != call {
		return fmt.Errorf("device %s: kernel %s takes %d bytes by value, was given %d", d.info.Name, name, k.call, call)
	}
	if count == 0 {
		return d.broken
	}
	err := d.queue("launch "+name, "cuLaunchKernel", func() error { return k.launch(arguments, count) })
	if err == nil {
		d.last = name
	}
	return err
}

// Loaded reports whether a kernel was loaded, as a pre-aggregation kernel is with the one behind it.
func (d *Device) Loaded(kernel string) bool {
	_, ok := d.loaded[kernel]
	return ok
}

// launch passes the arguments to cu word by word. cu stores them contiguously, so the first
// pointer that the driver gets points to all of them, as a struct parameter needs.
func (k kernel) launch(arguments []uint64, count uint64) error {
	blocks := k.blocks(count)
	pointers := lists.Make(len(arguments), func(i int) unsafe.Pointer { return unsafe.Pointer(&arguments[i]) })
	return k.function.Launch(blocks, 1, 1, k.block, 1, 1, 0, cu.NoStream, pointers)
}

// blocks returns the number of blocks for count items: whole waves, if it is more than one.
func (k kernel) blocks(count uint64) int {
	full := func(items uint64) uint64 { return (count-1)/(items*uint64(k.block)) + 1 } // with this many items per thread
	room := uint64(k.room)
	return int(min(full(1), max(full(share)/room, 1)*room, uint64(k.waves)*room))
}

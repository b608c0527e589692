//go:build cuda

package cuda

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	_ "github.com/hashzoo/hashzoo/runtime/compile"
	"github.com/hashzoo/hashzoo/runtime/cuda/nvml"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// These tests use testdata/driver.c instead of NVIDIA's driver, so everything but the GPU itself is tested on any
// machine. A process has one driver, so each test runs in its own process.
var withDriver = map[string]struct {
	env  []string
	test func(*testing.T)
}{
	"devices":    {nil, testDevices},
	"memory":     {nil, testMemory},
	"idle":       {nil, testIdleMemory},
	"guard":      {nil, testGuard},
	"fetch":      {nil, testFetch},
	"busy":       {[]string{"DRIVER_BUSY=1"}, testBusy},
	"hangs":      {[]string{"DRIVER_BUSY=2"}, testHangs},
	"launch":     {nil, testLaunch},
	"call":       {nil, testCall},
	"library":    {nil, testLibrary},
	"ahead":      {nil, testAhead},
	"time":       {nil, testTime},
	"crowd":      {nil, testCrowd},
	"no wait":    {[]string{"DRIVER_NO_WAIT=1"}, testTimeWithoutWait},
	"fatal":      {nil, testFatal},
	"close":      {nil, testClose},
	"sense":      {nil, testSense},
	"peers":      {[]string{"DRIVER_GPUS=2"}, testPeers},
	"overlap":    {[]string{"DRIVER_GPUS=2"}, testOverlap},
	"sm_80":      {[]string{"DRIVER_ARCH=80"}, testOlderGPU},
	"sm_61":      {[]string{"DRIVER_ARCH=61"}, testTooOldGPU},
	"ready":      {[]string{"DRIVER_ARCH=86"}, testReady},
	"compiler":   {[]string{"DRIVER_PTX_ERROR=ptxas fatal:\n  line 7: no"}, testCompilerComplains},
	"no start":   {[]string{"DRIVER_INIT=100"}, testDriverDoesNotStart},
	"no library": {nil, testNoLibrary},
}

const testVariable = "HASHZOO_TEST_DRIVER"

func TestWithDriver(t *testing.T) {
	if name := os.Getenv(testVariable); name != "" {
		withDriver[name].test(t)
		return
	}
	compiler := cmp.Or(os.Getenv("CC"), "cc")
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skip("needs a C compiler: ", err)
	}
	dir := t.TempDir()
	for name, source := range map[string]string{"libcuda.so.1": "testdata/driver.c", nvml.Library: "nvml/testdata/nvml.c", "library.so": "testdata/library.c"} {
		build := bounded.Command(t, compiler, "-shared", "-iquote", "../../kernels", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", filepath.Join(dir, name), source)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", build, err, out)
		}
	}
	for name, c := range withDriver {
		t.Run(name, func(t *testing.T) {
			library := dir
			if name == "no library" {
				library = brokenLibrary(t)
			}
			child := bounded.Command(t, os.Args[0], "-test.run=^TestWithDriver$", "-test.v")
			child.Env = append(os.Environ(), testVariable+"="+name, "LD_LIBRARY_PATH="+library)
			child.Env = append(child.Env, c.env...)
			out, err := child.CombinedOutput()
			must.Hold(t, err == nil && bytes.Contains(out, []byte("--- PASS: TestWithDriver")), "%v\n%s", err, out)
		})
	}
}

// brokenLibrary returns a folder with a libcuda.so.1 that is not a library.
func brokenLibrary(t *testing.T) string {
	dir := t.TempDir()
	must.OK(t, os.WriteFile(filepath.Join(dir, "libcuda.so.1"), []byte("not a library"), 0o644))
	return dir
}

func open(t *testing.T) *Device { return openAt(t, 0) }

func openAt(t *testing.T, index int) *Device {
	t.Helper()
	return must.Get(Backend().Open(index, device.Options{}))(t).(*Device)
}

func alloc(t *testing.T, d device.Device, bytes int64) device.Addr {
	t.Helper()
	return must.Get(d.Alloc(bytes))(t)
}

// check fails unless err contains all parts, or, without parts, is nil.
func check(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		must.Need(t, len(parts) == 0, "no error, want one with %q", parts)
		return
	}
	must.Need(t, len(parts) != 0, "%v", err)
	must.Hold(t, !strings.Contains(err.Error(), "\n"), "%q is more than one line", err)
	must.Has(t, err.Error(), parts...)
}

// aKernel returns the name of a kernel that is compiled for the given GPUs and takes addresses.
func aKernel(t *testing.T, arch int) string {
	t.Helper()
	check(t, kernels.Obtain(true, "hz_selftest_w1_k8v8_verbs")) // one for sm_90
	names := kernels.PTXNames()
	slices.Sort(names)
	for _, name := range names {
		ptx, _ := kernels.FindPTX(name)
		modules := must.Get(kernels.Modules([]kernels.PTX{ptx}))(t)
		if ptx.Arch == arch && modules[0].Kernels[0].Call == 0 {
			return name
		}
	}
	t.Fatalf("no kernel for sm_%d was compiled: run tools/ptx.sh", arch)
	return ""
}

func testSense(t *testing.T) {
	var s device.State
	open(t).AddState(&s)
	must.Hold(t, s.Figures[device.GPUClock] == 1980 && len(s.Throttled) == 3, "the GPU says %+v", s)
}

func testDevices(t *testing.T) {
	list := must.Get(Backend().List())(t)
	must.Need(t, len(list) == 1, "%d devices, want 1", len(list))
	info := list[0]
	must.Hold(t, strings.Contains(info.Driver, "CUDA 12.4"), "driver %q, want CUDA 12.4", info.Driver)
	info.Driver = ""
	want := device.Info{Name: "cuda:0", Model: "Test GPU 0", Threads: 4, Memory: 16 << 20, Arch: "sm_90"}
	must.Match(t, info, want)
	d := open(t)
	must.Match(t, d.Info(), list[0], "as listed")
	for _, index := range []int{-1, 1} {
		_, err := Backend().Open(index, device.Options{})
		check(t, err, "this machine has 1 GPUs")
	}
}

func testMemory(t *testing.T) {
	d := open(t)
	before := must.Get(d.Free())(t)
	for _, bytes := range []int{0, 1, 255, small, small + 1, 1 << 20} {
		at := alloc(t, d, int64(bytes))
		must.Match(t, at%256, 0, bytes, at)
		src, dst := make([]byte, bytes), make([]byte, bytes)
		check(t, d.Set(at, 7, int64(bytes)))
		check(t, d.Read(dst, at))
		for i := range src {
			if dst[i] != 7 {
				t.Fatalf("%d bytes: byte %d is %d after a set, want 7", bytes, i, dst[i])
			}
			src[i] = byte(i * 31)
		}
		check(t, d.Write(at, src))
		check(t, d.Read(dst, at))
		must.Match(t, string(dst), string(src), bytes)
		check(t, d.Release(at))
		check(t, d.Release(at), "cuda:0", "not allocated here")
	}
	must.Match(t, must.Get(d.Free())(t), before)
	_, err := d.Alloc(1 << 30)
	check(t, err, "cuda:0", "allocate 1073741824 bytes", "16777216 of 16777216 bytes free", "cuMemAlloc", "OUT_OF_MEMORY")

	// A block inside a Go object with pointers.
	owner := struct {
		name  *string
		block kernels.Table
	}{name: new(string)}
	at := alloc(t, d, int64(unsafe.Sizeof(owner.block)))
	owner.block.Capacity = 42
	check(t, d.Write(at, kernels.Bytes(&owner.block)))
	owner.block.Capacity = 0
	check(t, d.Read(kernels.Bytes(&owner.block), at))
	must.Match(t, owner.block.Capacity, 42, "the block that came back")
}

// Released memory is kept for allocations of its size, up to a quarter of the GPU's, and until there is no other.
func testIdleMemory(t *testing.T) {
	d := open(t)
	taken := func() (bytes int64) {
		check(t, d.do("ask", func() error {
			free, total, err := cu.MemInfo()
			bytes = total - free
			return err
		}))
		return bytes
	}
	const quarter = 4 << 20
	first := alloc(t, d, quarter)
	check(t, d.Release(first))
	second := alloc(t, d, quarter)
	must.Hold(t, second == first && taken() == quarter, "memory at %#x became %#x, and %d bytes are taken", first, second, taken())
	check(t, d.Release(first))
	for range 2 {
		check(t, d.Release(alloc(t, d, quarter/2)))
	}
	must.Match(t, taken(), quarter/2, "bytes are taken")
	all := alloc(t, d, 4*quarter)
	must.Hold(t, taken() == 4*quarter, "%d bytes at %#x, and %d are taken", 4*quarter, all, taken())
}

// A GPU copies from another's memory, also twice and after it was opened anew, and its own clock shows how long.
func testPeers(t *testing.T) {
	for range 2 {
		first, second := openAt(t, 0), openAt(t, 1)
		from, to := alloc(t, first, 8), alloc(t, second, 8)
		check(t, first.Write(from, []byte("a secret")))
		took, err := second.Time(func() error {
			check(t, second.CopyFrom(first, to, from, 8))
			return second.CopyFrom(first, to, from, 8)
		})
		check(t, err)
		have := make([]byte, 8)
		check(t, second.Read(have, to))
		must.Hold(t, string(have) == "a secret" && took == 250*time.Microsecond, "copied %q in %v", have, took)
		check(t, second.CopyFrom(struct{ device.Device }{first}, to, from, 8), "cuda:1", "not from cuda:0")
		check(t, first.Close())
		check(t, second.Close())
	}
}

// launched is what the test driver records about a launch.
type launched struct{ Table, Count, Blocks, Threads, Launches uint64 }

func lastLaunch(t *testing.T, d *Device, batch device.Addr) (l launched) {
	t.Helper()
	buf := make([]byte, binary.Size(l))
	check(t, d.Read(buf, batch))
	must.Get(binary.Decode(buf, binary.NativeEndian, &l))(t)
	return l
}

func newBatch(t *testing.T, d *Device) device.Addr {
	t.Helper()
	at := alloc(t, d, 256)
	check(t, d.Set(at, 0, 256))
	return at
}

func testLaunch(t *testing.T) {
	d := open(t)
	batch, name := newBatch(t, d), aKernel(t, 70)
	check(t, d.Launch(name, 1, batch, 1), name, "before it was prepared")
	check(t, d.Prepare("nonesuch"), "unknown kernel nonesuch")
	check(t, d.Prepare(name, aKernel(t, 90), name))
	must.Match(t, len(d.modules), 2, "modules for kernels of two files")
	check(t, d.Prepare(name))
	must.Match(t, len(d.modules), 2, "modules, prepared again")
	block := uint64(d.loaded[name].block)
	launches := uint64(0)
	const room = 8
	most := room * uint64(wavesOf(name))
	for count, blocks := range map[uint64]uint64{
		1: 1, block: 1, block + 1: 2, room * block: room, room*block + 1: room, room * share * block: room, (2*room - 1) * share * block: room, 2 * room * share * block: 2 * room,
		most * share * block: most, most*share*block + 1: most, 1 << 40: most, 0: 0,
	} {
		table := device.Addr(0x1234_5678_9abc_def0)
		check(t, d.Launch(name, table, batch, count))
		if count == 0 {
			continue
		}
		launches++
		want := launched{uint64(table), count, blocks, block, launches}
		must.Match(t, lastLaunch(t, d, batch), want, count)
	}
}

// Kernels of schemes get their blocks contiguously and nothing else.
func testCall(t *testing.T) {
	d := open(t)
	at, name, other := newBatch(t, d), "hz_1cht_always_k4v4_insert", aKernel(t, 70)
	check(t, d.Prepare(name, other))
	table, batch := kernels.Table{}, kernels.Batch{Counters: uint64(at)}
	table.Region[0] = 0x1234_5678_9abc_def0
	check(t, d.Call(name, kernels.Bytes(&table), kernels.Bytes(&batch), 300))
	want := launched{table.Region[0], 300, 3, 128, 1}
	must.Match(t, lastLaunch(t, d, at), want, "a call")
	check(t, d.Call(name, kernels.Bytes(&table), nil, 1), name, "takes 632 bytes by value, was given 504")
	check(t, d.Launch(name, 0, at, 1), name, "takes 632 bytes by value, was given 0")
	check(t, d.Call(other, kernels.Bytes(&table), kernels.Bytes(&batch), 1), other, "takes 0 bytes by value")
}

// Kernels of a library for GPUs are called on the host, with their blocks; what they say is an error.
func testLibrary(t *testing.T) {
	d, name := open(t), "hz_pile_k4v4_insert"
	library := must.Get(kernels.Open("library.so"))(t)
	must.Need(t, library.OnGPU, "the library is not for GPUs")
	kernels.Add(library, nil)
	check(t, d.Prepare(name))
	table, batch := kernels.Table{}, kernels.Batch{}
	check(t, d.Call(name, kernels.Bytes(&table), kernels.Bytes(&batch), 300))
	table.Seed, batch.Select = 7, 11
	check(t, d.Call(name, kernels.Bytes(&table), kernels.Bytes(&batch), 0))
	check(t, d.Call(name, kernels.Bytes(&table), kernels.Bytes(&batch), 300), "launch "+name, "seed 7, select 11, 300 operations")
}

// A kernel that goes ahead of one that combines values is prepared with it, in one block for each multiprocessor.
func testAhead(t *testing.T) {
	d, names := open(t), kernels.PTXNames()
	slices.Sort(names)
	name := names[slices.IndexFunc(names, func(name string) bool {
		_, ok := kernels.FindPTX(kernels.Ahead(name))
		return ok
	})]
	must.Hold(t, !d.Loaded(kernels.Ahead(name)), "a kernel goes ahead of one that was not prepared")
	check(t, d.Prepare(name))
	have := d.loaded[kernels.Ahead(name)]
	must.Hold(t, d.Loaded(kernels.Ahead(name)) && !d.Loaded(name+"_behind") && have.block == 1024 && have.waves == 1, "the kernel ahead: %+v", have)
}

// The next call reports an error that broke the context, and so does every later one.
func testFatal(t *testing.T) {
	d := open(t)
	batch, name := newBatch(t, d), aKernel(t, 70)
	check(t, d.Prepare(name))
	check(t, d.Launch(name, 0, batch, 666))
	buf := make([]byte, 8)
	for range 2 {
		check(t, d.Read(buf, batch), "cuda:0", "cuMemcpyDtoH", "CUDA_ERROR_ILLEGAL_ADDRESS",
			"an illegal memory access was encountered", "the last kernel launched is "+name)
	}
	check(t, d.Set(batch, 0, 8), "ILLEGAL_ADDRESS", name)
	check(t, d.Launch(name, 0, batch, 1), "ILLEGAL_ADDRESS", name)
	_, err := d.Time(func() error { return nil })
	check(t, err, "ILLEGAL_ADDRESS", name)
	check(t, d.Prepare(aKernel(t, 90)), "ILLEGAL_ADDRESS", name)
	check(t, d.Close())
}

func testClose(t *testing.T) {
	d := open(t)
	total := d.Info().Memory
	alloc(t, d, 1<<20)
	check(t, d.Prepare(aKernel(t, 70)))
	check(t, d.Close())
	check(t, d.Close())
	_, err := d.Alloc(1)
	check(t, err, "cuda:0", "closed")
	again := open(t)
	must.Match(t, must.Get(again.Free())(t), total)
}

func testOlderGPU(t *testing.T) {
	d := open(t)
	check(t, d.Prepare(aKernel(t, 70)))
	check(t, d.Prepare(aKernel(t, 90)), "8+8 byte pairs need 128-bit atomics, sm_90 or later; cuda:0 is sm_80")
}

func testTooOldGPU(t *testing.T) {
	check(t, open(t).Prepare(aKernel(t, 70)), "sm_70 or later; cuda:0 is sm_61")
}

func testCompilerComplains(t *testing.T) {
	check(t, open(t).Prepare(aKernel(t, 70)), "cuda:0", "compile ", ".sm_70.ptx", "cuModuleLoadDataEx", "InvalidPtx",
		"ptxas fatal: line 7: no")
}

// Code for this GPU is loaded as it is; what does not load, or is for others, is compiled.
func testReady(t *testing.T) {
	d := open(t)
	ptx, _ := kernels.FindPTX(aKernel(t, 70))
	modules := must.Get(kernels.Modules([]kernels.PTX{ptx}))(t)
	module := modules[0]
	asked := 0
	for _, code := range []string{"", "\x7fELF.entry " + ptx.Name + "(", "damaged"} {
		module.Ready = func(gpu int) string { asked = gpu; return code }
		check(t, d.do("load", func() error { return d.load(module) }))
		must.Match(t, asked, 86, "the code that was looked for")
	}
	module.Text = "no PTX"
	module.Ready = func(int) string { return "\x7fELF.entry " + ptx.Name + "(" }
	check(t, d.do("load", func() error { return d.load(module) }))
	module.Ready = func(int) string { return "" }
	check(t, d.do("load", func() error { return d.load(module) }), "InvalidPtx")
	check(t, d.Close())
}

func testDriverDoesNotStart(t *testing.T) {
	_, err := Backend().List()
	check(t, err, "device cuda", "does not start", "CUDA_ERROR_NO_DEVICE")
	_, err = Backend().Open(0, device.Options{})
	check(t, err, "CUDA_ERROR_NO_DEVICE")
}

func testNoLibrary(t *testing.T) {
	_, err := Backend().List()
	check(t, err, "device cuda", "no NVIDIA driver", "libcuda.so.1")
	_, err = Backend().Open(0, device.Options{})
	check(t, err, "no NVIDIA driver")
}

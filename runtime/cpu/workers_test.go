package cpu

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
)

func open(t *testing.T, opt device.Options) *Device {
	t.Helper()
	dev := must.Get(Backend().Open(0, opt))(t)
	t.Cleanup(func() {
		must.OK(t, dev.Close())
	})
	return dev.(*Device)
}

func place(t *testing.T, dev *Device, bytes []byte) device.Addr {
	t.Helper()
	at, err := dev.Alloc(int64(len(bytes)))
	if err == nil {
		err = dev.Write(at, bytes)
	}
	must.OK(t, err)
	return at
}

// counting launches a kernel that writes 0, 1, 2 ... and checks every number.
func counting(t *testing.T, dev *Device, count int) {
	t.Helper()
	const beyond = 8
	out := place(t, dev, bytes.Repeat([]byte{0xff}, 8*(count+beyond)))
	program := place(t, dev, kernels.Bytes(&kernels.Program{}))
	fill := place(t, dev, kernels.Bytes(&kernels.Fill{Out: uint64(out), Width: 8}))
	if err := dev.Launch("hz_generate", program, fill, uint64(count)); err != nil {
		t.Error(err)
		return
	}
	for i, block := 0, slice(out, int64(8*(count+beyond))); i < count+beyond; i++ {
		want := uint64(i)
		if i >= count {
			want = 1<<64 - 1
		}
		if got := binary.LittleEndian.Uint64(block[8*i:]); got != want {
			t.Errorf("%d threads, pieces of %d, %d items: item %d is %#x and not %#x", dev.workers.threads, dev.piece, count, i, got, want)
			return
		}
	}
}

// A launch processes every item and none beyond, whatever the piece size.
func TestLaunchesAreWhole(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 16} {
		for _, piece := range []int{0, 1, 7, 32} {
			dev := open(t, device.Options{Threads: threads, Piece: piece})
			for _, count := range []int{0, 1, 2, 31, 500, piece*threads + 1, 3*int(dev.piece) + 5} {
				counting(t, dev, count)
			}
		}
	}
}

// Concurrent launches use separate workers, because a hanging kernel keeps its workers.
// Pieces of a large launch that combines values are longer, and each worker gets several.
func TestPieces(t *testing.T) {
	dev := open(t, device.Options{Threads: 2})
	for _, c := range []struct {
		kernel      string
		count, want uint64
	}{
		{"hz_x_k4v4_find", 1 << 30, piece}, {"hz_x_k4v4_combine", 1, piece}, {"hz_x_k4v4_combine", 1 << 20, 1 << 16},
		{"hz_x_k4v4_combine", 1<<20 - 1, 1<<16 - piece}, {"hz_x_k4v4_combine", 1 << 30, longest},
	} {
		must.Match(t, dev.pieceOf(c.kernel, c.count), c.want, c.kernel, c.count)
	}
	must.Match(t, open(t, device.Options{Threads: 2, Piece: 5}).pieceOf("hz_x_k4v4_combine", 1<<30), 5)
}

func TestLaunchesAtTheSameTime(t *testing.T) {
	dev := open(t, device.Options{Threads: 3, Piece: 5})
	var launches sync.WaitGroup
	work := place(t, dev, make([]byte, 1<<20))
	for i := range 4 {
		launches.Go(func() {
			for range 50 {
				must.OK(t, dev.Set(work+device.Addr(i<<18), byte(i), 1<<18))
			}
		})
	}
	bounded.WaitAll(t, &launches)
	for i := range 4 {
		block := slice(work+device.Addr(i<<18), 1<<18)
		must.Hold(t, bytes.Count(block, []byte{byte(i)}) == len(block), "block %d is not what it was filled with", i)
	}
}

// Set fills exactly the given range, also a large one.
func TestSet(t *testing.T) {
	dev := open(t, device.Options{Threads: 2})
	const size = 9<<20 + 3
	at := place(t, dev, make([]byte, size+2))
	must.OK(t, dev.Set(at+1, 0xa7, size))
	block := slice(at, size+2)
	if n := bytes.Count(block, []byte{0xa7}); n != size || block[0] != 0 || block[size+1] != 0 {
		t.Errorf("%d bytes of %d are filled, the ones around them are %d and %d", n, size, block[0], block[size+1])
	}
}

// Close ends all threads.
func TestCloseEndsThreads(t *testing.T) {
	tasks := func() int {
		list, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Skip("no /proc/self/task to count threads in: ", err)
		}
		return len(list)
	}
	before, most := tasks(), 0
	for range 50 {
		dev := must.Get(Backend().Open(0, device.Options{Threads: 9}))(t)
		counting(t, dev.(*Device), 1)
		most = max(most, tasks()-before)
		must.OK(t, dev.Close())
	}
	const ofGo = 8 // threads that Go may have started meanwhile
	now := tasks()
	must.Hold(t, most >= 8 && now-before <= ofGo, "%d threads before, %d more while 9 worked, %d more after", before, most, now-before)
}

// A crashing kernel is named on a separate line, whichever worker ran it. A child process crashes.
func TestKernelThatCrashes(t *testing.T) {
	if os.Getenv("CRASH_IN_KERNEL") != "" {
		dev := open(t, device.Options{Threads: 3, Piece: 1})
		fill := kernels.Fill{Out: 1 << 46, Width: 8}
		_ = dev.Launch("hz_generate", place(t, dev, kernels.Bytes(&kernels.Program{})), place(t, dev, kernels.Bytes(&fill)), 50)
		return
	}
	command := bounded.Command(t, os.Args[0], "-test.run=TestKernelThatCrashes")
	command.Env = append(os.Environ(), "CRASH_IN_KERNEL=1")
	said, err := command.CombinedOutput()
	line := "hashzoo: kernel hz_generate crashed at address 0x4000000000"
	must.Hold(t, err != nil && strings.Contains(string(said), line), "a kernel crashed: %v\n%s", err, said)
}

// Faults in Go code still panic after the handler is installed.
func TestFaultsInGoPanic(t *testing.T) {
	counting(t, open(t, device.Options{Threads: 2}), 5000)
	defer func() {
		must.Hold(t, recover() != nil, "there was no panic")
	}()
	var nothing *device.Info
	t.Log(nothing.Memory)
}

// With as many workers as cores, each worker has its own core and one stays free for the caller.
func TestACoreForEachWorker(t *testing.T) {
	cores := runtime.NumCPU() // those that this process may use
	counting(t, open(t, device.Options{Threads: cores, Piece: 1}), 1000)
	list, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(list) == 0 {
		t.Skip("no /proc/self/task to see in where threads may run")
	}
	taken := map[string]int{}
	for _, path := range list {
		text, _ := os.ReadFile(path) // the thread may have ended
		if _, after, ok := strings.Cut(string(text), "Cpus_allowed_list:"); ok {
			if where, _, _ := strings.Cut(strings.TrimSpace(after), "\n"); !strings.ContainsAny(where, ",-") {
				taken[where]++
			}
		}
	}
	must.Hold(t, cores <= 1 || len(taken) == cores-1, "of %d cores these have threads of their own: %v", cores, taken)
	for core, threads := range taken {
		must.Hold(t, cores <= 1 || threads <= 1, "core %s has %d threads of its own", core, threads)
	}
}

// Release detects writes between a block and the guard pages around it.
func TestGuardDetectsWritesNextToABlock(t *testing.T) {
	for _, c := range []struct {
		bytes int64
		at    int // of the block
		want  string
	}{
		{100, 0, ""}, {100, 99, ""}, {256, 255, ""}, {8192, 8191, ""},
		{100, 100, "a kernel wrote 1 bytes past the end of a block of 100 bytes"},
		{100, 255, "a kernel wrote 1 bytes past the end of a block of 100 bytes"},
		{100, -1, "a kernel wrote 1 bytes before the start of a block of 100 bytes"},
		{5000, -1, "a kernel wrote 1 bytes before the start of a block of 5000 bytes"},
	} {
		block := must.Get(obtainGuarded(c.bytes))(t)
		must.Hold(t, addressOf(block)%aligned == 0 && int64(len(block)) == c.bytes, "%d bytes at %#x", len(block), addressOf(block))
		*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(block)), c.at)) = 7
		said := ""
		if err := giveBackGuarded(block); err != nil {
			said = err.Error()
		}
		must.Match(t, said, c.want, c.bytes, c.at)
	}
}

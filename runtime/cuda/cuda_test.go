//go:build cuda

package cuda

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// These tests need a GPU; those in driver_test.go run anywhere.

func TestWithoutGPU(t *testing.T) {
	_, err := Backend().List()
	if err == nil {
		t.Skip("this machine has a GPU")
	}
	check(t, err, "device cuda: ")
	_, opened := Backend().Open(0, device.Options{})
	check(t, opened, err.Error())
}

// eachGPU opens every GPU in turn.
func eachGPU(t *testing.T, f func(t *testing.T, d *Device)) {
	list, err := Backend().List()
	if err != nil {
		t.Skip(err)
	}
	for i, info := range list {
		t.Run(info.Name, func(t *testing.T) {
			t.Logf("%+v", info)
			d := must.Get(Backend().Open(i, device.Options{}))(t)
			f(t, d.(*Device))
			check(t, d.Close())
		})
	}
}

func TestGPUMemory(t *testing.T) {
	eachGPU(t, func(t *testing.T, d *Device) {
		for _, bytes := range []int{1, 8, small, small + 1, 100_000_000} {
			at := alloc(t, d, int64(bytes))
			must.Match(t, at%256, 0, bytes, at)
			src, dst := make([]byte, bytes), make([]byte, bytes)
			for i := range src {
				src[i] = byte(i * 31 >> 2)
			}
			check(t, d.Write(at, src))
			check(t, d.Set(at, 0xa5, int64(bytes/2)))
			check(t, d.Read(dst, at))
			want := append(repeated(0xa5, bytes/2), src[bytes/2:]...)
			must.Match(t, string(dst), string(want), bytes)
			check(t, d.Release(at))
		}
		_, err := d.Alloc(2 * d.Info().Memory)
		check(t, err, d.Info().Name, fmt.Sprintf("allocate %d bytes", 2*d.Info().Memory), "bytes free", "OUT_OF_MEMORY")
	})
}

func repeated(value byte, n int) []byte { return bytes.Repeat([]byte{value}, n) }

// The compiler of this driver may differ from those that the PTX was tried with.
func TestGPUCompilesEveryKernel(t *testing.T) {
	eachGPU(t, func(t *testing.T, d *Device) {
		for _, name := range kernels.PTXNames() {
			if ptx, _ := kernels.FindPTX(name); ptx.Arch > d.arch {
				check(t, d.Prepare(name), ptx.Needs())
			} else if err := d.Prepare(name); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestGPUTable(t *testing.T) {
	eachGPU(t, func(t *testing.T, d *Device) {
		tableOn(t, d, "k4v4", 4)
		if d.arch >= 90 {
			tableOn(t, d, "k8v8", 8)
		}
	})
}

// tableOn fills half of a table of the simplest scheme, then looks up its keys and as many absent ones.
func tableOn(t *testing.T, d device.Device, pair string, width int) {
	const n, slots = 100_003, 200_000 // n is no multiple of a block
	name := func(op string) string { return "hz_1cht_always_" + pair + "_" + op }
	check(t, d.Prepare(name("insert"), name("find"), name("count")))
	table := kernels.Table{Capacity: slots, Buckets: slots, Family: kernels.Fast, Hashes: 4}
	table.Arg[0] = 1000 // max_chain
	for i := range table.Hash {
		table.Hash[i] = kernels.Hash{A: 0x9e3779b97f4a7c15*uint64(2*i+1) | 1, B: 0xd1b54a32d192ed03 * uint64(i+1)}
	}
	region := int64(2 * width * slots)
	at := alloc(t, d, region)
	check(t, d.Set(at, 0xff, region))
	table.Region[0] = uint64(at)
	table.Here = uint64(upload(t, d, kernels.Bytes(&table)))
	keys, values := make([]uint64, 2*n), make([]uint64, 2*n)
	for i := range keys {
		keys[i], values[i] = uint64(i)*0x9e3779b1%(1<<32-5), uint64(i)
	}
	counters := upload(t, d, make([]byte, kernels.CounterBytes))
	found := upload(t, d, make([]byte, 2*n*width))
	batch := kernels.Batch{
		Keys: uint64(upload(t, d, packed(keys, width))), Values: uint64(upload(t, d, packed(values, width))),
		Out: uint64(found), Counters: uint64(counters),
	}
	call := func(op string, n uint64) error {
		return d.Call(name(op), kernels.Bytes(&table), kernels.Bytes(&batch), n)
	}

	took := must.Get(d.Time(func() error { return call("insert", n) }))(t)
	must.Hold(t, took > 0, "%s: %d inserts took %v", pair, n, took)
	check(t, call("find", 2*n))
	check(t, call("count", slots))

	for i := n; i < 2*n; i++ {
		values[i] = ^uint64(0) // not found
	}
	result := make([]byte, 2*n*width)
	check(t, d.Read(result, found))
	must.Hold(t, bytes.Equal(result, packed(values, width)), "%s on %s: finds do not give what was inserted", pair, d.Info().Name)
	counts := make([]byte, kernels.CounterBytes)
	check(t, d.Read(counts, counters))
	for i, want := range map[string]uint64{"ok": 2 * n, "missing": n, "failed": 0, "rejected": 0, "pairs": n} {
		must.Match(t, counter(counts, i), want, pair, d.Info().Name, i)
	}
}

func upload(t *testing.T, d device.Device, src []byte) device.Addr {
	t.Helper()
	at := alloc(t, d, int64(len(src)))
	check(t, d.Write(at, src))
	return at
}

func packed(numbers []uint64, width int) []byte {
	list := make([]byte, 0, width*len(numbers))
	for _, n := range numbers {
		for byteOf := range width {
			list = append(list, byte(n>>(8*byteOf)))
		}
	}
	return list
}

func counter(memory []byte, name string) uint64 {
	return kernels.Counted(memory)[slices.Index(kernels.Counters, name)]
}

// A kernel that reads address 0 breaks the context and with it the process, so this test runs in another process.
func TestGPUFatal(t *testing.T) {
	const variable, name = "HASHZOO_TEST_FATAL", "hz_1cht_always_k4v4_insert"
	if _, err := Backend().List(); err != nil {
		t.Skip(err)
	}
	if os.Getenv(variable) == "" {
		child := bounded.Command(t, os.Args[0], "-test.run=^TestGPUFatal$", "-test.v")
		child.Env = append(os.Environ(), variable+"=1")
		out, err := child.CombinedOutput()
		must.Hold(t, err == nil && strings.Contains(string(out), "--- PASS: TestGPUFatal"), "%v\n%s", err, out)
		return
	}
	d := open(t)
	check(t, d.Prepare(name))
	_, err := d.Time(func() error {
		return d.Call(name, kernels.Bytes(&kernels.Table{}), kernels.Bytes(&kernels.Batch{}), 1)
	})
	check(t, err, "cuda:0", "ILLEGAL_ADDRESS", "the last kernel launched is "+name)
	check(t, d.Read(make([]byte, 8), 256), "cuda:0", "ILLEGAL_ADDRESS", name)
	check(t, d.Close())
}

// The GPU's clock and the host's agree.
func TestGPUTime(t *testing.T) {
	eachGPU(t, func(t *testing.T, d *Device) {
		at := alloc(t, d, 1<<28)
		for range 3 {
			start := time.Now()
			took := must.Get(d.Time(func() error { return d.Set(at, 1, 1<<28) }))(t)
			wall := time.Since(start)
			must.Hold(t, took > 0 && took <= wall, "a set took %v by the GPU's clock, %v by the host's", took, wall)
		}
	})
}

// The program is not linked to libcuda, or it would not start without a driver.
func TestTheProgramNeedsNoDriver(t *testing.T) {
	program := must.Get(elf.Open("/proc/self/exe"))(t)
	libraries := must.Get(program.ImportedLibraries())(t)
	for _, library := range libraries {
		must.Hold(t, !strings.Contains(library, "cuda"), "the program is linked to %s", library)
	}
}

// symbols.h lists exactly the functions that gorgonia.org/cu imports.
func TestSymbolsAreThoseThatTheLibraryCalls(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs go, to compile the library")
	}
	text, err := os.ReadFile("symbols.h")
	if err != nil {
		t.Skip("needs the sources: ", err)
	}
	var listed []string
	for _, match := range regexp.MustCompile(`\bX\((cu\w+)\)`).FindAllStringSubmatch(string(text), -1) {
		listed = append(listed, match[1])
	}
	archive, err := bounded.Command(t, "go", "list", "-export", "-f", "{{.Export}}", "gorgonia.org/cu").Output()
	must.Need(t, err == nil, "go list -export gorgonia.org/cu: %v", err)
	imported := undefined(t, strings.TrimSpace(string(archive)))
	for _, name := range imported {
		must.Hold(t, slices.Contains(listed, name), "gorgonia.org/cu calls %s, which symbols.h does not list", name)
	}
	for _, name := range listed {
		must.Hold(t, slices.Contains(imported, name), "symbols.h lists %s, which gorgonia.org/cu does not call", name)
	}
}

// undefined returns the cu functions that C objects in an archive call but do not define.
func undefined(t *testing.T, archive string) []string {
	t.Helper()
	f := must.Get(os.Open(archive))(t)
	defer f.Close()
	called, defined := map[string]bool{}, map[string]bool{}
	for _, member := range members(t, f) {
		object, err := elf.NewFile(member)
		if err != nil {
			continue // Go's own object files are no ELF files
		}
		symbols := must.Get(object.Symbols())(t)
		for _, s := range symbols {
			if !regexp.MustCompile(`^cu[A-Z]`).MatchString(s.Name) {
				continue
			}
			called[s.Name] = true
			defined[s.Name] = defined[s.Name] || s.Section != elf.SHN_UNDEF
		}
	}
	var list []string
	for name := range called {
		if !defined[name] {
			list = append(list, name)
		}
	}
	must.Need(t, len(list) != 0, "%s: no calls of the driver found", archive)
	return list
}

// members splits a Unix archive: 8 bytes, then per member a header of 60 bytes with the
// size in bytes 48 to 58, and the content at an even offset.
func members(t *testing.T, f *os.File) []*io.SectionReader {
	t.Helper()
	var list []*io.SectionReader
	header := make([]byte, 60)
	for at := int64(8); ; {
		_, err := f.ReadAt(header, at)
		if err == io.EOF {
			return list
		}
		must.OK(t, err)
		size := must.Get(strconv.ParseInt(strings.TrimSpace(string(header[48:58])), 10, 64))(t)
		list = append(list, io.NewSectionReader(f, at+60, size))
		at += 60 + size + size%2
	}
}

package nccl

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// library compiles the library for tests.
func library(t *testing.T) *Library {
	t.Helper()
	path := filepath.Join(t.TempDir(), File)
	build := exec.Command(cmp.Or(os.Getenv("CC"), "cc"), "-shared", "-fPIC", "-pthread", "-Wall", "-Wextra", "-Werror", "-o", path, "testdata/nccl.c")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// thread is a device that runs what it is asked to on the caller's thread, on a stream of its own.
type thread struct{ device.Device }

func (thread) Do(_ string, f func(stream uintptr) error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return f(42)
}

// join has two ranks meet.
func join(t *testing.T, l *Library) (comms [2]device.Comm) {
	t.Helper()
	id, err := l.ID()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for rank := range comms {
		all.Go(func() {
			var err error
			if comms[rank], err = l.Join(thread{}, id, rank, 2); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	return comms
}

func at(pin *runtime.Pinner, memory []byte) device.Addr {
	pin.Pin(&memory[0])
	return device.Addr(uintptr(unsafe.Pointer(&memory[0])))
}

// Two ranks send to each other and receive at once, without waiting for each other in a circle.
func TestExchange(t *testing.T) {
	l := library(t)
	if l.Name() != "NCCL 2.28.3" {
		t.Errorf("it is called %s", l.Name())
	}
	comms := join(t, l)
	var pin runtime.Pinner
	defer pin.Unpin()
	var from, to [2][]byte
	var all sync.WaitGroup
	for rank := range comms {
		from[rank], to[rank] = bytes.Repeat([]byte{byte(rank + 1)}, 1000), make([]byte, 1000)
		moves := []device.Move{
			{Peer: 1 - rank, At: at(&pin, to[rank][:500]), Bytes: 500},
			{Peer: 1 - rank, At: at(&pin, to[rank][500:]), Bytes: 500},
			{Peer: 1 - rank, Send: true, At: at(&pin, from[rank][:500]), Bytes: 500},
			{Peer: 1 - rank, Send: true, At: at(&pin, from[rank][500:]), Bytes: 500},
		}
		all.Go(func() {
			if err := comms[rank].Exchange(moves); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for rank := range comms {
		if !bytes.Equal(to[rank], from[1-rank]) {
			t.Errorf("rank %d got other bytes than the other one sent", rank)
		}
	}
}

// A rank that waits for one that is gone goes on after Abort.
func TestAbort(t *testing.T) {
	comms := join(t, library(t))
	var pin runtime.Pinner
	defer pin.Unpin()
	move := device.Move{Peer: 1, At: at(&pin, make([]byte, 8)), Bytes: 8}
	failed := make(chan error)
	go func() { failed <- comms[0].Exchange([]device.Move{move}) }()
	time.Sleep(10 * time.Millisecond)
	comms[0].Abort()
	comms[0].Abort()
	if err := <-failed; err == nil || err.Error() != "ncclGroupEnd: invalid usage (5)" {
		t.Errorf("%v", err)
	}
}

func TestMissing(t *testing.T) {
	for path, want := range map[string]string{"no-such-library.so.2": "no-such-library.so.2", "libm.so.6": "has no ncclGetVersion"} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

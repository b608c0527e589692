// Package nccl copies between the GPUs of several processes by NVIDIA's library for communication. The library is
// opened at run time; without it, ranks exchange by TCP.
package nccl

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "nccl.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// File is the name of the library.
const File = "libnccl.so.2"

const multicast = "NCCL_NVLS_ENABLE"

// Library is the library's functions.
type Library struct{ functions C.struct_hz_nccl }

// Open opens the library. Copies need no NVLink multicast, which some hosts do not offer, so it is off unless the user
// asks for it.
func Open(path string) (*Library, error) {
	if _, set := os.LookupEnv(multicast); !set {
		if err := os.Setenv(multicast, "0"); err != nil {
			return nil, err
		}
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	l := &Library{}
	if why := C.hz_nccl_open(name, &l.functions); why != nil {
		return nil, errors.New(C.GoString(why))
	}
	return l, nil
}

// Name is NCCL with its version.
func (l *Library) Name() string {
	v := int(C.hz_nccl_version(&l.functions))
	return fmt.Sprintf("NCCL %d.%d.%d", v/10000, v/100%100, v%100)
}

func (l *Library) called(call string, code C.int) error {
	if code == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s (%d)", call, C.GoString(C.hz_nccl_text(&l.functions, code)), code)
}

// ID makes what the ranks of a job need to find each other.
func (l *Library) ID() ([]byte, error) {
	id := make([]byte, C.HZ_NCCL_ID)
	err := l.called("ncclGetUniqueId", C.hz_nccl_id(&l.functions, (*C.char)(unsafe.Pointer(&id[0]))))
	return id, err
}

// Comm is the way from a GPU to those of the other ranks.
type Comm struct {
	library *Library
	dev     device.Threaded
	comm    unsafe.Pointer
	once    sync.Once
}

// Join waits for all ranks, each of which has a GPU of its own.
func (l *Library) Join(d device.Device, id []byte, rank, ranks int) (device.Comm, error) {
	dev, ok := d.(device.Threaded)
	if !ok || len(id) != C.HZ_NCCL_ID {
		return nil, fmt.Errorf("device %s: NCCL copies only between GPUs", d.Info().Name)
	}
	c := &Comm{library: l, dev: dev}
	err := dev.Do("join the other ranks", func(uintptr) error {
		code := C.hz_nccl_join(&l.functions, &c.comm, C.int(ranks), (*C.char)(unsafe.Pointer(&id[0])), C.int(rank))
		return l.called("ncclCommInitRank", code)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Exchange does all moves at once. Like a launch, it may return before they are done.
func (c *Comm) Exchange(moves []device.Move) error {
	if len(moves) == 0 {
		return nil
	}
	return c.dev.Do("exchange", func(stream uintptr) error {
		l := c.library
		err := l.called("ncclGroupStart", C.hz_nccl_start(&l.functions))
		if err != nil {
			return err
		}
		for _, m := range moves {
			err = cmp.Or(err, c.move(m, stream))
		}
		return cmp.Or(l.called("ncclGroupEnd", C.hz_nccl_end(&l.functions)), err)
	})
}

func (c *Comm) move(m device.Move, stream uintptr) error {
	call, send := "ncclRecv", C.int(0)
	if m.Send {
		call, send = "ncclSend", 1
	}
	l := c.library
	return l.called(call, C.hz_nccl_move(&l.functions, send, C.ulonglong(m.At), C.ulonglong(m.Bytes), C.int(m.Peer), c.comm, C.ulonglong(stream)))
}

// Abort ends exchanges that wait, and the communication.
func (c *Comm) Abort() {
	c.once.Do(func() { C.hz_nccl_abort(&c.library.functions, c.comm) })
}

// Package devices knows all backends: it lists the devices of this machine and
// opens them by the names that users give them.
package devices

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/cuda"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// backends is the list of all of them, the one that every machine has first.
var backends = []device.Backend{cpu.Backend(), cuda.Backend()}

// Found is what one backend found: devices, or the reason why there are none.
type Found struct {
	Kind    string        `json:"kind"`
	Devices []device.Info `json:"devices"`
	Missing string        `json:"missing,omitempty"`
}

// List asks every backend for its devices.
func List() []Found {
	var list []Found
	for _, b := range backends {
		f := Found{Kind: b.Kind(), Devices: []device.Info{}}
		if infos, err := b.List(); err != nil {
			f.Missing = err.Error()
		} else {
			f.Devices = append(f.Devices, infos...)
		}
		list = append(list, f)
	}
	return list
}

// Names returns the names of the devices that are there.
func Names() []string {
	var names []string
	for _, f := range List() {
		for _, d := range f.Devices {
			names = append(names, d.Name)
		}
	}
	return names
}

// ID is a device by its backend and its number there. Whether the device exists
// shows when it is opened.
type ID struct {
	backend device.Backend
	index   int
}

// Parse reads a device's name: cpu, cuda:0; cuda alone is cuda:0.
func Parse(name string) (ID, error) {
	kind, number, numbered := strings.Cut(name, ":")
	backend := find(kind)
	if backend == nil {
		return ID{}, nearest.Unknown("device", name, kinds())
	}
	if !numbered {
		return ID{backend, 0}, nil
	}
	index, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return ID{}, fmt.Errorf("device is %q: write %s:0 for the first, %s:1 for the second", name, kind, kind)
	}
	return ID{backend, int(index)}, nil
}

// Open opens the device.
func (id ID) Open(opt device.Options) (device.Device, error) { return id.backend.Open(id.index, opt) }

// Open opens a device by its name.
func Open(name string, opt device.Options) (device.Device, error) {
	id, err := Parse(name)
	if err != nil {
		return nil, err
	}
	return id.Open(opt)
}

// Guard has every CPU that is opened from now on guard its memory: a kernel that reaches
// past a block ends the process with a line that begins with the prefix. A GPU has such a
// guard of its own, which is coarser.
func Guard(prefix string) { cpu.Guard(prefix) }

// Remember has a terminal put back as it is now if a kernel of a CPU crashes, by that text as
// well, until forget is called: a crash ends the program at once.
func Remember(terminal *os.File, text string) (forget func()) { return cpu.Remember(terminal, text) }

func find(kind string) device.Backend {
	for _, b := range backends {
		if b.Kind() == kind {
			return b
		}
	}
	return nil
}

func kinds() []string {
	var names []string
	for _, b := range backends {
		names = append(names, b.Kind())
	}
	return names
}

// Package devices lists and opens the devices of all backends by name.
package devices

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/cuda"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// backends lists all backends; the CPU, which every machine has, comes first.
var backends = []device.Backend{cpu.Backend(), cuda.Backend()}

// Found is what one backend found: devices, or the reason why it has none.
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

// Names returns the names of all devices on this machine.
func Names() []string {
	var names []string
	for _, f := range List() {
		for _, d := range f.Devices {
			names = append(names, d.Name)
		}
	}
	return names
}

// Parse reads a device name, such as cpu or cuda:0; cuda means cuda:0. Only Open checks that the device exists.
func Parse(name string) (backend device.Backend, index int, err error) {
	kind, number, numbered := strings.Cut(name, ":")
	kinds := lists.Map(backends, device.Backend.Kind)
	i := slices.Index(kinds, kind)
	if i < 0 {
		return nil, 0, nearest.Unknown("device", name, kinds)
	}
	if !numbered {
		return backends[i], 0, nil
	}
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return nil, 0, fmt.Errorf("device is %q: write %s:0 for the first, %s:1 for the second", name, kind, kind)
	}
	return backends[i], int(n), nil
}

// Alike returns the devices that a name means if work can be spread: cuda is all of this machine's GPUs, cuda:0 the first.
func Alike(name string) ([]string, error) {
	backend, _, err := Parse(name)
	if err != nil || strings.Contains(name, ":") {
		return []string{name}, err
	}
	list, err := backend.List()
	return lists.Map(list, func(d device.Info) string { return d.Name }), err
}

// Accelerated reports whether a name is of a device other than the machine's own processor.
func Accelerated(name string) (bool, error) {
	backend, _, err := Parse(name)
	return backend != backends[0], err
}

// Check says what is wrong with the name of a device, without opening it.
func Check(name string) error {
	backend, index, err := Parse(name)
	if err != nil {
		return err
	}
	list, err := backend.List()
	if err == nil && index >= len(list) {
		err = fmt.Errorf("device is %q: this machine has %s", name, strings.Join(Names(), ", "))
	}
	return err
}

// Open opens a device by its name.
func Open(name string, opt device.Options) (device.Device, error) {
	backend, index, err := Parse(name)
	if err != nil {
		return nil, err
	}
	return backend.Open(index, opt)
}

// Sense returns what the machine and a device say about their state now.
func Sense(d device.Device) device.State {
	var s device.State
	cpu.Sense(os.DirFS("/"), &s)
	if own, ok := d.(device.Sensing); ok {
		own.Sense(&s)
	}
	return s
}

// Guard makes every CPU that is opened later guard its memory: a kernel that touches
// memory outside its blocks ends the process with a line that starts with prefix. GPUs
// always have such a guard, a coarser one.
func Guard(prefix string) { cpu.Guard(prefix) }

// Remember saves the state of a terminal. If a CPU kernel crashes before forget is called,
// the handler restores that state and writes text, because a crash ends the program at once.
func Remember(terminal *os.File, text string) (forget func()) { return cpu.Remember(terminal, text) }

// Package devices lists and opens the devices of all backends by name.
package devices

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
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

// Several returns names of devices that act as one, for completion.
func Several() []string {
	kind := backends[0].Kind()
	return []string{kind + "*2", kind + "*4"}
}

// Named is a device as a name says it: one of a backend, or several that act as one.
type Named struct {
	name    string
	backend device.Backend
	index   int
	parts   int // 0: no group
}

// MostParts bounds the devices that act as one: kernels have a lane for each.
const MostParts = kernels.MaxParts

// Parse reads a device name, such as cpu, cuda:0 or cpu*2; cuda means cuda:0. Only Open checks that the device exists.
func Parse(name string) (Named, error) {
	if kind, count, several := strings.Cut(name, "*"); several {
		return parseParts(name, kind, count)
	}
	kind, number, numbered := strings.Cut(name, ":")
	kinds := lists.Map(backends, device.Backend.Kind)
	i := slices.Index(kinds, kind)
	if i < 0 {
		return Named{}, nearest.Unknown("device", name, kinds)
	}
	n := Named{name: name, backend: backends[i]}
	if !numbered {
		return n, nil
	}
	index, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return Named{}, wrongNumber(name, kind, number)
	}
	n.index = int(index)
	return n, nil
}

// parseParts reads CPU*COUNT. A machine has one CPU, but as many parts of it as one likes.
func parseParts(name, kind, count string) (Named, error) {
	host := backends[0]
	if kind != host.Kind() {
		return Named{}, fmt.Errorf("device is %q: only %s is divided by a star, as in %[2]s*2", name, host.Kind())
	}
	parts, err := strconv.Atoi(count)
	if err != nil || parts < 2 || parts > MostParts {
		return Named{}, fmt.Errorf("device is %q: after the star is the number of parts, 2 to %d, as in %s*2", name, MostParts, kind)
	}
	return Named{name: fmt.Sprintf("%s*%d", kind, parts), backend: host, parts: parts}, nil
}

// wrongNumber says what is wrong with what follows the colon.
func wrongNumber(name, kind, number string) error {
	host := backends[0].Kind()
	numbers := strings.Split(number, "+")
	for i, n := range numbers {
		if _, err := strconv.ParseUint(n, 10, 16); err != nil && number != "all" {
			return fmt.Errorf("device is %q: write %s:0 for the first, %[2]s:1 for the second", name, kind)
		}
		if slices.Contains(numbers[:i], n) {
			return fmt.Errorf("device is %q: it names %s:%s twice", name, kind, n)
		}
	}
	return fmt.Errorf("device is %q: several devices act as one only on a CPU so far: write %s:0, or %s*2", name, kind, host)
}

// Kind is what devices that measure alike share: the backend, and how many parts of it act as one.
func (n Named) Kind() string {
	if n.parts > 0 {
		return n.name
	}
	return n.backend.Kind()
}

// Alike returns the devices that a name means if work can be spread: cuda is all of this machine's GPUs, cuda:0 the first.
func Alike(name string) ([]string, error) {
	n, err := Parse(name)
	if err != nil || n.parts > 0 || strings.Contains(name, ":") {
		return []string{name}, err
	}
	list, err := n.backend.List()
	return lists.Map(list, func(d device.Info) string { return d.Name }), err
}

// Accelerated reports whether a name is of a device other than the machine's own processor.
func Accelerated(name string) (bool, error) {
	n, err := Parse(name)
	return n.backend != backends[0], err
}

// Check says what is wrong with the name of a device, without opening it.
func Check(name string) error {
	n, err := Parse(name)
	if err != nil {
		return err
	}
	list, err := n.backend.List()
	if err == nil && n.index >= len(list) {
		err = fmt.Errorf("device is %q: this machine has %s", name, strings.Join(Names(), ", "))
	}
	return err
}

// Open opens a device by its name.
func Open(name string, opt device.Options) (device.Device, error) {
	n, err := Parse(name)
	if err != nil {
		return nil, err
	}
	return n.Open(opt)
}

// Open opens the device. The parts of a CPU share its threads, or those that the options say.
func (n Named) Open(opt device.Options) (device.Device, error) {
	if n.parts == 0 {
		return n.backend.Open(n.index, opt)
	}
	threads := opt.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if threads > 0 {
		opt.Threads = max(1, threads/n.parts)
	}
	var parts []device.Device
	for range n.parts {
		part, err := n.backend.Open(n.index, opt)
		if err != nil {
			return nil, errors.Join(err, closed(parts))
		}
		parts = append(parts, part)
	}
	info := parts[0].Info()
	info.Name = n.name
	return device.NewGroup(info, parts), nil
}

func closed(parts []device.Device) (err error) {
	for _, p := range parts {
		err = errors.Join(err, p.Close())
	}
	return err
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

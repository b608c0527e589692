// Package devices lists and opens the devices of all backends by name.
package devices

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

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
func List() (list []Found) {
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
	all := slices.Concat(lists.Map(List(), func(f Found) []device.Info { return f.Devices })...)
	return lists.Map(all, func(d device.Info) string { return d.Name })
}

// Several returns names of devices that act as one, for completion.
func Several() []string {
	kind := backends[0].Kind()
	list := []string{kind + "*2", kind + "*4"}
	for _, f := range List()[1:] {
		if len(f.Devices) > 1 {
			list = append(list, f.Kind+":0+1", f.Kind+":"+all)
		}
	}
	return list
}

// Named is a device as a name says it: one of a backend, or several that act as one.
type Named struct {
	name    string
	backend device.Backend
	parts   []int // the number of each part within the backend; nil: all that there are
}

// MostParts bounds the devices that act as one: kernels have a lane for each.
const MostParts = kernels.MaxParts

const all = "all" // as in cuda:all

// Parse reads a device name, such as cpu, cuda:0, cuda:0+1 or cpu*2; cuda means cuda:0. Only Open checks that the
// devices exist.
func Parse(name string) (Named, error) {
	if kind, count, several := strings.Cut(name, "*"); several {
		return parseParts(name, kind, count)
	}
	kind, numbers, numbered := strings.Cut(name, ":")
	kinds := lists.Map(backends, device.Backend.Kind)
	i := slices.Index(kinds, kind)
	switch {
	case i < 0:
		return Named{}, nearest.Unknown("device", name, kinds)
	case !numbered:
		return Named{name: name, backend: backends[i], parts: []int{0}}, nil
	case numbers == all:
		return Named{name: name, backend: backends[i]}, nil
	}
	parts, err := parseNumbers(name, kind, numbers)
	return Named{name: name, backend: backends[i], parts: parts}, err
}

// parseNumbers reads what follows the colon, such as 0 or 0+1.
func parseNumbers(name, kind, numbers string) (parts []int, err error) {
	for text := range strings.SplitSeq(numbers, "+") {
		number, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("device is %q: write %s:0 for the first, %[2]s:1 for the second", name, kind)
		}
		if slices.Contains(parts, int(number)) {
			return nil, fmt.Errorf("device is %q: it names %s:%s twice", name, kind, text)
		}
		parts = append(parts, int(number))
	}
	if len(parts) > MostParts {
		return nil, fmt.Errorf("device is %q: it names %d devices; at most %d act as one", name, len(parts), MostParts)
	}
	return parts, nil
}

// parseParts reads CPU*COUNT. A machine has one CPU, but as many parts of it as one likes.
func parseParts(name, kind, count string) (Named, error) {
	host := backends[0]
	if kind != host.Kind() {
		return Named{}, fmt.Errorf("device is %q: only %s is divided by a star, as in %[2]s*2; several others are joined by a plus, as in %[3]s:0+1", name, host.Kind(), backends[1].Kind())
	}
	parts, err := strconv.Atoi(count)
	if err != nil || parts < 2 || parts > MostParts {
		return Named{}, fmt.Errorf("device is %q: after the star is the number of parts, 2 to %d, as in %s*2", name, MostParts, kind)
	}
	return Named{name: fmt.Sprintf("%s*%d", kind, parts), backend: host, parts: make([]int, parts)}, nil
}

// OnGPU reports whether the device, or each of its parts, is a GPU.
func (n Named) OnGPU() bool { return n.backend != backends[0] }

// Kind is what devices that measure alike share: the backend, and how many parts of it act as one.
func (n Named) Kind() string {
	switch len(n.parts) {
	case 0:
		return n.name
	case 1:
		return n.backend.Kind()
	}
	return fmt.Sprintf("%s*%d", n.backend.Kind(), len(n.parts))
}

// Alike returns the devices that a name means if work can be spread: cuda is all of this machine's GPUs, cuda:0 the first.
func Alike(name string) ([]string, error) {
	n, err := Parse(name)
	if err != nil || strings.ContainsAny(name, "*:") {
		return []string{name}, err
	}
	list, err := n.backend.List()
	return lists.Map(list, func(d device.Info) string { return d.Name }), err
}

// Check says what is wrong with the name of a device, without opening it.
func Check(name string) error {
	n, err := Parse(name)
	if err != nil {
		return err
	}
	list, err := n.backend.List()
	if err == nil && slices.ContainsFunc(n.parts, func(part int) bool { return part >= len(list) }) {
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

// Open opens the device, or all that act as one.
func (n Named) Open(opt device.Options) (device.Device, error) {
	n, err := n.found()
	if err != nil {
		return nil, err
	}
	if len(n.parts) == 1 {
		return n.backend.Open(n.parts[0], opt)
	}
	return n.group(opt)
}

// found names every part, where the name says all.
func (n Named) found() (Named, error) {
	if n.parts != nil {
		return n, nil
	}
	list, err := n.backend.List()
	if err != nil {
		return n, err
	}
	var numbers []string
	for i := range min(len(list), MostParts) {
		n.parts, numbers = append(n.parts, i), append(numbers, strconv.Itoa(i))
	}
	n.name = n.backend.Kind() + ":" + strings.Join(numbers, "+")
	return n, nil
}

// group opens devices that act as one. The parts of a CPU share its threads, or those that the options say.
func (n Named) group(opt device.Options) (device.Device, error) {
	if threads := cmp.Or(opt.Threads, runtime.GOMAXPROCS(0)); threads > 0 {
		opt.Threads = max(1, threads/len(n.parts))
	}
	parts, err := lists.TryMap(n.parts, func(index int) (device.Device, error) { return n.backend.Open(index, opt) })
	if err != nil {
		return nil, errors.Join(append(lists.Map(parts, device.Device.Close), err)...)
	}
	return device.NewGroup(n.name, parts), nil
}

// Sensors read the state of a machine, again and again.
type Sensors struct{ energy cpu.Energy }

// Read returns the current state of the machine and a device.
func (from *Sensors) Read(d device.Device) (s device.State) {
	root := os.DirFS("/")
	cpu.AddState(root, &s)
	from.energy.AddState(root, time.Now(), &s)
	s.Free, _ = d.Free() // 0 with an error
	d.AddState(&s)
	return s
}

// Guard makes every CPU that is opened later guard its memory: a kernel that touches memory outside its blocks ends the
// process with a line that starts with prefix. GPUs always have such a guard, a coarser one.
func Guard(prefix string) { cpu.Guard(prefix) }

// Remember saves the state of a terminal. If a CPU kernel crashes before forget is called,
// the handler restores that state and writes text, because a crash ends the program at once.
func Remember(terminal *os.File, text string) (forget func()) { return cpu.Remember(terminal, text) }

package devices

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// Every backend either lists devices or says why it has none.
func TestListGivesDevicesOrReason(t *testing.T) {
	for _, f := range List() {
		must.Hold(t, (len(f.Devices) > 0) != (f.Missing != ""), "%s: %d devices, missing because %q", f.Kind, len(f.Devices), f.Missing)
		for _, d := range f.Devices {
			must.Hold(t, strings.HasPrefix(d.Name, f.Kind), "%s has a device named %s", f.Kind, d.Name)
		}
	}
}

// Every listed device opens by its name and reports that name.
func TestListedDevicesOpen(t *testing.T) {
	names := Names()
	must.Need(t, slices.Contains(names, "cpu"), "no cpu among %v", names)
	for _, name := range names {
		d, err := Open(name, device.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		must.Match(t, d.Info().Name, name, "opens as")
		must.OK(t, d.Close())
	}
}

// A group has the name that it was opened by; its parts share the threads.
func TestGroup(t *testing.T) {
	d := must.Get(Open("cpu*3", device.Options{Threads: 6}))(t)
	defer d.Close()
	info := d.Info()
	must.Hold(t, info.Name == "cpu*3" && info.Parts == 3 && info.Threads == 6 && len(device.PartsOf(d)) == 3,
		"cpu*3 opens as %+v with %d parts", info, len(device.PartsOf(d)))
	for _, p := range device.PartsOf(d) {
		must.Match(t, p.Info().Threads, 2, "threads of a part")
	}
}

// Devices that measure alike are one kind, whichever parts they have; `all` is one device where there is only one.
func TestKinds(t *testing.T) {
	for name, want := range map[string]string{
		"cpu": "cpu", "cpu*2": "cpu*2", "cuda": "cuda", "cuda:3": "cuda", "cuda:0+1": "cuda*2", "cuda:2+3": "cuda*2", "cuda:all": "cuda:all",
	} {
		n, err := Parse(name)
		must.Hold(t, err == nil && n.Kind() == want, "%s is of kind %s, not %s: %v", name, n.Kind(), want, err)
	}
	d := must.Get(Open("cpu:all", device.Options{}))(t)
	defer d.Close()
	must.Match(t, d.Info().Name, "cpu", "all CPUs open as")
}

func TestWrongNames(t *testing.T) {
	for name, want := range map[string]string{
		"cup":      `unknown device "cup": did you mean cpu?`,
		"":         "choose from cpu, cuda",
		"cuda:-1":  "write cuda:0 for the first",
		"cpu*1":    "2 to 32",
		"cuda:1+1": "names cuda:1 twice",
		"cuda:0+":  "write cuda:0 for the first",
		"cuda*2":   "joined by a plus, as in cuda:0+1",
		"cpu:0+1":  "this machine has one CPU device",
	} {
		d, err := Open(name, device.Options{})
		if err == nil {
			d.Close()
			t.Errorf("%q opens", name)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; it should say %q", name, err, want)
		}
	}
}

package cli

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/limits"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/results"
)

func newDevicesCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "devices"}
	env.uses(command, "device", "threads")
	flags, chosen := command.Flags(), ""
	for _, name := range slices.Sorted(maps.Keys(measures)) {
		flags.Bool(name, false, measures[name])
	}
	bytes, units := int64(limits.Usual), int64(1_000_000)
	flags.Var(settings.Integer(&bytes, 1<<12, 1<<50), "array", "bytes to access")
	flags.Var(settings.Integer(&units, 1, 1<<27), "units", "units to allocate")
	load := command.PreRunE
	command.PreRunE = func(c *cobra.Command, args []string) (err error) {
		if chosen, err = chosenMeasure(flags); err != nil || chosen == "" { // the list needs no settings
			return usage(err)
		}
		return load(c, args)
	}
	return env.listing(command, func([]string) (data any, text func() error, err error) {
		if chosen == "" {
			data, text = env.devices()
			return data, text, nil
		}
		return data, text, env.withDevice(func(dev device.Device) (err error) {
			data, text, err = env.measure(dev, chosen, bytes, units)
			return err
		})
	})
}

// measures are the kinds of measurement of a device.
var measures = map[string]string{
	"limits":     "measure the memory of --device",
	"contention": "measure accesses of --device that share words",
	"allocators": "measure allocators of --device",
}

// chosenMeasure returns what is to be measured, if anything. Flags that say nothing about it are errors.
func chosenMeasure(flags *pflag.FlagSet) (string, error) {
	given := slices.DeleteFunc(slices.Sorted(maps.Keys(measures)), func(name string) bool { return !flags.Changed(name) })
	if len(given) > 1 {
		return "", fmt.Errorf("--%s: one thing is measured at a time; hint: leave out --%s", given[0], given[1])
	}
	chosen := strings.Join(given, "")
	for _, f := range []struct {
		flag, with string
		useless    bool
	}{
		{"device", "limits", chosen == ""},
		{"threads", "limits", chosen == ""},
		{"array", "limits", chosen == "" || chosen == "allocators"},
		{"units", "allocators", chosen != "allocators"},
	} {
		if f.useless && flags.Changed(f.flag) {
			return "", fmt.Errorf("--%s: it says what --%s does; hint: add --%[2]s", f.flag, f.with)
		}
	}
	return chosen, nil
}

func (env *Env) devices() (any, func() error) {
	found := devices.List()
	var infos []device.Info
	var missing []string
	for _, f := range found {
		infos = append(infos, f.Devices...)
		if f.Missing != "" {
			missing = append(missing, fmt.Sprintf("no %s: %s", f.Kind, strings.TrimPrefix(f.Missing, "device "+f.Kind+": ")))
		}
	}
	table := results.TableOf("device | model | arch | #workers | #memory | driver", infos, func(d device.Info) []string {
		return []string{d.Name, d.Model, d.Arch, workers(d), number.Bytes(d.Memory), d.Driver}
	})
	return found, env.page("", table, missing...)
}

func (env *Env) measure(dev device.Device, what string, bytes, units int64) (any, func() error, error) {
	page := func(of string, table results.Table) func() error {
		return env.page(fmt.Sprintf("%s, %s, medians of %d runs", deviceLine(dev.Info()), of, limits.Runs), table)
	}
	switch what {
	case "limits":
		list, err := limits.Measure(dev, bytes)
		table := results.TableOf("memory | access | #bytes | #million/s | #± % | #GB/s", list, func(l limits.Limit) []string {
			return []string{l.Memory, l.Access, fmt.Sprint(l.Bytes), fmt.Sprintf("%.0f", l.Rate()/1e6),
				fmt.Sprintf("%.1f", 100*l.Noise()), fmt.Sprintf("%.1f", l.Rate()*float64(l.Bytes)/1e9)}
		})
		return list, page("arrays of "+number.Bytes(bytes), table), err
	case "contention":
		list, err := limits.Contend(dev, bytes)
		table := results.TableOf("access | #share a word | #million/s", list, func(c limits.Contention) []string {
			return []string{c.Access, fmt.Sprint(c.Conflicts), fmt.Sprintf("%.0f", c.Rate()/1e6)}
		})
		return list, page("an array of "+number.Bytes(bytes), table), err
	}
	list, err := limits.Allocate(dev, uint64(units))
	table := results.TableOf("allocator | #million/s | #released, million/s", list, func(a limits.Allocator) []string {
		released := ""
		if a.Released != nil {
			released = fmt.Sprintf("%.1f", a.Released.Rate()/1e6)
		}
		return []string{a.Allocator, fmt.Sprintf("%.1f", a.Allocated.Rate()/1e6), released}
	})
	return list, page(fmt.Sprintf("%d units of 128 bytes", units), table), err
}

// workers returns the number of CPU threads, or of a GPU's multiprocessors.
func workers(d device.Info) string {
	return lists.Either(d.Driver != "", fmt.Sprintf("%d SMs", d.Threads), fmt.Sprintf("%d threads", d.Threads))
}

func newConfigCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "config"}
	for _, s := range env.Settings.Table {
		env.uses(command, s.Key)
	}
	return env.listing(command, func([]string) (any, func() error, error) {
		type source struct {
			Value string `json:"value"`
			From  string `json:"from"`
		}
		inForce := map[string]source{}
		all := env.Settings.Table
		for _, s := range all {
			inForce[s.Key] = source{s.String(), env.Settings.From[s.Key]}
		}
		table := results.TableOf("setting | value | from | flag", all, func(s settings.Setting) []string {
			return []string{s.Key, s.String(), env.Settings.From[s.Key], "--" + s.Flag}
		})
		return inForce, env.page("", table), nil
	})
}

func newVersionCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "version"}
	return env.listing(command, func([]string) (any, func() error, error) {
		b := results.ThisBuild()
		revision := cmp.Or(b.Revision, "unknown revision") + lists.Either(b.Modified, ", modified", "")
		return b, env.page("", results.Table{},
			fmt.Sprintf("hashzoo %s (%s)", b.Version, revision),
			fmt.Sprintf("%s, kernels by %s", b.Go, b.Compiler),
			fmt.Sprintf("kernel interface %d, generators %d, digests %d, results %s", b.ABI, b.Generators, b.Digests, results.Schema)), nil
	})
}

// warnOfMachine warns before a run on a CPU if the machine will make its figures worse.
func (r *runFlags) warnOfMachine(d device.Info) {
	if r.quiet || d.Driver != "" {
		return
	}
	root := os.DirFS("/")
	others := running(root) - 1
	for range 4 { // a single sample may count a thread that ends at once
		time.Sleep(5 * time.Millisecond)
		others = min(others, running(root)-1)
	}
	for _, text := range machineWarnings(root, d.Threads, others) {
		r.warn("%s", text)
	}
}

func machineWarnings(root fs.FS, threads, others int) (list []string) {
	processors, _ := fs.ReadFile(root, "proc/cpuinfo")
	cpus := strings.Count("\n"+string(processors), "\nprocessor\t")
	if others > 0 && cpus > 0 && others+threads > cpus {
		list = append(list, fmt.Sprintf("this machine is busy: beside this run's %d threads, %d others run on its %d CPUs; hint: wait, or take fewer --threads",
			threads, others, cpus))
	}
	governor, _ := fs.ReadFile(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	driver, _ := fs.ReadFile(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver")
	switch g := strings.TrimSpace(string(governor)); {
	case g == "powersave" && strings.Contains(string(driver), "pstate"): // which follows the load
	case g == "powersave" || g == "conservative" || g == "userspace":
		list = append(list, fmt.Sprintf("the CPU governor is %s, which holds the clock down; hint: cpupower frequency-set -g performance", g))
	}
	return list
}

// running is the number of threads of the machine that run or wait for a CPU, this one included.
func running(root fs.FS) (n int) {
	text, _ := fs.ReadFile(root, "proc/stat")
	_, line, _ := strings.Cut(string(text), "\nprocs_running ")
	_, _ = fmt.Sscan(line, &n)
	return n
}

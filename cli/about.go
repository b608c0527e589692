package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/limits"
	"github.com/hashzoo/hashzoo/runtime/results"
)

func newDevicesCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "devices", Short: "list the devices, and say why others are missing"}
	env.uses(command, "device", "threads")
	bytes, units, asked := int64(limits.Usual), int64(1_000_000), map[string]*bool{}
	for _, name := range slices.Sorted(maps.Keys(measures)) {
		asked[name] = command.Flags().Bool(name, false, measures[name])
	}
	command.Flags().Var(settings.Integer(&bytes, 1<<12, 1<<50), "array", "bytes to access")
	command.Flags().Var(settings.Integer(&units, 1, 1<<27), "units", "units to allocate")
	load := command.PreRunE
	command.PreRunE = func(c *cobra.Command, args []string) error {
		given := slices.DeleteFunc(slices.Sorted(maps.Keys(measures)), func(name string) bool { return !*asked[name] })
		switch {
		case len(given) > 1:
			return usage(fmt.Errorf("--%s: one thing is measured at a time; hint: leave out --%s", given[0], given[1]))
		case *asked["allocators"]:
			return cmp.Or(onlyWith(c, "limits", "array"), load(c, args))
		case *asked["limits"], *asked["contention"]:
			return cmp.Or(onlyWith(c, "allocators", "units"), load(c, args))
		}
		return cmp.Or(onlyWith(c, "limits", "device", "threads", "array"), onlyWith(c, "allocators", "units"))
	}
	return env.listing(command, func([]string) (any, func() error, error) {
		switch {
		case *asked["limits"]:
			return env.limits(bytes)
		case *asked["contention"]:
			return env.contention(bytes)
		case *asked["allocators"]:
			return env.allocators(uint64(units))
		}
		return env.devices()
	})
}

// measures are what can be measured of a device.
var measures = map[string]string{
	"limits":     "measure the memory of --device",
	"contention": "measure accesses of --device that share words",
	"allocators": "measure allocators of --device",
}

// onlyWith refuses flags that say nothing without another one.
func onlyWith(c *cobra.Command, one string, others ...string) error {
	for _, other := range others {
		if c.Flags().Changed(other) {
			return usage(fmt.Errorf("--%s: it says what --%s does; hint: add --%s", other, one, one))
		}
	}
	return nil
}

func (env *Env) devices() (any, func() error, error) {
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
		return []string{d.Name, d.Model, d.Arch, workers(d), size(d.Memory), d.Driver}
	})
	return found, func() error { return table.Print(env.Out, missing...) }, nil
}

func (env *Env) limits(bytes int64) (any, func() error, error) {
	dev, err := env.open()
	if err != nil {
		return nil, nil, err
	}
	defer dev.Close()
	list, err := limits.Measure(dev, bytes)
	table := results.TableOf("memory | access | #bytes | #million/s | #± % | #GB/s", list, func(l limits.Limit) []string {
		return []string{l.Memory, l.Access, fmt.Sprint(l.Bytes), fmt.Sprintf("%.0f", l.Rate()/1e6),
			fmt.Sprintf("%.1f", 100*l.Noise()), fmt.Sprintf("%.1f", l.Rate()*float64(l.Bytes)/1e9)}
	})
	return list, func() error {
		fmt.Fprintf(env.Out, "%s, arrays of %s, medians of %d runs\n\n", deviceLine(dev.Info()), size(bytes), limits.Runs)
		return table.Print(env.Out)
	}, err
}

func (env *Env) contention(bytes int64) (any, func() error, error) {
	dev, err := env.open()
	if err != nil {
		return nil, nil, err
	}
	defer dev.Close()
	list, err := limits.Contend(dev, bytes)
	table := results.TableOf("access | #share a word | #million/s", list, func(c limits.Contention) []string {
		return []string{c.Access, fmt.Sprint(c.Conflicts), fmt.Sprintf("%.0f", c.Rate()/1e6)}
	})
	return list, func() error {
		fmt.Fprintf(env.Out, "%s, an array of %s, medians of %d runs\n\n", deviceLine(dev.Info()), size(bytes), limits.Runs)
		return table.Print(env.Out)
	}, err
}

func (env *Env) allocators(units uint64) (any, func() error, error) {
	dev, err := env.open()
	if err != nil {
		return nil, nil, err
	}
	defer dev.Close()
	list, err := limits.Allocate(dev, units)
	table := results.TableOf("allocator | #million/s | #released, million/s", list, func(a limits.Allocator) []string {
		released := ""
		if a.Released != nil {
			released = fmt.Sprintf("%.1f", a.ReleaseRate()/1e6)
		}
		return []string{a.Allocator, fmt.Sprintf("%.1f", a.Rate()/1e6), released}
	})
	return list, func() error {
		fmt.Fprintf(env.Out, "%s, %d units of 128 bytes, medians of %d runs\n\n", deviceLine(dev.Info()), units, limits.Runs)
		return table.Print(env.Out)
	}, err
}

// workers returns the number of CPU threads, or of a GPU's multiprocessors.
func workers(d device.Info) string {
	if d.Driver != "" {
		return fmt.Sprintf("%d SMs", d.Threads)
	}
	return fmt.Sprintf("%d threads", d.Threads)
}

// size writes bytes in the largest unit that keeps the number at 1 or more.
func size(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	amount, unit := float64(bytes), 0
	for amount >= 1024 && unit < len(units)-1 {
		amount, unit = amount/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f %s", amount, units[unit])
}

func newConfigCommand(env *Env) *cobra.Command {
	command := &cobra.Command{
		Use:   "config",
		Short: "show the settings in effect, and where each comes from",
	}
	for _, s := range env.Settings.Table() {
		env.uses(command, s.Key)
	}
	return env.listing(command, func([]string) (any, func() error, error) {
		type source struct {
			Value string `json:"value"`
			From  string `json:"from"`
		}
		inForce := map[string]source{}
		all := env.Settings.Table()
		for _, s := range all {
			inForce[s.Key] = source{s.String(), env.Settings.From[s.Key]}
		}
		table := results.TableOf("setting | value | from | flag", all, func(s settings.Setting) []string {
			return []string{s.Key, s.String(), env.Settings.From[s.Key], "--" + s.Flag}
		})
		return inForce, func() error { return table.Print(env.Out) }, nil
	})
}

func newVersionCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "version", Short: "show the version, the compiler and the interfaces of this program"}
	return env.listing(command, func([]string) (any, func() error, error) {
		b := results.ThisBuild()
		revision := cmp.Or(b.Revision, "unknown revision")
		if b.Modified {
			revision += ", modified"
		}
		return b, func() error {
			return env.lines([]string{
				fmt.Sprintf("hashzoo %s (%s)", b.Version, revision),
				fmt.Sprintf("%s, kernels by %s", b.Go, b.Compiler),
				fmt.Sprintf("kernel interface %d, generators %d, digests %d, results %s", b.ABI, b.Generators, b.Digests, results.Schema),
			})
		}, nil
	})
}

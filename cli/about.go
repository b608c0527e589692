package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/results"
)

func newDevicesCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "devices", Short: "list the devices, and say why others are missing"}
	return env.listing(command, func([]string) (any, func() error, error) {
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
	})
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
		Long: "Show the settings in effect, and where each comes from. A flag overrides a variable (HASHZOO_SEED,\n" +
			"HASHZOO_REPEAT_NOISE), which overrides config.toml in the current folder, which overrides hashzoo/config.toml\n" +
			"in your configuration folder ($XDG_CONFIG_HOME or ~/.config), which overrides the defaults. The current\n" +
			"folder's file names no plugins and raises no limit of scripts, since it may have come with an archive.",
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

// newManCommand is hidden: it serves those who package hashzoo.
func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "write a man page of every command",
		Hidden: true,
		RunE: func(command *cobra.Command, args []string) error {
			root := command.Root()
			root.DisableAutoGenTag = true
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "hashzoo " + root.Version, Manual: "hashzoo"}, args[0])
		},
	}
}

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

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

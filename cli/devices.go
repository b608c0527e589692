package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/results"
)

var _ = register(newDevicesCommand)

func newDevicesCommand(env *Env) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "devices",
		Short: "list the devices, and say why others are missing",
		Args:  atMost(0),
		RunE: func(*cobra.Command, []string) error {
			found := devices.List()
			if asJSON {
				return env.printJSON(found)
			}
			return printDevices(env, found)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func printDevices(env *Env, found []devices.Found) error {
	table := results.Table{Columns: []results.Column{{Title: "device"}, {Title: "model"}, {Title: "arch"},
		{Title: "workers", Number: true}, {Title: "memory", Number: true}, {Title: "driver"}}}
	var missing []string
	for _, f := range found {
		if f.Missing != "" {
			missing = append(missing, fmt.Sprintf("no %s: %s", f.Kind, strings.TrimPrefix(f.Missing, "device "+f.Kind+": ")))
		}
		for _, d := range f.Devices {
			table.Rows = append(table.Rows, []string{d.Name, d.Model, d.Arch, workers(d), size(d.Memory), d.Driver})
		}
	}
	if err := table.Print(env.Out); err != nil || missing == nil {
		return err
	}
	_, err := fmt.Fprintf(env.Out, "\n%s\n", strings.Join(missing, "\n"))
	return err
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

package cli

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestMachineWarnings(t *testing.T) {
	const cpufreq = "sys/devices/system/cpu/cpu0/cpufreq/scaling_"
	for _, c := range []struct {
		running, governor, driver string
		threads                   int
		want                      string
	}{
		{"1", "performance", "acpi-cpufreq", 4, ""},
		{"3", "performance", "acpi-cpufreq", 4, "this machine is busy: beside this run's 4 threads, 2 others run on its 4 CPUs"},
		{"3", "performance", "acpi-cpufreq", 2, ""}, // there is room for both
		{"1", "powersave", "acpi-cpufreq", 4, "the CPU governor is powersave"},
		{"1", "powersave", "intel_pstate", 4, ""},
		{"9", "conservative", "acpi-cpufreq", 4, "busy; the CPU governor is conservative"},
	} {
		root := fstest.MapFS{
			"proc/stat":          {Data: []byte("cpu 1 2 3\nprocs_running " + c.running + "\nprocs_blocked 0\n")},
			"proc/cpuinfo":       {Data: []byte(strings.Repeat("processor\t: 0\nmodel name\t: a\n\n", 4))},
			cpufreq + "governor": {Data: []byte(c.governor + "\n")},
			cpufreq + "driver":   {Data: []byte(c.driver + "\n")},
		}
		got := strings.Join(machineWarnings(root, c.threads, running(root)-1), "; ")
		for part := range strings.SplitSeq(c.want, "; ") {
			if !strings.Contains(got, part) || c.want == "" && got != "" {
				t.Errorf("%+v: %q", c, got)
			}
		}
	}
	if got := machineWarnings(fstest.MapFS{}, 2, -1); len(got) > 0 {
		t.Errorf("where nothing is known: %v", got)
	}
}

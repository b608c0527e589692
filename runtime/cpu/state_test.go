package cpu

import (
	"fmt"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
)

func files(texts map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range texts {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

func TestState(t *testing.T) {
	const cpus = "sys/devices/system/cpu/"
	for name, c := range map[string]struct {
		root fstest.MapFS
		want device.State
	}{
		"server": {files(map[string]string{
			"proc/stat":                              "cpu 1 2 3\nprocs_running 4\nprocs_blocked 0\n",
			"proc/cpuinfo":                           "cpu MHz\t\t: 1000.0\n",
			cpus + "cpu0/cpufreq/scaling_cur_freq":   "3500000\n",
			cpus + "cpu1/cpufreq/scaling_cur_freq":   "3600000\n",
			cpus + "cpu2/cpufreq/scaling_cur_freq":   "800000\n",
			cpus + "cpu0/cpufreq/scaling_governor":   "performance\n",
			cpus + "cpu1/cpufreq/scaling_governor":   "powersave\n",
			cpus + "cpu2/cpufreq/scaling_governor":   "powersave\n",
			"sys/class/hwmon/hwmon0/name":            "nvme\n",
			"sys/class/hwmon/hwmon0/temp1_input":     "99000\n",
			"sys/class/hwmon/hwmon1/name":            "coretemp\n",
			"sys/class/hwmon/hwmon1/temp1_input":     "61000\n",
			"sys/class/hwmon/hwmon1/temp2_input":     "64500\n",
			"sys/class/thermal/thermal_zone0/type":   "acpitz\n",
			"sys/class/thermal/thermal_zone0/temp":   "90000\n",
			"sys/class/hwmon/hwmon1/temp2_crit":      "100000\n",
			cpus + "cpu0/cpufreq/scaling_driver":     "acpi-cpufreq\n",
			"sys/class/thermal/cooling_device0/type": "Processor\n",
		}), device.State{Governor: "performance and powersave",
			Figures: map[string]float64{device.CPUClock: 3500, device.CPUTemperature: 64.5, device.CPUWaiting: 3}}},
		"virtual machine": {files(map[string]string{
			"proc/stat":    "procs_running 1\n",
			"proc/cpuinfo": "processor\t: 0\ncpu MHz\t\t: 2299.998\n\nprocessor\t: 1\ncpu MHz\t\t: 2299.998\n",
		}), device.State{Figures: map[string]float64{device.CPUClock: 2299.998, device.CPUWaiting: 0}}},
		"unreadable": {files(map[string]string{
			cpus + "cpu0/cpufreq/scaling_cur_freq": "<unknown>\n",
			"sys/class/hwmon/hwmon1/name":          "coretemp\n",
			"sys/class/hwmon/hwmon1/temp1_input":   "",
		}), device.State{}},
		"nothing": {files(nil), device.State{}},
	} {
		t.Run(name, func(t *testing.T) {
			var got device.State
			AddState(c.root, &got)
			must.Match(t, got, c.want)
		})
	}
}

// The power of all packages is the energy between two readings. Counters wrap, and are often unreadable.
func TestEnergy(t *testing.T) {
	const zones = "sys/class/powercap/intel-rapl:"
	var e Energy
	for i, c := range []struct {
		first, second string
		want          map[string]float64
	}{
		{"100000000", "5000000", nil},
		{"220000000", "15000000", map[string]float64{device.CPUPower: 65}},
		{"0", "20000000", nil},
		{"20000000", "20000000", map[string]float64{device.CPUPower: 10}},
		{"", "", nil},
		{"20000000", "20000000", nil},
	} {
		var got device.State
		e.AddState(files(map[string]string{
			zones + "0/name": "package-0\n", zones + "0/energy_uj": c.first + "\n",
			zones + "1/name": "package-1\n", zones + "1/energy_uj": c.second + "\n",
			zones + "0:0/name": "core\n", zones + "0:0/energy_uj": "77\n",
			zones + "2/name": "psys\n", zones + "2/energy_uj": fmt.Sprint(i*1e9) + "\n",
		}), time.Unix(int64(2*i), 0), &got)
		must.Match(t, got.Figures, c.want, i)
	}
}

// A Linux says at least how many threads run.
func TestStateOfThisMachine(t *testing.T) {
	if _, err := os.Stat("/proc/stat"); err != nil {
		t.Skip(err)
	}
	var s device.State
	AddState(os.DirFS("/"), &s)
	_, known := s.Figures[device.CPUWaiting]
	must.Hold(t, known, "this machine says %+v", s)
}

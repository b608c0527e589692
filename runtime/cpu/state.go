package cpu

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// AddState adds the readings of Linux, whose root folder this is.
func AddState(root fs.FS, s *device.State) {
	cpus := "sys/devices/system/cpu/cpu*/cpufreq/scaling_"
	if clocks := numbers(root, cpus+"cur_freq"); len(clocks) > 0 { // in kHz
		s.Set(device.CPUClock, middle(clocks)/1000)
	} else if clocks := fields(root, "proc/cpuinfo", "cpu MHz\t\t:"); len(clocks) > 0 {
		s.Set(device.CPUClock, middle(clocks))
	}
	if running := fields(root, "proc/stat", "procs_running"); len(running) > 0 {
		s.Set(device.CPUWaiting, max(0, running[0]-1)) // this thread runs, too
	}
	if degrees := temperatures(root); len(degrees) > 0 {
		s.Set(device.CPUTemperature, slices.Max(degrees)/1000)
	}
	governors := slices.Sorted(slices.Values(lists.Map(texts(root, cpus+"governor"), strings.TrimSpace)))
	s.Governor = strings.Join(slices.Compact(governors), " and ") // of all CPUs: usually they have the same
}

// Energy holds the last reading of the energy counters of a machine's packages.
type Energy struct {
	joules float64
	at     time.Time
}

// AddState adds the mean power since the last call, if Linux tells: often only root may read it.
func (e *Energy) AddState(root fs.FS, now time.Time, s *device.State) {
	const zones = "sys/class/powercap/intel-rapl:[0-9]/" // AMD's are called so, too
	files, _ := fs.Glob(root, zones+"name")
	before := *e
	*e = Energy{}
	for _, file := range files {
		name, _ := fs.ReadFile(root, file)
		if !strings.HasPrefix(string(name), "package") {
			continue
		}
		for _, used := range numbers(root, strings.TrimSuffix(file, "name")+"energy_uj") {
			e.joules, e.at = e.joules+used/1e6, now
		}
	}
	if seconds := now.Sub(before.at).Seconds(); !before.at.IsZero() && seconds > 0 && e.joules >= before.joules { // else a counter wrapped
		s.Set(device.CPUPower, (e.joules-before.joules)/seconds)
	}
}

// sensors are the drivers of thermometers inside CPUs.
var sensors = []string{"coretemp", "k10temp", "zenpower", "x86_pkg_temp", "cpu_thermal", "cpu-thermal"}

// temperatures of CPUs, in thousandths of a degree.
func temperatures(root fs.FS) (list []float64) {
	for name, values := range map[string]string{"sys/class/hwmon/hwmon*/name": "temp*_input", "sys/class/thermal/thermal_zone*/type": "temp"} {
		files, _ := fs.Glob(root, name)
		for _, file := range files {
			driver, _ := fs.ReadFile(root, file)
			if slices.Contains(sensors, strings.TrimSpace(string(driver))) {
				list = append(list, numbers(root, file[:strings.LastIndex(file, "/")+1]+values)...)
			}
		}
	}
	return list
}

func texts(root fs.FS, pattern string) (list []string) {
	files, _ := fs.Glob(root, pattern)
	for _, file := range files {
		if text, err := fs.ReadFile(root, file); err == nil {
			list = append(list, string(text))
		}
	}
	return list
}

// numbers are those in files that have one number each.
func numbers(root fs.FS, pattern string) (list []float64) {
	for _, text := range texts(root, pattern) {
		if x, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			list = append(list, x)
		}
	}
	return list
}

// fields are the numbers in the lines of a file that begin with a prefix.
func fields(root fs.FS, file, prefix string) (list []float64) {
	text, _ := fs.ReadFile(root, file)
	for line := range strings.Lines(string(text)) {
		var x float64
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			if _, err := fmt.Sscan(rest, &x); err == nil {
				list = append(list, x)
			}
		}
	}
	return list
}

func middle(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

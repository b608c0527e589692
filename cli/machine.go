package cli

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
)

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
	cpus := len(entries(root, "proc/cpuinfo", "processor\t"))
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
func running(root fs.FS) int {
	n, _ := strconv.Atoi(strings.Join(entries(root, "proc/stat", "procs_running "), ""))
	return n
}

// entries returns the lines of a file that begin with a name, without it.
func entries(root fs.FS, file, name string) (list []string) {
	text, _ := fs.ReadFile(root, file)
	for line := range strings.SplitSeq(string(text), "\n") {
		if entry, ok := strings.CutPrefix(line, name); ok {
			list = append(list, entry)
		}
	}
	return list
}

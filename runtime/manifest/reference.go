package manifest

import (
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/host"
)

// reference is the kind of a scheme whose tables are a library's.
const reference = "reference"

// IsReference reports whether the tables are a library's.
func (m *Manifest) IsReference() bool { return m.Kind == reference }

// OnGPU reports whether they are on GPUs.
func (m *Manifest) OnGPU() bool { return m.Device == "gpu" }

// Linker returns the arguments that link the libraries.
func (m *Manifest) Linker() (flags []string) {
	for _, l := range m.Libraries {
		flags = append(flags, "-l"+l)
	}
	return append(flags, "-lstdc++")
}

// refer gives a reference what all of them have: their tables are made for n pairs, and their memory is the library's.
func (m *Manifest) refer() error {
	if !m.IsReference() {
		for key, given := range map[string]bool{"libraries": len(m.Libraries) > 0, "device": m.Device != ""} {
			if given {
				return m.Wrong(key, "is given, and only schemes of kind reference have it")
			}
		}
		return nil
	}
	for key, given := range map[string]bool{
		"max_load": m.MaxLoad != 0,
		"kernels":  m.Kernels != nil, "gauges": m.Gauges != nil || m.Own != nil, "can.host_memory": m.Can.HostMemory,
	} {
		if given {
			return m.Wrong(key, "is given, and a reference has none: its library decides")
		}
	}
	m.MaxLoad, m.Kernels = 1, host.ReferenceKernels
	return nil
}

// register adds kernels in Go to the program's.
func (m *Manifest) register() {
	for _, c := range m.Scheme.Variants() {
		for _, pair := range c.Caps.Pairs {
			for _, op := range m.launched(c) {
				body := kernels.InGo[m.Name](pair.String(), op)
				kernels.AddGo(c.Kernel(pair, op, false), body)
				kernels.AddGo(c.Kernel(pair, op, true), body)
			}
		}
	}
}

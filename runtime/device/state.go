package device

// State holds readings of a machine and a device at one moment. Unknown readings are absent, never zero.
type State struct {
	Figures   map[string]float64 // by the names below
	Governor  string             // how the system chooses the clock of the CPU
	Throttled []string           // why a GPU holds back its clocks; nil: it does not say
	Free      int64              // bytes of the device's memory
}

// The names of figures.
const (
	CPUClock       = "cpu_mhz"
	CPUTemperature = "cpu_celsius"
	CPUPower       = "cpu_watts"
	CPUWaiting     = "cpu_others" // other threads of the machine that run or wait for a CPU
	GPUClock       = "gpu_mhz"
	GPUMemoryClock = "gpu_memory_mhz"
	GPUTemperature = "gpu_celsius"
	GPUPower       = "gpu_watts"
)

// Set adds a figure.
func (s *State) Set(name string, value float64) {
	if s.Figures == nil {
		s.Figures = map[string]float64{}
	}
	s.Figures[name] = value
}

package device

// State is what a machine and a device say about themselves at a moment. What they do not say
// is absent, never zero.
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

// Sensing is a device that knows more of its state than the machine does.
type Sensing interface {
	// Sense adds that to a state. It takes a millisecond or so.
	Sense(*State)
}

package session

import (
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// A run of days keeps as many states as a run of minutes, spread over all of it.
func TestWeatherIsBounded(t *testing.T) {
	var w weather
	for i := range 2 * senseStates {
		var s device.State
		s.Set(device.CPUClock, float64(i))
		w.add(s)
	}
	if n := len(w.states); n < senseStates/2 || n > senseStates {
		t.Errorf("%d states", n)
	}
	if first := w.states[0].Figures[device.CPUClock]; first != 0 || w.period < 2*senseEvery {
		t.Errorf("the first state is %v, the period %v", first, w.period)
	}
}

package session

import (
	"testing"
	"time"

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

// slow is a device that takes a while to answer.
type slow struct {
	device.Device
	asked int
}

func (s *slow) Free() (int64, error) { return 7, nil }

func (s *slow) AddState(*device.State) {
	s.asked++
	time.Sleep(20 * time.Millisecond)
}

// A run that is shorter than a hundred questions is asked once.
func TestQuestionsTakeAHundredthOfARun(t *testing.T) {
	var w weather
	dev := &slow{}
	w.ask(dev, true)
	w.ask(dev, false)
	w.ask(dev, true)
	if dev.asked != 1 {
		t.Errorf("asked %d times within a moment", dev.asked)
	}
	w.rest = time.Time{}
	w.ask(dev, false)
	w.ask(dev, true)
	if dev.asked != 2 {
		t.Errorf("asked %d times, although the end needs an answer", dev.asked)
	}
}

package session

import (
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
)

// weather has the machine's conditions (clocks, temperatures, load) during a run, in bounded memory.
type weather struct {
	senses devices.Sensors
	states []device.State
	tell   func(device.State) // nil: nobody listens
	period time.Duration
	rest   time.Time // until then it is not asked at all,
	next   time.Time // and until then not without need
}

const (
	senseEvery  = time.Second
	senseRest   = 100  // times as long as a question took
	senseStates = 1000 // of more, every second one is kept, and half as many are asked for
)

// ask asks a device, unless it was asked a moment ago and the answer is not needed. Questions take a hundredth of a
// run's time at most.
func (w *weather) ask(d device.Device, needed bool) {
	began := time.Now()
	if began.Before(w.rest) || !needed && began.Before(w.next) {
		return
	}
	s := w.senses.Read(d)
	if w.add(s); w.tell != nil {
		w.tell(s)
	}
	ended := time.Now()
	w.rest = ended.Add(senseRest * ended.Sub(began))
	w.next = w.rest
	if later := ended.Add(w.period); later.After(w.rest) {
		w.next = later
	}
}

func (w *weather) add(s device.State) {
	w.period = max(w.period, senseEvery)
	w.states = append(w.states, s)
	if len(w.states) < senseStates {
		return
	}
	for i := range senseStates / 2 {
		w.states[i] = w.states[2*i]
	}
	w.states, w.period = w.states[:senseStates/2], 2*w.period
}

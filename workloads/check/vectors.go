package check

import (
	"errors"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
)

// vectorSteps play the vectors of a scheme, which have configurations of their own.
func (p Plan) vectorSteps(t Target) []step {
	if t.Config != nil {
		return nil
	}
	f := Finding{Part: "vectors", Scheme: t.Scheme.Name, Config: t.Scheme.Name, What: "operations, slot by slot"}
	s := step{"vectors of " + f.Scheme, func() []Finding { return []Finding{f} }}
	switch text := t.Scheme.Vectors; {
	case text == "":
		f.Status, f.Why = NotOffered, "no vectors"
	case !p.onCPU():
		f.Status, f.Why = Unavailable, "vectors are for one thread of a CPU, as the order of operations shows in them"
	default:
		s = p.one(s.what, f, nil, func() error { return played(text) })
	}
	return []step{s}
}

func played(text string) error {
	one, err := devices.Open("cpu", device.Options{Threads: 1})
	if err != nil {
		return err
	}
	return errors.Join(engine.PlayVectors(one, text), one.Close())
}

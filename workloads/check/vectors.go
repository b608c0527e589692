package check

import (
	"github.com/hashzoo/hashzoo/runtime/device"
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
	case !isCPU(p.Device):
		f.Status, f.Why = Unavailable, "vectors are for one thread of a CPU, as the order of operations shows in them"
	default:
		s = p.one(s.what, f, nil, func() error {
			return onOneThread(func(one device.Device) error { return engine.PlayVectors(one, text) })
		})
	}
	return []step{s}
}

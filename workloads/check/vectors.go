package check

import (
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
)

// vectorSteps play the vectors of a scheme, which are of configurations of their own.
func (p Plan) vectorSteps(t Target) []step {
	if t.Config != nil {
		return nil
	}
	f := Finding{Part: "vectors", Scheme: t.Scheme.Name, Config: t.Scheme.Name, What: "operations, slot by slot"}
	return []step{{"vectors of " + t.Scheme.Name, func() []Finding {
		p.trying(f)
		return []Finding{p.vectors(f, t.Scheme.Vectors())}
	}}}
}

func (p Plan) vectors(f Finding, text string) Finding {
	switch {
	case text == "":
		f.Status, f.Why = NotOffered, "no vectors"
		return f
	case !p.onCPU():
		f.Status, f.Why = Unavailable, "vectors are for one thread of a CPU, as the order of operations shows in them"
		return f
	}
	one, err := devices.Open("cpu", device.Options{Threads: 1})
	if err != nil {
		return f.outcome(err)
	}
	f = f.outcome(engine.PlayVectors(one, text))
	if err := one.Close(); err != nil && f.Status == Passed {
		return f.outcome(err)
	}
	return f
}

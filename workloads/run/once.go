package run

import (
	"context"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
)

// Once is a script in Go that only prepares: Do gets an empty table.
type Once struct {
	Shape schemes.Shape
	Do    func(Table) error
}

// Measure runs the script on one scheme and returns the contents of the table at the end. If
// counted is set, samples have the counts of instrumented kernels.
func (o Once) Measure(dev device.Device, config schemes.Config, seed uint64, counted bool) (engine.Contents, error) {
	var end engine.Contents
	plan := Plan{Script: o, Schemes: []schemes.Config{config}, Points: []Point{nil}, Seed: seed, Counted: counted, Digests: true}
	err := Run(context.Background(), dev, plan, listenerFunc(func(e Event) error {
		if ended, ok := e.(PhaseEnded); ok {
			end = ended.Contents[0]
		}
		return nil
	}))
	return end, err
}

// Start implements Script.
func (o Once) Start(setup Setup, t Table) (*Instance, error) {
	return &Instance{Shape: o.Shape, Config: setup.Config, Prepare: func() error { return o.Do(t) }}, nil
}

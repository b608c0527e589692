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
	var end lastContents
	err := Run(context.Background(), dev, Plan{Script: o, Schemes: []schemes.Config{config}, Points: []Point{nil}, Seed: seed,
		Counted: counted, Digests: true}, &end)
	return engine.Contents(end), err
}

// Start implements Script.
func (o Once) Start(setup Setup, t Table) (Instance, error) { return onceOn{o, setup.Config, t}, nil }

// onceOn is an instance of a Once.
type onceOn struct {
	Once
	config schemes.Config
	table  Table
}

func (o onceOn) Shape() (schemes.Shape, schemes.Config, error)       { return o.Once.Shape, o.config, nil }
func (o onceOn) Stages() []Stage                                     { return nil }
func (o onceOn) Thresholds() []string                                { return nil }
func (o onceOn) Prepare() error                                      { return o.Do(o.table) }
func (o onceOn) Event(uint64, string) (bool, error)                  { return false, nil }
func (o onceOn) Done(map[string]any) (own map[string]any, err error) { return nil, nil }
func (o onceOn) Close()                                              {}

// lastContents is a listener that keeps the contents of the table.
type lastContents engine.Contents

func (l *lastContents) Hear(e Event) error {
	if ended, ok := e.(PhaseEnded); ok {
		*l = lastContents(ended.Contents[0])
	}
	return nil
}

package lua

import (
	"fmt"
	"math"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// readStages reads stages = { batches = 10 }, or a list of such tables.
func readStages(v glua.LValue) (stages []run.Stage, err error) {
	switch t, ok := v.(*glua.LTable); {
	case !ok:
		return nil, wrongValue("stages", v, "{ batches = 10 }, or a list of such tables")
	case t.RawGetInt(1) == glua.LNil:
		stages = make([]run.Stage, 1)
		err = readStage("stages", v, &stages[0])
	default:
		stages, err = each("stages", v, readStage)
	}
	if err == nil {
		if err = run.CheckStages(stages); err != nil {
			err = &fieldError{path: "stages", text: err.Error()}
		}
	}
	return stages, err
}

// each reads the items of a list that people write by hand.
func each[T any](path string, v glua.LValue, read func(path string, v glua.LValue, into *T) error) ([]T, error) {
	const most = 100
	items, err := list(path, v)
	if err != nil {
		return nil, err
	}
	if len(items) > most {
		return nil, wrongField(path, " has %d items, at most %d", len(items), most)
	}
	all := make([]T, len(items))
	for i, item := range items {
		if err := read(fmt.Sprintf("%s[%d]", path, i+1), item, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func readStage(path string, v glua.LValue, s *run.Stage) error {
	var stage struct {
		Name       string      `lua:"name"`
		Batches    uint64      `lua:"batches" min:"1" max:"inf"`
		Operations uint64      `lua:"operations" min:"1" max:"inf"`
		Duration   float64     `lua:"duration" min:"0.001" max:"31622400"` // seconds, up to 366 days
		Rate       float64     `lua:"rate" min:"0.001" max:"1e15"`
		Warmup     uint64      `lua:"warmup"`
		Settle     glua.LValue `lua:"settle"`
	}
	f, err := decode(path, v, &stage)
	if err != nil {
		return err
	}
	*s = run.Stage{
		Name: sandbox.OneLine(stage.Name), Warmup: stage.Warmup, Batches: stage.Batches, Operations: stage.Operations,
		Duration: time.Duration(math.Round(stage.Duration * float64(time.Second))), Rate: stage.Rate,
		Settles: f.has("settle"),
	}
	if stage.Settle != glua.LTrue {
		f.read("settle", &s.Noise, `min:"1e-4" max:"1"`)
	}
	switch {
	case f.count("batches", "operations", "duration", "settle") != 1:
		return wrongField(path, ": it takes one of batches, operations, duration (seconds) and settle; "+
			"hint: batches = math.huge if event ends the run by returning false")
	case s.Settles && f.count("warmup", "rate") > 0:
		return wrongField(path, ": settle goes without rate and warmup; hint: repeat.warmup in config.toml")
	}
	return f.err
}

// readThresholds reads thresholds = { "find.mops > 1" }.
func readThresholds(v glua.LValue, stages []run.Stage) ([]string, error) {
	return each("thresholds", v, func(path string, v glua.LValue, into *string) error {
		err := convert(path, v, into, "")
		if err == nil {
			if err = run.CheckThreshold(*into, stages); err != nil {
				err = &fieldError{path: path, text: err.Error()}
			}
		}
		*into = sandbox.OneLine(*into)
		return err
	})
}

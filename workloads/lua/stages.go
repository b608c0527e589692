package lua

import (
	"errors"
	"fmt"
	"math"
	"time"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// readStages reads stages = { batches = 10 }, or a list of such tables. A rate beside
// the list is that of all stages which have none.
func readStages(v glua.LValue) ([]run.Stage, error) {
	t, ok := v.(*glua.LTable)
	if !ok {
		return nil, wrongField("stages", " is %s, it takes { batches = 10 }, or a list of such tables", sandbox.Describe(v))
	}
	if t.RawGetInt(1) == glua.LNil {
		s, err := readStage("stages", v)
		return checked([]run.Stage{s}, err)
	}
	items, err := short("stages", v)
	if err != nil {
		return nil, err
	}
	var stages []run.Stage
	for i, item := range items {
		s, err := readStage(fmt.Sprintf("stages[%d]", i+1), item)
		if err != nil {
			return nil, err
		}
		stages = append(stages, s)
	}
	return checked(stages, nil)
}

// checked looks at the names, which results use.
func checked(stages []run.Stage, err error) ([]run.Stage, error) {
	if err == nil {
		err = run.CheckStages(stages)
	}
	if field := new(fieldError); err != nil && !errors.As(err, &field) {
		err = &fieldError{path: "stages", text: err.Error()}
	}
	return stages, err
}

// short is a list that people write by hand.
func short(path string, v glua.LValue) ([]glua.LValue, error) {
	const most = 100
	items, err := list(path, v)
	if len(items) > most {
		return nil, wrongField(path, " has %d items, at most %d", len(items), most)
	}
	return items, err
}

func readStage(path string, v glua.LValue) (s run.Stage, err error) {
	f, err := named(path, v)
	if err != nil {
		return s, err
	}
	if err := f.only("name", "batches", "operations", "duration", "rate", "warmup"); err != nil {
		return s, err
	}
	ends := 0
	for _, name := range []string{"batches", "operations", "duration"} {
		if f.has(name) {
			ends++
		}
	}
	if ends != 1 {
		return s, wrongField(path, ": it takes one of batches, operations and duration (seconds); "+
			"hint: batches = math.huge if event ends the run by returning false")
	}
	if s.Name, err = f.text("name"); err != nil {
		return s, err
	}
	s.Name = sandbox.OneLine(s.Name)
	return s, readAmounts(f, &s)
}

func readAmounts(f fields, s *run.Stage) (err error) {
	if s.Batches, err = f.whole("batches", 1, true); err != nil {
		return err
	}
	if s.Operations, err = f.whole("operations", 1, true); err != nil {
		return err
	}
	if s.Warmup, err = f.whole("warmup", 0, false); err != nil {
		return err
	}
	const longest = 366 * 24 * 3600 // seconds
	seconds, err := f.number("duration", 1e-3, longest)
	if err != nil {
		return err
	}
	s.Duration = time.Duration(math.Round(seconds * float64(time.Second)))
	s.Rate, err = f.number("rate", 1e-3, 1e15)
	return err
}

// readThresholds reads thresholds = { "find.mops > 1" }.
func readThresholds(v glua.LValue, stages []run.Stage) ([]string, error) {
	items, err := short("thresholds", v)
	if err != nil {
		return nil, err
	}
	var texts []string
	for i, item := range items {
		path := fmt.Sprintf("thresholds[%d]", i+1)
		text, ok := item.(glua.LString)
		if !ok {
			return nil, wrongField(path, ` is %s, it takes a text such as "find.mops > 1"`, sandbox.Describe(item))
		}
		if err := run.CheckThreshold(string(text), stages); err != nil {
			return nil, &fieldError{path: path, text: err.Error()}
		}
		texts = append(texts, sandbox.OneLine(string(text)))
	}
	return texts, nil
}

package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Single is a part of a request: one scheme at one point of a script's axes.
type Single struct {
	Request
	Config schemes.Config
	Point  run.Point
	Header record.Header // the script and all its options
}

// Split returns the parts of a request for a script. Points are in the order of a run; at each, the schemes follow each other.
func (r Request) Split(ctx context.Context) (list []Single, err error) {
	if record.Is(r.Script) {
		return nil, Wrong(fmt.Errorf("%s is a recording: it takes a script", r.Script))
	}
	once := r
	once.Repeat = 1 // the parts repeat
	j, err := once.newJob(ctx)
	if err != nil {
		return nil, Wrong(err)
	}
	for _, at := range j.plan.Points {
		axes, err := settings(at)
		if err != nil {
			return nil, Wrong(err)
		}
		for _, config := range j.plan.Schemes {
			part := r
			part.Choice.Schemes, part.Axis, part.LeaveOut = []string{config.String()}, axes, true
			list = append(list, Single{part, config, at, j.header})
		}
	}
	return list, nil
}

// settings are the values of a point as a user sets them.
func settings(at run.Point) (list []string, err error) {
	for _, c := range at {
		text := run.Text(c.Value)
		if back, err := run.ParseValues(text, c.Value); err != nil || !slices.Equal(back, []any{c.Value}) {
			return nil, fmt.Errorf("axis %s has the value %q, which --axis takes as several: write values without commas", c.Name, text)
		}
		list = append(list, c.Name+"="+text)
	}
	return list, nil
}

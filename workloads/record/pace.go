package record

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Pace says when the batches of stages are due; with the zero Pace, when the previous one has ended.
type Pace struct {
	Recorded bool    // at their recorded start times, ...
	Speed    float64 // ... this many times as fast; 0 is 1
	Rate     float64 // or at a rate in operations a second
}

// PaceHelp describes what ParsePace takes.
const PaceHelp = "asap, recorded, or rate:N with N operations a second"

// ParsePace reads a pace as users write it.
func ParsePace(text string) (p Pace, err error) {
	rate, isRate := strings.CutPrefix(text, "rate:")
	switch n, ok := number.Parse(rate); {
	case text == "asap":
		return p, nil
	case text == "recorded":
		return Pace{Recorded: true}, nil
	case isRate && ok && n >= 1e-3 && n <= 1e15:
		return Pace{Rate: n}, nil
	}
	return p, fmt.Errorf("pace is %q: it takes %s, such as rate:1M", text, PaceHelp)
}

// stage has as many rounds as were recorded, and at least one after a warm-up, as stages must.
func (p *Phase) stage(pace Pace) run.Stage {
	warm, all := p.rounds()
	s := run.Stage{Name: p.Name, Warmup: warm, Batches: max(1, all-warm), Rate: pace.Rate}
	if pace.Recorded {
		s.Schedule = p.schedule(pace.Speed)
	}
	return s
}

// rounds counts the calls of event, and of the warm-up: all before the first measured batch.
func (p *Phase) rounds() (warm, all uint64) {
	measured := false
	for k, item := range p.Items {
		if k == 0 || p.Items[k-1].round() != item.round() {
			all++
		}
		switch b := item.Batch; {
		case b == nil || measured:
		case b.Warmup:
			warm = all
		default:
			measured, warm = true, min(warm, all-1)
		}
	}
	return warm, all
}

func (p *Phase) schedule(speed float64) []time.Duration {
	const longest = float64(365 * 24 * time.Hour)
	list := []time.Duration{}
	for _, item := range p.Items {
		if b := item.Batch; b != nil && !b.Warmup && b.N > 0 {
			list = append(list, time.Duration(min(float64(b.At)/cmp.Or(speed, 1), longest)))
		}
	}
	return list
}

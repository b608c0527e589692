package sweep

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Status is the progress of a sweep.
type Status struct {
	Points  int           `json:"points"`
	Done    int           `json:"done"`
	Missing int           `json:"missing"` // the failed ones among them
	Failed  []Failure     `json:"failed"`
	Each    time.Duration `json:"each_nanoseconds"` // that a point took on average; 0 if none is done
}

// Failure is a point that failed, and is tried again when the sweep goes on.
type Failure struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Left is about how long one worker takes for the rest; 0 if that is unknown.
func (s Status) Left() time.Duration { return time.Duration(s.Missing) * s.Each }

// Status reads how far the sweep is.
func (s Sweep) Status() (status Status, err error) {
	missing, err := s.Missing()
	if err != nil {
		return status, err
	}
	status = Status{Points: len(s.Points), Done: len(s.Points) - len(missing), Missing: len(missing), Failed: []Failure{}}
	failed, err := s.names(failures, ".txt")
	if err != nil {
		return status, err
	}
	for _, p := range missing {
		if !failed[p.Name] {
			continue
		}
		why, err := regular.Read(s.failure(p.Name), regular.Text)
		if err != nil {
			return status, err
		}
		status.Failed = append(status.Failed, Failure{p.Name, strings.TrimSpace(string(why))})
	}
	status.Each, err = s.Each()
	return status, err
}

// asked is the number of finished points whose times are read.
const asked = 100

// Each is the average time of the finished points; 0 if there are none.
func (s Sweep) Each() (time.Duration, error) {
	done, err := s.Done()
	if err != nil || len(done) == 0 {
		return 0, err
	}
	var sum time.Duration
	every, n := max(1, len(done)/asked), 0
	for i := 0; i < len(done); i += every {
		d, err := s.Read(done[i])
		if err != nil {
			return 0, err
		}
		sum, n = sum+d.End.Finished.Sub(d.Run.Started), n+1
	}
	return sum / time.Duration(n), nil
}

const maxRun = 1 << 30 // bytes of the results of a point

// Read returns the results of a point that is done.
func (f Folder) Read(p Ref) (results.Document, error) {
	text, err := regular.Read(f.run(p.Name), maxRun)
	if err != nil {
		return results.Document{}, err
	}
	d, err := results.Read(text)
	if err != nil {
		err = session.Wrong(fmt.Errorf("%s: %w; hint: remove the file, and run the sweep again", f.run(p.Name), err))
	}
	return d, err
}

package sweep

import (
	"time"

	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
)

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
		err = wrongFile(f.run(p.Name), err)
	}
	return d, err
}

package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/session"
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

// Try measures some of the points, and drops the results: how long a point takes.
func Try(ctx context.Context, points []Point, device string) (each time.Duration, err error) {
	dev, err := session.OpenDevice(device, points[0].Threads)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	began := time.Now()
	for _, p := range points {
		if _, err := p.results(ctx, device, dev); err != nil {
			return 0, fmt.Errorf("%s: %w", p.Title, err)
		}
	}
	return time.Since(began) / time.Duration(len(points)), nil
}

// Samples are a few points from all over a list: the first, the last, and one between them.
func Samples[T any](points []T) []T {
	if len(points) < 3 {
		return points
	}
	return []T{points[0], points[len(points)/2], points[len(points)-1]}
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

package sweep

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Local carries out points on devices of this machine, on each in a process, with a new one after it if it ends early.
// What failed is written down, and the next points go on. It returns an error when nothing more can be done.
func (s Sweep) Local(ctx context.Context, points []Ref, devices []string, w Worker, hear func(Outcome)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q := &queue{left: points, hear: hear}
	var all sync.WaitGroup
	errs := make([]error, len(devices))
	for i, device := range devices {
		all.Go(func() {
			for point, ok := q.next(); ok && errs[i] == nil; point, ok = q.next() {
				p := &process{sweep: s, queue: q, point: &point}
				errs[i] = p.run(ctx, w(string(s.Folder), device))
			}
			if errs[i] != nil {
				cancel()
			}
		})
	}
	all.Wait()
	return first(errs)
}

// first is the error that ended the others: not their end.
func first(errs []error) (err error) {
	for _, e := range errs {
		if e != nil && (err == nil || errors.Is(err, context.Canceled)) {
			err = e
		}
	}
	return err
}

// queue hands out points that are not done yet, one by one, so that no device waits while another has several.
type queue struct {
	mutex sync.Mutex
	left  []Ref
	hear  func(Outcome)
}

func (q *queue) next() (p Ref, ok bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if len(q.left) == 0 {
		return p, false
	}
	p, q.left = q.left[0], q.left[1:]
	return p, true
}

func (q *queue) back(point Ref) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.left = slices.Insert(q.left, 0, point)
}

func (q *queue) ended(o Outcome) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.hear(o)
}

package sweep

import (
	"context"
	"errors"
	"sync"
	"time"
)

// TaskTime is about how long a task takes, so that starting it costs little.
const TaskTime = time.Minute

// Local carries out points on devices of this machine, a worker for each, which take tasks until all is done.
func (s Sweep) Local(ctx context.Context, points []Ref, devices []string, each time.Duration, w Worker, hear func(Outcome)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q := &queue{left: points, workers: len(devices), each: each, hear: hear}
	var all sync.WaitGroup
	errs := make([]error, len(devices))
	for i, device := range devices {
		all.Go(func() {
			for task := q.next(); len(task) > 0 && errs[i] == nil; task = q.next() {
				errs[i] = s.Supervise(ctx, task, device, w, q.ended)
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

// queue hands out points that are not done yet, and learns how long they take.
type queue struct {
	mutex   sync.Mutex
	left    []Ref
	workers int
	each    time.Duration // that a point takes; 0: unknown yet
	ends    int
	spent   float64
	hear    func(Outcome)
}

// next is the next task: as many points as take about TaskTime, and not more than a worker's share of the rest.
func (q *queue) next() []Ref {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	share := (len(q.left) + q.workers - 1) / q.workers
	task := q.left[:min(share, inTask(q.each))]
	q.left = q.left[len(task):]
	return task
}

func (q *queue) ended(o Outcome) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.ends++
	q.spent += o.Seconds
	q.each = time.Duration(q.spent / float64(q.ends) * float64(time.Second))
	q.hear(o)
}

// inTask is how many points of this length are a task; of an unknown length, one.
func inTask(each time.Duration) int {
	if each <= 0 {
		return 1
	}
	return max(1, int(TaskTime/each))
}

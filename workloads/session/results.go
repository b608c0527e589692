package session

import (
	"context"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Results carries out a request while nobody watches. After an error, they are what there is until then.
func (r Request) Results(ctx context.Context) (results.Document, error) {
	s, err := r.Open(ctx)
	if err != nil {
		return results.Document{}, err
	}
	err = s.Run(ctx, Watcher{Hear: func(run.Event) {}, Print: func(string, string) {}})
	return s.Document, err
}

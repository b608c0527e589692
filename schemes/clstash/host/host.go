// Package host is the host side of the scheme clstash (clstash.h).
package host

import (
	"math"

	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

// Functions are what scheme.toml names and cannot express.
var Functions = manifest.Functions{Host: map[string]schemes.HostOp{"hybrid": hybrid}}

// aloneInsert is the kernel that inserts without collaboration.
const aloneInsert = "alone_insert"

// hybrid splits a batch at the point where the table reaches the threshold.
func hybrid(t schemes.Table, b schemes.Batch) (schemes.Result, error) {
	limit := uint64(math.Ceil(float64(t.Config().Get("threshold")) / 100 * float64(t.Layout().Capacity)))
	if t.Size() >= limit {
		return host.UntilFull(t, b)
	}
	first, rest := b, b
	first.Op, first.N = aloneInsert, min(b.N, limit-t.Size())
	rest.N -= first.N
	done, err := t.Launch(first)
	if err != nil || rest.N == 0 {
		return done, err
	}
	pair := t.Pair()
	rest.Block.Keys += first.N * uint64(pair.Key)
	rest.Block.Values += first.N * uint64(pair.Value)
	for _, at := range []*uint64{&rest.Block.Ops, &rest.Block.Status} {
		if *at != 0 {
			*at += first.N
		}
	}
	more, err := host.LaunchUntilFull(t, rest, t.Size()+b.N)
	if err != nil {
		return more, err
	}
	more.Counts.Add(done.Counts)
	more.Batch = b
	return more, nil
}

package devices

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/hashzoo/hashzoo/runtime/cuda/nccl"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/ranks"
)

// OfRanks begins the name of a device in each of several processes, such as ranks:cuda.
const OfRanks = "ranks:"

// mesh is this process's connections to the other ranks, once they have met.
var mesh *ranks.Mesh

func parseRanks(name, kind string) (Named, error) {
	i := slices.IndexFunc(backends, func(b device.Backend) bool { return b.Kind() == kind })
	if i < 0 {
		return Named{}, nearest.Unknown("device", name, lists.Map(backends, func(b device.Backend) string { return OfRanks + b.Kind() }))
	}
	return Named{name: name, backend: backends[i], ranks: true}, nil
}

func (n Named) openRanks(opt device.Options) (device.Device, error) {
	if mesh == nil {
		return nil, fmt.Errorf("device %s: the ranks have not met", n.name)
	}
	return mesh.Open(n.name, n.backend.Kind(), opt)
}

// Ranks is how the ranks of a job meet and exchange.
type Ranks struct {
	Rendezvous string // auto: it follows from the launcher's variables
	Wait       time.Duration
	NCCL       string // the library; none: TCP
	Ended      func(error)
}

const auto = "auto"

// Meet waits for the other ranks of the job that a launcher started. It is called once, before devices are opened.
func Meet(ctx context.Context, r Ranks) (*ranks.Mesh, error) {
	place, err := ranks.Here(os.Getenv)
	if err != nil {
		return nil, err
	}
	if r.Rendezvous == auto {
		r.Rendezvous = ""
	}
	mesh, err = ranks.Meet(ctx, ranks.Options{
		Place: place, Rendezvous: r.Rendezvous, Wait: r.Wait, Ended: r.Ended, Library: r.library,
		Open: func(kind string, opt device.Options) (device.Device, error) { return openLocal(place, kind, opt) },
	})
	return mesh, err
}

// openLocal opens the device of a rank: the GPU of its number on this host, or the CPU, whose threads the ranks of the
// host share.
func openLocal(place ranks.Place, kind string, opt device.Options) (device.Device, error) {
	n, err := Parse(kind)
	if err != nil {
		return nil, err
	}
	list, err := n.backend.List()
	if err != nil {
		return nil, err
	}
	if n.backend == backends[0] {
		opt.Threads = cmp.Or(opt.Threads, max(1, runtime.GOMAXPROCS(0)/max(1, place.Beside)))
	}
	return n.backend.Open(place.Local%len(list), opt)
}

// noLibrary asks for TCP.
const noLibrary = "none"

func (r Ranks) library(kind string) (device.Library, error) {
	if kind == backends[0].Kind() {
		return nil, nil
	}
	if r.NCCL == noLibrary {
		return nil, errors.New("--nccl none")
	}
	l, err := nccl.Open(cmp.Or(r.NCCL, nccl.File))
	if err != nil {
		return nil, fmt.Errorf("no NCCL: %w", err)
	}
	return l, nil
}

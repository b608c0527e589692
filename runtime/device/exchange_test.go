package device_test

import (
	"bytes"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
)

func open(t *testing.T) device.Device {
	t.Helper()
	d := must.Get(cpu.Backend().Open(0, device.Options{Threads: 1}))(t)
	t.Cleanup(func() {
		must.OK(t, d.Close())
	})
	return d
}

// wrapped is a device as checks look into it.
type wrapped struct{ device.Device }

func (w wrapped) Unwrap() device.Device { return w.Device }

// Parts copy from each other what the others had before they came to the same exchange, however late they come.
func TestTraffic(t *testing.T) {
	const n, rounds = 3, 5
	var parts []device.Device
	var has, gets [n]device.Addr
	for p := range n {
		d := wrapped{wrapped{open(t)}}
		parts = append(parts, d)
		for _, at := range []*device.Addr{&has[p], &gets[p]} {
			*at = must.Get(d.Alloc(n * rounds))(t)
		}
	}
	traffic := device.NewTraffic(parts)
	var all sync.WaitGroup
	for p, d := range parts {
		all.Go(func() {
			for round := range rounds {
				time.Sleep(time.Duration((p+round)%n) * time.Millisecond)
				must.Say(t, d.Set(has[p]+device.Addr(round), byte(10*p+round), 1), "")
				var copies []device.Copy
				for q := range n {
					copies = append(copies, device.Copy{From: q, To: gets[p] + device.Addr(n*round+q), At: has[q] + device.Addr(round), Bytes: 1})
				}
				arrived, err := traffic.Exchange(1, copies, p)
				must.Say(t, errors.Join(err, arrived()), "")
			}
		})
	}
	bounded.WaitAll(t, &all)
	var want []byte
	for round := range rounds {
		for q := range n {
			want = append(want, byte(10*q+round))
		}
	}
	for p, d := range parts {
		have := make([]byte, n*rounds)
		if err := d.Read(have, gets[p]); err != nil || !bytes.Equal(have, want) {
			t.Errorf("part %d has %v: %v", p, have, err)
		}
	}
}

// A part that does not come is no reason to wait for ever.
func TestTrafficFails(t *testing.T) {
	traffic := device.NewTraffic([]device.Device{open(t), open(t)})
	reason := errors.New("no memory")
	time.AfterFunc(time.Millisecond, func() { traffic.Fail(reason) })
	var abandoned *device.Abandoned
	if err := traffic.Ready(0); !errors.As(err, &abandoned) || abandoned.Why != reason || errors.Is(err, reason) {
		t.Errorf("a part waited and got %v", err)
	}
	if _, err := traffic.Exchange(0, nil, 0); !errors.As(err, &abandoned) {
		t.Errorf("a part waited again and got %v", err)
	}
	must.Say(t, traffic.Ready(1), "", "all parts came, and the last got")
}

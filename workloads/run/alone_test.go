package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// faulty is a device on which kernels with a name in their names give an error.
type faulty struct {
	watched
	kernel string
}

var errKernel = errors.New("an illegal address")

func (f faulty) Call(kernel string, table, batch []byte, count uint64) error {
	if strings.Contains(kernel, f.kernel) {
		return errKernel
	}
	return f.watched.Call(kernel, table, batch, count)
}

// goingOn is a plan that goes on without schemes that fail.
func goingOn(t *testing.T, names ...string) Plan {
	s := script{shape: small, prepare: inserts(100), stages: []Stage{{Batches: 2}}, event: finds(50)}
	p := plan(t, s, names...)
	p.KeepGoing = true
	p.Points = []Point{{{"n", 1.0}}, {{"n", 2.0}}}
	return p
}

func carryOutOn(t *testing.T, dev device.Device, p Plan) (*heard, error) {
	t.Helper()
	h := &heard{}
	return h, Run(context.Background(), dev, p, h.Hear)
}

// parted is what was said of schemes that were put aside.
func (h *heard) parted() []string {
	return lists.Map(of[Parted](h), func(p Parted) string {
		return fmt.Sprintf("%s %v %s: %s", p.Why.Scheme, p.Why.Failed, p.Why.Phase, p.Why.Reason)
	})
}

// An error of a scheme's kernel ends that scheme alone. What it did is kept, the others
// have all, its memory is given back, and the run has failed.
func TestSchemeFailsAlone(t *testing.T) {
	dev := faulty{watched: open(t, 1), kernel: "1cht_last_k4v4_find"}
	h, err := carryOutOn(t, dev, goingOn(t, "1cht", "bcht"))
	faults := (SchemesFailed{})
	must.Need(t, errors.As(err, &faults) && len(faults) == 1 && errors.Is(err, errKernel), "%v", err)
	must.Match(t, h.parted(), []string{"1cht true run: an illegal address"})
	var rows []string
	for _, r := range h.rows() {
		rows = append(rows, fmt.Sprint(r.Scheme, " ", r.Op, " ", r.Batches, " ", r.Point["n"], r.Compare))
	}
	want := []string{"1cht insert 1 1", "bcht insert 1 1", "bcht find 2 1", "bcht insert 1 2", "bcht find 2 2"}
	must.Match(t, rows, want)
	must.Hold(t, len(h.summaries()) == 2 && len(dev.held) == 0, "%d summaries, %d pieces of memory are held", len(h.summaries()), len(dev.held))
}

// Without KeepGoing the run ends there.
func TestSchemeFailsForAll(t *testing.T) {
	p := goingOn(t, "1cht", "bcht")
	p.KeepGoing = false
	h, err := carryOutOn(t, faulty{watched: open(t, 1), kernel: "1cht_last_k4v4_find"}, p)
	must.Hold(t, errors.Is(err, errKernel) && !errors.As(err, new(SchemesFailed)) && h.parted() == nil && len(h.rows()) == 2,
		"%v, %v, %d rows", err, h.parted(), len(h.rows()))
}

// A table for which there is no memory is not made, and the others are.
func TestSchemeHasNoMemory(t *testing.T) {
	p := goingOn(t, "bcht", "1cht")
	dev := &poor{watched: open(t, 1)}
	h, err := carryOutOn(t, dev, p)
	must.Need(t, errors.As(err, new(SchemesFailed)) && strings.Contains(err.Error(), "scheme 1cht, 4096 slots: "), "%v", err)
	got := h.parted()
	must.Hold(t, len(got) == 1 && strings.HasPrefix(got[0], "1cht true : 4096 slots: "), "%v", got)
	must.Hold(t, len(h.rows()) == 4 && len(dev.held) == 0, "%d rows, %d pieces of memory are held", len(h.rows()), len(dev.held))
}

// poor has no memory for the second table.
type poor struct {
	watched
	tables int
}

func (p *poor) Alloc(bytes int64) (device.Addr, error) {
	if bytes == 4096*8 {
		if p.tables++; p.tables == 2 {
			return 0, errors.New("no more")
		}
	}
	return p.watched.Alloc(bytes)
}

// If all fail, the run ends with what each has.
func TestAllFail(t *testing.T) {
	h, err := carryOutOn(t, faulty{watched: open(t, 1), kernel: "_find"}, goingOn(t, "1cht", "bcht"))
	faults := SchemesFailed{}
	must.Need(t, errors.As(err, &faults) && len(faults) == 2 && strings.Contains(err.Error(), "scheme 1cht: ") && strings.Contains(err.Error(), "scheme bcht: "),
		"%v", err)
	must.Match(t, len(h.rows()), 2)
}

// The others go on beside a kernel that hangs, with inputs of their own, if the device can
// do that. Nothing is compared from then on.
func TestHangAlone(t *testing.T) {
	dev := &stuck{watched: open(t, 1), only: "hz_1cht", letGo: make(chan struct{}), ended: make(chan struct{})}
	p := goingOn(t, "1cht", "bcht", "bcht:bucket=8")
	p.Timeout = 100 * time.Millisecond
	h, err := carryOutOn(t, dev, p)
	hang := new(engine.HangError)
	must.Need(t, errors.As(err, &hang) && hang.Scheme == "1cht" && errors.As(err, new(SchemesFailed)), "%v", err)
	finds := 0
	for _, r := range h.rows() {
		if r.Scheme == "1cht" {
			continue
		}
		crowded := strings.Contains(r.Compare, "a kernel of 1cht hangs")
		must.Hold(t, crowded != (r.Phase == Prepare && r.Point["n"] == 1.0), "%s %s at %v: %q", r.Scheme, r.Op, r.Point, r.Compare)
		if r.Op == "find" {
			finds += int(r.Batches)
		}
	}
	must.Hold(t, finds == 8 && len(h.parted()) == 1, "%d finds, %v", finds, h.parted())
	close(dev.letGo)
	bounded.Wait(t, dev.ended)
}

// Where they cannot, or are not to, the run ends with the scheme's name. What was measured is told, and no memory is given
// back that the kernel may still use.
func TestHangEndsTheRun(t *testing.T) {
	for _, goesOn := range []bool{true, false} {
		dev := &stuck{watched: open(t, 1), dies: goesOn, letGo: make(chan struct{}), ended: make(chan struct{})}
		p := goingOn(t, "1cht", "bcht")
		p.Timeout, p.KeepGoing = 100*time.Millisecond, goesOn
		h, err := carryOutOn(t, dev, p)
		hang := new(engine.HangError)
		must.Hold(t, errors.As(err, &hang) && hang.Scheme == "1cht" && hang.Op == "find" && !errors.As(err, new(SchemesFailed)) && !errors.As(err, new(*ScriptError)),
			"%v", err)
		used := dev.used.Load()
		must.Hold(t, used == 0 && len(h.rows()) == 2, "%d pieces of memory were given back under the kernel, %d rows", used, len(h.rows()))
		close(dev.letGo)
		bounded.Wait(t, dev.ended) // before the device is closed
	}
}

// stuck is a device on which finds do not end until the test lets them.
type stuck struct {
	watched
	letGo chan struct{}
	ended chan struct{}
	hangs atomic.Bool
	used  atomic.Int32 // calls while a kernel hangs
	only  string       // kernels whose names begin with that; empty: all
	dies  bool         // nothing else runs beside them
}

func (s *stuck) SurvivesHang() bool { return !s.dies }

func (s *stuck) Call(kernel string, table, batch []byte, count uint64) error {
	if strings.HasSuffix(kernel, "_find") && strings.HasPrefix(kernel, s.only) {
		s.hangs.Store(true)
		<-s.letGo
		defer close(s.ended)
	}
	return s.watched.Call(kernel, table, batch, count)
}

func (s *stuck) Release(at device.Addr) error {
	if s.hangs.Load() {
		s.used.Add(1)
	}
	return s.watched.Release(at)
}

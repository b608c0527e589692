package run

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
)

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

// A kernel that hangs ends the run with its scheme's name; what was measured is told,
// and no memory is given back that the kernel may still use.
func TestHang(t *testing.T) {
	dev := &stuck{watched: open(t, 1), letGo: make(chan struct{}), ended: make(chan struct{})}
	s := script{shape: small, prepare: inserts(100), stages: []Stage{{Batches: 3}}, event: finds(50)}
	p, h := plan(t, s, "1cht", "bcht"), &heard{}
	p.Timeout = 100 * time.Millisecond
	err := Run(context.Background(), dev, p, h.Hear)
	hang := new(engine.HangError)
	if !errors.As(err, &hang) || hang.Scheme != "1cht" || hang.Op != "find" {
		t.Errorf("%v", err)
	}
	if mistake := new(ScriptError); errors.As(err, &mistake) {
		t.Errorf("told as the script's fault: %v", err)
	}
	if used := dev.used.Load(); used > 0 {
		t.Errorf("%d pieces of memory were given back under the kernel", used)
	}
	if len(h.rows()) != 2 || h.order()[1] != "B insert 100" {
		t.Errorf("%d rows, measured %v", len(h.rows()), h.order())
	}
	close(dev.letGo)
	bounded.Wait(t, dev.ended) // before the device is closed
}

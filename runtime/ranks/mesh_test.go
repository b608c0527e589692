package ranks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/runtime/cpu"
	"github.com/hashzoo/hashzoo/runtime/device"
)

// job is ranks that are goroutines of the test.
type job struct {
	*Mesh                  // of rank 0
	served  []chan error   // how each rank ended
	codes   []int          // and with which exit code
	others  []*Mesh        // by rank
	library device.Library // nil: TCP
	ended   chan error     // what Ended was called with
	devices []*cpu.Device  // by rank
	mutex   sync.Mutex
}

func (j *job) options(rank, ranks int, at string) Options {
	return Options{
		Place: Place{Rank: rank, Ranks: ranks, Beside: ranks, Job: "test"}, Rendezvous: at, Wait: 10 * time.Second,
		Library: func(string) (device.Library, error) { return j.library, nil },
		Ended:   func(err error) { j.ended <- err },
		Open: func(kind string, opt device.Options) (device.Device, error) {
			if kind != "cpu" {
				return nil, fmt.Errorf("rank %d has no %s", rank, kind)
			}
			d, err := cpu.Backend().Open(0, device.Options{Threads: 1})
			if err == nil {
				j.mutex.Lock()
				j.devices[rank] = d.(*cpu.Device)
				j.mutex.Unlock()
			}
			return d, err
		},
	}
}

// start has ranks meet, of which all but the first serve.
func start(t *testing.T, ranks int, library device.Library) *job {
	t.Helper()
	at := filepath.Join(t.TempDir(), "rendezvous")
	j := &job{library: library, ended: make(chan error, ranks), codes: make([]int, ranks), others: make([]*Mesh, ranks), devices: make([]*cpu.Device, ranks)}
	met := make(chan error, ranks)
	for k := range ranks {
		j.served = append(j.served, make(chan error, 1))
		if k == 0 {
			continue
		}
		go func() {
			m, err := Meet(context.Background(), j.options(k, ranks, at))
			j.others[k] = m
			if met <- err; err == nil {
				j.codes[k], err = m.Serve(context.Background())
			}
			j.served[k] <- err
		}()
	}
	var err error
	if j.Mesh, err = Meet(context.Background(), j.options(0, ranks, at)); err != nil {
		t.Fatal(err)
	}
	for range ranks - 1 {
		if err := <-met; err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(at); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the ranks have met, and the rendezvous is still there: %v", err)
	}
	return j
}

func (j *job) open(t *testing.T) []device.Device {
	t.Helper()
	d, err := j.Open("ranks:cpu", "cpu", device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	info := d.Info()
	if info.Name != "ranks:cpu" || info.Parts != j.Ranks || info.Threads != j.Ranks || d.SurvivesHang() {
		t.Errorf("it opens as %+v", info)
	}
	return device.PartsOf(d)
}

// exchanged has every rank copy something from every rank, and returns what each has then.
func exchanged(t *testing.T, parts []device.Device) (have, want [][]byte) {
	t.Helper()
	const size = piece + 1000
	n := len(parts)
	from, to, all := make([]device.Addr, n), make([]device.Addr, n), make([][]device.Copy, n)
	for p, d := range parts {
		for _, at := range []*device.Addr{&from[p], &to[p]} {
			var err error
			if *at, err = d.Alloc(int64(n * size)); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Set(from[p], byte(p+1), int64(n*size)); err != nil {
			t.Fatal(err)
		}
	}
	for p := range parts {
		for q := range parts {
			at := device.Addr(q * size)
			all[p] = append(all[p], device.Copy{From: q, To: to[p] + at, At: from[q] + at, Bytes: 10}, device.Copy{From: q, To: to[p] + at + 10, At: from[q] + at + 10, Bytes: size - 10})
		}
	}
	var group sync.WaitGroup
	traffic := device.NewTraffic(parts)
	for p, d := range parts {
		group.Go(func() {
			took, err := d.Time(func() error {
				arrived, err := traffic.Exchange(1, all, p)
				if err != nil {
					return err
				}
				return d.Lap(2, arrived)
			})
			if laps := d.Laps(); err != nil || took <= 0 || laps[1] <= 0 || laps[1]+laps[2] > took || laps[0]+laps[3] > 0 {
				t.Errorf("part %d: %v of which %v: %v", p, took, laps, err)
			}
		})
	}
	group.Wait()
	for p, d := range parts {
		have = append(have, make([]byte, n*size))
		if err := d.Read(have[p], to[p]); err != nil {
			t.Fatal(err)
		}
		var bytesOf []byte
		for q := range parts {
			bytesOf = append(bytesOf, bytes.Repeat([]byte{byte(q + 1)}, size)...)
		}
		want = append(want, bytesOf)
	}
	return have, want
}

func (j *job) exchanges(t *testing.T, parts []device.Device) {
	t.Helper()
	have, want := exchanged(t, parts)
	for p := range have {
		if !bytes.Equal(have[p], want[p]) {
			t.Errorf("part %d has other bytes than were sent", p)
		}
	}
}

func TestRanksExchange(t *testing.T) {
	j := start(t, 3, nil)
	parts := j.open(t)
	j.exchanges(t, parts)
	j.exchanges(t, parts)
	j.Bye(3)
	for k := 1; k < 3; k++ {
		if err := <-j.served[k]; err != nil || j.codes[k] != 3 {
			t.Errorf("rank %d: code %d: %v", k, j.codes[k], err)
		}
	}
}

// An error of a call that is not waited for comes with the next answer, once.
func TestLateErrors(t *testing.T) {
	j := start(t, 2, nil)
	defer j.Bye(0)
	far := j.open(t)[1]
	if err := far.Release(12345); err != nil {
		t.Errorf("it waits: %v", err)
	}
	if _, err := far.Alloc(8); err == nil || !strings.Contains(err.Error(), "was not allocated here") {
		t.Errorf("the error is lost: %v", err)
	}
	at, err := far.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := far.Time(func() error { return far.Launch("hz_nothing", at, at, 1) }); err == nil || !strings.Contains(err.Error(), "unknown kernel hz_nothing") {
		t.Errorf("within Time: %v", err)
	}
	if err := errors.Join(far.Write(at, []byte("8 bytes!")), far.Prepare(), far.Release(at)); err != nil {
		t.Error(err)
	}
}

// The device of a rank may be missing.
func TestNoDevice(t *testing.T) {
	j := start(t, 2, nil)
	defer j.Bye(0)
	if _, err := j.Open("ranks:cuda", "cuda", device.Options{}); err == nil || err.Error() != "rank 0 of 2: rank 0 has no cuda" {
		t.Errorf("%v", err)
	}
}

// A rank that is gone ends all others, with its name.
func TestGone(t *testing.T) {
	j := start(t, 3, nil)
	parts := j.open(t)
	j.others[1].hangUp()
	const want = "rank 1 of 3 is gone: its process ended or its host is out of reach"
	if err := <-j.served[2]; err == nil || err.Error() != want {
		t.Errorf("rank 2: %v", err)
	}
	if _, err := parts[2].Free(); err == nil || err.Error() != want {
		t.Errorf("rank 0: %v", err)
	}
	if err := <-j.ended; err == nil || err.Error() != want {
		t.Errorf("the run does not end: %v", err)
	}
}

// Rank 0 may be the one that is gone.
func TestGoneFirst(t *testing.T) {
	j := start(t, 2, nil)
	j.hangUp()
	if err := <-j.served[1]; err == nil || !strings.HasPrefix(err.Error(), "rank 0 of 2 is gone: ") {
		t.Errorf("%v", err)
	}
}

// A peer without the job's secret is rejected, and the job goes on.
func TestStrangers(t *testing.T) {
	m := &Mesh{Options: Options{Place: Place{Ranks: 2}}, secret: "of the job", control: make([]*link, 2)}
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	joined := make(chan error, 2)
	go func() {
		for _, secret := range []string{"another", "of the job"} {
			c, err := net.Dial("tcp", at.Addr().String())
			if err != nil {
				joined <- err
				continue
			}
			joined <- newLink(c).greet(secret, hello{Rank: 1, Ranks: 2, Build: build()})
		}
	}()
	l, h, err := m.accept(at, time.Now().Add(10*time.Second), m.takesControl)
	if err != nil || h.Rank != 1 {
		t.Fatalf("%+v: %v", h, err)
	}
	defer l.Close()
	if err := <-joined; err == nil {
		t.Error("a stranger may join")
	}
	if err := <-joined; err != nil {
		t.Error(err)
	}
}

// Requests that rank 0 refuses, with the reasons.
func TestRefused(t *testing.T) {
	m := &Mesh{Options: Options{Place: Place{Ranks: 3}}, control: make([]*link, 3)}
	m.control[2] = &link{}
	for want, h := range map[string]hello{
		"rank 1 says that there are 2 ranks, rank 0 that there are 3": {Rank: 1, Ranks: 2},
		"rank 2 came twice":                        {Rank: 2, Ranks: 3, Build: build()},
		"rank 1 runs another build of the program": {Rank: 1, Ranks: 3, Build: "old"},
	} {
		if err := m.takesControl(h); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; it should say %q", err, want)
		}
	}
	if err := m.takesControl(hello{Rank: 1, Ranks: 3, Build: build()}); err != nil {
		t.Error(err)
	}
}

// shared is a library by which ranks of one process exchange.
type shared struct {
	broken  bool
	version string
	used    chan int
	between map[[2]int]chan []byte
	mutex   sync.Mutex
}

func (s *shared) Name() string        { return "shared memory" + s.version }
func (s *shared) ID() ([]byte, error) { return []byte("id"), nil }

func (s *shared) Join(d device.Device, id []byte, rank, ranks int) (device.Comm, error) {
	if s.broken && rank == 1 {
		return nil, errors.New("duplicate GPU")
	}
	return &sharing{s, d, rank}, nil
}

func (s *shared) way(from, to int) chan []byte {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.between[[2]int{from, to}] == nil {
		s.between[[2]int{from, to}] = make(chan []byte, 8)
	}
	return s.between[[2]int{from, to}]
}

type sharing struct {
	*shared
	dev  device.Device
	rank int
}

func (s *sharing) Abort() {}

func (s *sharing) Exchange(moves []device.Move) error {
	s.used <- s.rank
	for _, m := range moves {
		if m.Send {
			data := make([]byte, m.Bytes)
			if err := s.dev.Read(data, m.At); err != nil {
				return err
			}
			s.way(s.rank, m.Peer) <- data
		}
	}
	for _, m := range moves {
		if !m.Send {
			if err := s.dev.Write(m.At, <-s.way(m.Peer, s.rank)); err != nil {
				return err
			}
		}
	}
	return nil
}

// With a library that all ranks can use, exchanges are its own; otherwise the name of the device says why not.
func TestLibrary(t *testing.T) {
	for _, broken := range []bool{false, true} {
		s := &shared{broken: broken, used: make(chan int, 8), between: map[[2]int]chan []byte{}}
		j := start(t, 2, s)
		parts := j.open(t)
		j.exchanges(t, parts)
		want, uses := "shared memory", 2
		if broken {
			want, uses = "TCP (rank 1: duplicate GPU)", 0
		}
		if j.how != want || len(s.used) != uses {
			t.Errorf("it exchanges by %s, %d ranks by the library; it should be %s", j.how, len(s.used), want)
		}
		j.Bye(0)
	}
}

// A rank that joins waits for the others, so nobody does before all have said that they have the library. Ranks that
// wait for each other anyway end the run.
func TestNobodyJoinsAlone(t *testing.T) {
	alone := errors.New("rank 0 joined, and waits for rank 1")
	for _, c := range []struct {
		other    func(string) (device.Library, error)
		how, err string
	}{
		{func(string) (device.Library, error) { return nil, errors.New("no such library") }, "TCP (rank 1: no such library)", ""},
		{func(string) (device.Library, error) { return &shared{version: " 2"}, nil },
			"TCP (rank 1: it has shared memory 2, and rank 0 has waits)", ""},
		{func(string) (device.Library, error) { return waits{release: make(chan struct{})}, nil }, "", "waits: the ranks did not join; hint: --nccl none"},
	} {
		release := make(chan struct{})
		j := start(t, 2, waits{alone, release})
		j.others[1].Library, j.Wait = c.other, time.Second/10
		_, err := j.Open("ranks:cpu", "cpu", device.Options{})
		if c.err == "" && err != nil || c.err != "" && (err == nil || err.Error() != c.err) || j.how != c.how {
			t.Errorf("it exchanges by %q: %v, want %q: %s", j.how, err, c.how, c.err)
		}
		close(release)
		j.Bye(0)
	}
}

// waits is a library that joins when it is released.
type waits struct {
	err     error
	release chan struct{}
}

func (w waits) Name() string        { return "waits" }
func (w waits) ID() ([]byte, error) { return []byte("id"), nil }

func (w waits) Join(device.Device, []byte, int, int) (device.Comm, error) {
	<-w.release
	return nil, w.err
}

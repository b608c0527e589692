package ranks

import (
	"errors"
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
)

// remote is the device of another rank, as rank 0 sees it. Calls that only give an error do not wait for it: it comes
// with the next answer. What the clock measures is sent as a whole, so the way to the rank does not count.
type remote struct {
	mesh    *Mesh
	rank    int
	info    device.Info
	to      *link
	answers chan answer
	timing  bool
	sent    uint64 // exchanges since the clock began
	laps    device.Laps
}

// post sends a command and does not wait.
func (r *remote) post(c command) error {
	if err := r.mesh.Gone(); err != nil {
		return err
	}
	if err := r.to.send(c, !r.timing || c.Ask); err != nil {
		return r.mesh.lose(r.rank, err)
	}
	return nil
}

// ask sends a command and waits for its answer.
func (r *remote) ask(c command) (answer, error) {
	c.Ask = true
	if err := r.post(c); err != nil {
		return answer{}, err
	}
	select {
	case a := <-r.answers:
		if a.Err != "" {
			return a, errors.New(a.Err)
		}
		return a, nil
	case <-r.mesh.lost:
		return answer{}, r.mesh.Gone()
	}
}

func (r *remote) Info() device.Info { return r.info }

func (r *remote) Free() (int64, error) {
	a, err := r.ask(command{Verb: opFree})
	return a.Bytes, err
}

func (r *remote) Alloc(bytes int64) (device.Addr, error) {
	a, err := r.ask(command{Verb: opAlloc, Bytes: bytes})
	return a.At, err
}

func (r *remote) AllocHost(bytes int64) (device.Addr, error) {
	a, err := r.ask(command{Verb: opAllocHost, Bytes: bytes})
	return a.At, err
}

func (r *remote) Release(at device.Addr) error { return r.post(command{Verb: opRelease, At: at}) }

func (r *remote) Set(at device.Addr, value byte, bytes int64) error {
	return r.post(command{Verb: opSet, At: at, Value: value, Bytes: bytes})
}

func (r *remote) Write(at device.Addr, src []byte) error {
	for len(src) > 0 {
		part := src[:min(len(src), most)]
		if err := r.post(command{Verb: opWrite, At: at, Data: part}); err != nil {
			return err
		}
		at, src = at+device.Addr(len(part)), src[len(part):]
	}
	return nil
}

func (r *remote) Read(dst []byte, at device.Addr) error {
	for len(dst) > 0 {
		part := dst[:min(len(dst), most)]
		a, err := r.ask(command{Verb: opRead, At: at, Bytes: int64(len(part))})
		if err != nil {
			return err
		}
		copy(part, a.Data)
		at, dst = at+device.Addr(len(part)), dst[len(part):]
	}
	return nil
}

func (r *remote) Prepare(kernels ...string) error {
	_, err := r.ask(command{Verb: opPrepare, Names: kernels})
	return err
}

func (r *remote) Launch(kernel string, table, batch device.Addr, count uint64) error {
	return r.post(command{Verb: opLaunch, Name: kernel, At: table, To: batch, Count: count})
}

func (r *remote) Call(kernel string, table, batch []byte, count uint64) error {
	return r.post(command{Verb: opCall, Name: kernel, Data: table, More: batch, Count: count})
}

func (r *remote) Time(f func() error) (time.Duration, error) {
	r.timing, r.sent = true, 0
	failed := errors.Join(r.post(command{Verb: opBegin}), f())
	r.timing = false
	a, err := r.ask(command{Verb: opEnd})
	if failed != nil {
		return 0, failed
	}
	r.laps = a.Laps
	return a.Took, err
}

func (r *remote) Lap(lap int, f func() error) error {
	return errors.Join(r.post(command{Verb: opLap, Lap: lap}), f(), r.post(command{Verb: opLapped}))
}

func (r *remote) Laps() device.Laps { return r.laps }

// Exchange has the rank do its side of all copies.
func (r *remote) Exchange(lap int, all [][]device.Copy, part int) (arrived func() error, err error) {
	number := r.sent
	r.sent++
	err = r.post(command{Verb: opExchange, Moves: moves(all, part), Lap: lap})
	return func() error { return r.post(command{Verb: opArrive, Count: number}) }, err
}

// SurvivesHang returns false: a rank does one thing after the other.
func (r *remote) SurvivesHang() bool { return false }

func (r *remote) Close() error {
	if r.mesh.Gone() != nil {
		return nil
	}
	return r.post(command{Verb: opClose}) // without an answer: a kernel may hang there
}

// hears reads the answers of the rank until it is gone.
func (r *remote) hears() {
	for {
		_ = r.to.SetReadDeadline(time.Now().Add(silence))
		var a answer
		switch err := r.to.dec.Decode(&a); {
		case err != nil:
			_ = r.mesh.lose(r.rank, err)
			return
		case a.Fatal != "":
			_ = r.mesh.lose(r.rank, errors.New(a.Fatal))
			return
		case !a.Beat:
			r.answers <- a
		}
	}
}

// local is the device of rank 0 as a part of the group.
type local struct {
	device.Device
	mesh *Mesh
}

// Exchange does this rank's side of all copies.
func (l local) Exchange(lap int, all [][]device.Copy, part int) (arrived func() error, err error) {
	arrived, err = l.mesh.local.exchange(lap, moves(all, part))
	if err == nil {
		return arrived, nil
	}
	return nil, l.mesh.broken(err)
}

package sweep

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
)

// Worker starts a process that carries out points on a device: its arguments end a command line of this program.
type Worker func(folder, device string) (arguments []string)

// Outcome is the end of a point: done or failed.
type Outcome struct {
	Ref
	Failed  string // why; empty if it is done
	Seconds float64
}

// Local carries out points on devices of this machine, on each in a process, with a new one after it if it ends early.
// What failed is written down, and the next points go on. It returns an error when nothing more can be done.
func (s Sweep) Local(ctx context.Context, points []Ref, devices []string, w Worker, hear func(Outcome)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	left := make(chan Ref, len(points))
	for _, p := range points {
		left <- p
	}
	var all sync.WaitGroup
	var one sync.Mutex
	errs := make([]error, len(devices))
	for i, device := range devices {
		all.Go(func() {
			p := &process{sweep: s, left: left, hear: func(o Outcome) {
				one.Lock()
				defer one.Unlock()
				hear(o)
			}}
			for errs[i] == nil && p.next() {
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

// process is the process of a worker, or one after the other.
type process struct {
	sweep Sweep
	left  chan Ref // points that none was given, for all workers
	hear  func(Outcome)
	names io.WriteCloser // its standard input: points to carry out
	point *Ref           // that it is given and has not reported; nil: none
	begun bool           // it has begun this point
	taken bool           // it has reported a point
	stop  string         // why it takes no more
}

func (p *process) run(ctx context.Context, arguments []string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	runtime.LockOSThread() // Pdeathsig is sent when the thread ends that started the process
	defer runtime.UnlockOSThread()
	c := exec.CommandContext(ctx, program, arguments...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	var trouble bytes.Buffer
	c.Stderr = &trouble
	out, err := c.StdoutPipe()
	if err == nil {
		p.names, err = c.StdinPipe()
	}
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return err
	}
	p.taken, p.stop = false, ""
	p.give()
	listening := p.listen(out)
	ended := c.Wait()
	return cmp.Or(ctx.Err(), listening, p.end(ended, lastLine(trouble.String())))
}

// next takes a point, if there is one left.
func (p *process) next() bool {
	select {
	case point := <-p.left:
		p.point = &point
	default:
		p.point = nil
	}
	return p.point != nil
}

// give names its point to the process. If that has ended, it does not report the point.
func (p *process) give() {
	p.begun = false
	_, _ = fmt.Fprintln(p.names, p.point.Name)
}

// listen reads the reports of the process until it ends, and gives it a point after each.
func (p *process) listen(out io.Reader) error {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var r report
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue // a line that the end of the process cut off
		}
		switch {
		case r.Stop != "":
			p.stop = r.Stop
		case r.Begun:
			p.begun = true
		default:
			err := p.ended(r.Why, r.Seconds)
			if err == nil && p.next() {
				p.give()
				continue
			}
			_ = p.names.Close()
			return err
		}
	}
	return nil
}

// ended notes the outcome of the point.
func (p *process) ended(why string, seconds float64) error {
	point := *p.point
	p.point, p.taken = nil, true
	p.hear(Outcome{point, why, seconds})
	if why != "" {
		return regular.WriteText(p.sweep.failure(point.Name), point.Title+": "+why+"\n")
	}
	return os.RemoveAll(p.sweep.failure(point.Name))
}

// end says what the end of the process means.
func (p *process) end(ended error, said string) error {
	switch {
	case p.stop != "":
		return errors.New(p.stop)
	case p.point == nil:
		return nil
	case p.begun:
		return p.ended(fmt.Sprintf("its process ended: %v%s", ended, said), 0)
	case p.taken: // the device was given up after a point; a new process can go on
		p.left <- *p.point
		return nil
	}
	return fmt.Errorf("a worker does not start%s", said)
}

// lastLine is ": " and the last line of a text, if it has one.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	line := strings.TrimPrefix(text[strings.LastIndex(text, "\n")+1:], "hashzoo: ")
	return lists.Either(line == "", "", ": "+line)
}

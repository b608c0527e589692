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
	"syscall"

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

// process is one process of a worker.
type process struct {
	sweep Sweep
	queue *queue
	names io.WriteCloser // its standard input: points to carry out
	point *Ref           // that it was given and has not reported; nil: none
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
	p.give(*p.point)
	listening := p.listen(out)
	ended := c.Wait()
	return cmp.Or(ctx.Err(), listening, p.end(ended, lastLine(trouble.String())))
}

// give names a point to the process. If that has ended, it does not report the point.
func (p *process) give(point Ref) {
	p.point, p.begun = &point, false
	_, _ = fmt.Fprintln(p.names, point.Name)
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
			if next, ok := p.queue.next(); ok && err == nil {
				p.give(next)
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
	p.queue.ended(Outcome{point, why, seconds})
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
		p.queue.back(*p.point)
		return nil
	}
	return fmt.Errorf("a worker does not start%s", said)
}

// lastLine is ": " and the last line of a text, if it has one.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	line := strings.TrimPrefix(text[strings.LastIndex(text, "\n")+1:], "hashzoo: ")
	if line == "" {
		return ""
	}
	return ": " + line
}

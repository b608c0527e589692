package sweep

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
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
	left  []Ref          // points that it was given and has not reported
	begun string         // the name of the last point that it began
	taken int            // outcomes
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
	p.name(p.left[0])
	listening := p.listen(out)
	ended := c.Wait()
	err = p.end(ctx, listening, ended, lastLine(trouble.String()))
	p.queue.back(p.left)
	return err
}

// name tells the process the name of a point. If the process has ended, the point is left.
func (p *process) name(point Ref) { _, _ = fmt.Fprintln(p.names, point.Name) }

// give gives the process another point while it carries out the last one, so that it need not wait for it.
func (p *process) give() {
	point, ok := p.queue.next()
	if !ok {
		_ = p.names.Close()
		return
	}
	p.left = append(p.left, point)
	p.name(point)
}

// listen reads the reports of the process until it ends.
func (p *process) listen(out io.Reader) error {
	var failure error
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var r report
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue // a line that the end of the process cut off
		}
		switch name := r.Done + r.Failed; {
		case r.Stop != "":
			p.stop = r.Stop
		case name != "":
			failure = errors.Join(failure, p.take(name, r.Why, r.Seconds))
		default:
			p.begun = r.Begun
			p.give()
		}
	}
	return failure
}

// at is the index of a point among those that are left; negative if it is not there.
func (p *process) at(name string) int {
	return slices.IndexFunc(p.left, func(r Ref) bool { return r.Name == name })
}

// take takes the outcome of a point. The one before it may still be left, because results are written meanwhile.
func (p *process) take(name, why string, seconds float64) error {
	i := p.at(name)
	if i < 0 {
		return nil
	}
	point := p.left[i]
	p.left[i] = p.left[0]
	p.left, p.taken = p.left[1:], p.taken+1
	var err error
	if why != "" {
		err = regular.WriteText(p.sweep.failure(point.Name), point.Title+": "+why+"\n")
	} else {
		err = os.RemoveAll(p.sweep.failure(point.Name))
	}
	p.queue.ended(Outcome{point, why, seconds})
	return err
}

// end says what the end of the process means.
func (p *process) end(ctx context.Context, listening, ended error, said string) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case listening != nil:
		return listening
	case p.stop != "":
		return errors.New(p.stop)
	case len(p.left) == 0:
		return nil
	case p.at(p.begun) >= 0:
		return p.take(p.begun, fmt.Sprintf("its process ended: %v%s", ended, said), 0)
	case p.taken > 0: // the device was given up after a point; a new process can go on
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

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

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
)

// Worker starts a process that carries out points on a device: its arguments end a command line of this program.
type Worker func(folder, device string) (arguments []string)

// Outcome is how a point ended.
type Outcome struct {
	Ref
	Failed  string // why; empty if it is done
	Seconds float64
}

// Supervise carries out points in processes of their own, one after the other. What failed is written down, and the
// next points go on. It returns an error when nothing more can be done.
func (s Sweep) Supervise(ctx context.Context, points []Ref, device string, w Worker, hear func(Outcome)) error {
	points = slices.Clone(points)
	for len(points) > 0 {
		p := &process{sweep: s, left: points, hear: hear}
		if err := p.run(ctx, w(string(s.Folder), device)); err != nil {
			return err
		}
		points = p.left
	}
	return nil
}

// process is one process of a worker.
type process struct {
	sweep Sweep
	left  []Ref // that it has not reported yet
	hear  func(Outcome)
	begun string // the name of the last point that it began
	taken int    // outcomes
	stop  string // why it takes no more
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
	c.Stdin = strings.NewReader(strings.Join(lists.Map(p.left, func(p Ref) string { return p.Name }), "\n"))
	var trouble bytes.Buffer
	c.Stderr = &trouble
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return err
	}
	listening := p.listen(out)
	ended := c.Wait()
	return p.end(ctx, listening, ended, lastLine(trouble.String()))
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
		}
	}
	return failure
}

// at is where a point is among those that are left; negative if it is not.
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
	p.hear(Outcome{point, why, seconds})
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

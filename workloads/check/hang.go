package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// A check hangs if it still runs after the schemes that ship have passed it many times beside it. A busy machine slows
// both. Those run on a CPU, which says little of a GPU that others use, so on a GPU a check must not launch another
// kernel meanwhile. A host side that launches for ever is found on a CPU.
const (
	grace = 10 * time.Second // how long a check runs before it is compared; with wide values some take five
	many  = 50
)

// forever is the time limit of batches: hangs are noticed here.
const forever = 1 << 62

// moment describes the current action of a check.
type moment struct {
	trying atomic.Pointer[Finding]
	kernel atomic.Pointer[string] // nil: none was launched, or it has ended
	count  atomic.Int64           // of launches
}

func (m *moment) launches(kernel string) {
	m.kernel.Store(&kernel)
	m.count.Add(1)
}

// hang is a check that does not end.
type hang struct {
	Finding
	kernel string // empty: none runs
}

func (h *hang) Error() string {
	op, where := "the check", "between kernels"
	for _, name := range kernels.Ops {
		if strings.HasSuffix(strings.TrimSuffix(h.kernel, "_counted"), "_"+name) {
			op = name
		}
	}
	if h.kernel != "" {
		where = "kernel " + h.kernel
	}
	return fmt.Sprintf("%s hangs: %s still ran when schemes that ship had passed this check %d times beside it", op, where, many)
}

// noted is a device that notes the kernel it runs.
type noted struct {
	device.Device
	now *moment
}

func (d noted) Call(kernel string, table, batch []byte, count uint64) error {
	d.now.launches(kernel)
	return d.Device.Call(kernel, table, batch, count)
}

func (d noted) Launch(kernel string, table, batch device.Addr, count uint64) error {
	d.now.launches(kernel)
	return d.Device.Launch(kernel, table, batch, count)
}

// Parts are those of the device, noted too.
func (d noted) Parts() []device.Device {
	return lists.Map(device.PartsOf(d.Device), func(p device.Device) device.Device { return noted{p, d.now} })
}

func (d noted) Unwrap() device.Device { return d.Device }

// Time and Read wait for the kernels before them.
func (d noted) Time(f func() error) (time.Duration, error) {
	defer d.now.kernel.Store(nil)
	return d.Device.Time(f)
}

func (d noted) Read(dst []byte, at device.Addr) error {
	defer d.now.kernel.Store(nil)
	return d.Device.Read(dst, at)
}

// within carries out a step. If one of its checks hangs, it returns a *hang.
func (p Plan) within(s step) ([]Finding, error) {
	done := make(chan []Finding, 1)
	go func() { done <- s.do() }()
	for {
		trying := p.now.trying.Load()
		select {
		case findings := <-done:
			return findings, nil
		case <-time.After(cmp.Or(p.grace, grace)):
		}
		launches := p.now.count.Load()
		over := func() bool { // compiling takes seconds and is no hang
			return len(done) > 0 || kernels.Obtaining() || p.now.trying.Load() != trying || !isCPU(p.Device) && p.now.count.Load() != launches
		}
		if trying != nil && p.outrun(s.what, *trying, over) {
			return nil, &hang{*trying, *cmp.Or(p.now.kernel.Load(), new(string))}
		}
	}
}

// outrun runs a check on the schemes that ship until it ends by itself, and reports whether they
// passed it many times before that.
func (p Plan) outrun(what string, f Finding, over func() bool) bool {
	name, threads := p.Device.Info().Name, p.Device.Info().Threads
	if !isCPU(p.Device) {
		name, threads = "cpu", 0 // nothing else runs on a GPU that hangs
	}
	dev, err := devices.Open(name, device.Options{Threads: threads})
	if err != nil {
		return false
	}
	defer dev.Close()
	p.now, p.hear = &moment{}, func(Event) {}
	p.Device, p.Part, p.Rung, p.Pair = noted{dev, p.now}, f.Part, f.Rung, ""
	for passed, before := 0, -1; passed < many; {
		if before == passed {
			return false // none can say
		}
		before = passed
		for _, s := range schemes.All() {
			if over() {
				return false
			}
			if p.Targets = []Target{{Scheme: s}}; s.Plugin == nil && p.passes(what) {
				passed++
			}
		}
	}
	return !over()
}

// passes carries out the step with that name, or the last one of the plan if the name has a
// scheme in it, and reports whether something passed.
func (p Plan) passes(what string) bool {
	steps, _ := p.steps()
	if same := slices.IndexFunc(steps, func(s step) bool { return s.what == what }); same >= 0 {
		steps = steps[same : same+1]
	}
	return len(steps) > 0 && slices.ContainsFunc(steps[len(steps)-1].do(), func(f Finding) bool { return f.Status == Passed })
}

// Tell carries out a plan as Run does, and writes its events as lines of JSON. In a process of its own, a kernel
// that writes where it must not ends only that process.
func Tell(ctx context.Context, p Plan, w io.Writer) error {
	lines := json.NewEncoder(w)
	end := Event{Ended: true}
	// If a line does not arrive, the next one ends the process, as with any pipe.
	err := p.carryOut(ctx, func(e Event) { _ = lines.Encode(e) })
	if errors.As(err, new(*hang)) { // the process ends with its kernel, as if that had crashed
		_ = lines.Encode(Event{Hung: true})
		fmt.Fprintln(os.Stderr, Fault+err.Error())
		return err
	}
	if err != nil {
		end.Error = err.Error()
	}
	return lines.Encode(end)
}

// RunApart carries out a plan in processes that Tell, made to start at a step. Where one dies, what it was trying
// has failed, and another one continues with the next step. A configuration in which something hangs is not checked any
// further, because what follows would most likely hang, too.
func RunApart(ctx context.Context, p Plan, process func(from int, skip []string) *exec.Cmd, hear Listener) error {
	var skip []string
	for from := 0; ; {
		w := watch{hear: hear}
		died, err := w.process(process(from, skip))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || died == "":
			return err
		case w.now == nil:
			return fmt.Errorf("the process that checks ended before it did anything: %s", died)
		}
		if w.hung && w.trying.Config != "" {
			skip, died = append(skip, w.trying.Config), died+"; it is not checked any further"
		}
		hear(Event{Finding: new(p.complete(w.trying.outcome(errors.New(died))))})
		from = w.now.Done + 1
		if from == w.now.Of {
			return nil
		}
	}
}

// watch listens to one process.
type watch struct {
	hear   Listener
	now    *Step
	trying Finding
	hung   bool
}

func (w *watch) process(c *exec.Cmd) (died string, err error) {
	var said bytes.Buffer
	c.Stderr = &said
	lines, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return "", err
	}
	ended, err := w.listen(lines)
	if waited := c.Wait(); !ended {
		died = lastWords(said.String(), waited)
	}
	return died, err
}

func (w *watch) listen(r io.Reader) (ended bool, err error) {
	events := json.NewDecoder(r)
	for {
		var e Event
		if events.Decode(&e) != nil {
			return ended, nil // a truncated event does not count
		}
		switch {
		case e.Error != "":
			return true, errors.New(e.Error)
		case e.Ended:
			ended = true
			continue
		case e.Hung:
			w.hung = true
			continue
		case e.Now != nil:
			w.now, w.trying = e.Now, Finding{Part: "verbs", What: e.Now.What}
		case e.Trying != nil:
			w.trying = *e.Trying
		}
		w.hear(e)
	}
}

// lastWords is the reason that a dead process printed: a memory fault, or the first line of Go's runtime.
func lastWords(said string, waited error) string {
	for line := range strings.Lines(said) {
		if text, ok := strings.CutPrefix(line, Fault); ok {
			return strings.TrimSpace(text)
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if waited != nil {
		first = cmp.Or(first, waited.Error())
	}
	return "the process died: " + first
}

// Fault starts the line that says which guarded memory a kernel touched.
const Fault = "fault: "

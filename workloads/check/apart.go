package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// A check may run in a process of its own, so that a kernel that writes where it must not
// ends that process, and not the program that asked for the check. The process writes its
// events as lines of JSON.

// Tell carries out a plan as Run does, and writes its events.
func Tell(ctx context.Context, p Plan, w io.Writer) error {
	lines := json.NewEncoder(w)
	end := Event{Ended: true}
	// If a line does not arrive, the next one ends the process, as with any pipe.
	if err := Run(ctx, p, func(e Event) { _ = lines.Encode(e) }); err != nil {
		end.Error = err.Error()
	}
	return lines.Encode(end)
}

// RunApart carries out a plan in processes that Tell. The function makes one that starts at
// a step. Where a process dies, what it was trying has failed, and another one continues
// with the next step.
func RunApart(ctx context.Context, p Plan, process func(from int) *exec.Cmd, hear Listener) error {
	for from := 0; ; {
		w := watch{hear: hear}
		died, err := w.process(process(from))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || died == "" {
			return err
		}
		if w.now == nil {
			return fmt.Errorf("the process that checks ended before it did anything: %s", died)
		}
		f := p.complete(w.trying.outcome(errors.New(died)))
		hear(Event{Finding: &f})
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
}

// process runs one to its end, and says why it died if it did not get there.
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

// listen reads events until there are no more.
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
		case e.Now != nil:
			w.now, w.trying = e.Now, Finding{Part: "verbs", What: e.Now.What}
		case e.Trying != nil:
			w.trying = *e.Trying
		}
		w.hear(e)
	}
}

// lastWords is what a process said when it died: the line of a memory fault, or the first
// that Go's runtime writes.
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

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
	"strings"
)

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

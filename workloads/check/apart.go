package check

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// A check may be carried out by a process of its own, which a kernel that writes where it
// must not ends, and not the program that asked for it. That process tells what happens
// by lines of JSON.

// told is such a line, of which one thing is there.
type told struct {
	Now     *now     `json:"now,omitempty"`
	Trying  *Finding `json:"trying,omitempty"`
	Finding *Finding `json:"finding,omitempty"`
	Error   string   `json:"error,omitempty"`
	Ended   bool     `json:"ended,omitempty"`
}

type now struct {
	What string `json:"what"`
	Done int    `json:"done"`
	Of   int    `json:"of"`
}

// Tell carries out a plan as Run does, and tells of it in lines.
func Tell(ctx context.Context, p Plan, w io.Writer) error {
	t := teller{json.NewEncoder(w)}
	end := told{Ended: true}
	if err := Run(ctx, p, t); err != nil {
		end.Error = err.Error()
	}
	return t.to.Encode(end)
}

type teller struct{ to *json.Encoder }

// A line that does not arrive ends the process at the next one, as for any pipe.
func (t teller) Finding(f Finding)             { _ = t.to.Encode(told{Finding: &f}) }
func (t teller) Trying(f Finding)              { _ = t.to.Encode(told{Trying: &f}) }
func (t teller) Now(what string, done, of int) { _ = t.to.Encode(told{Now: &now{what, done, of}}) }

// RunApart carries out a plan by processes that Tell. The function makes one that starts
// at a step. Where one of them dies, what was tried has failed, and another one goes on
// with the next step.
func RunApart(ctx context.Context, p Plan, process func(from int) *exec.Cmd, to Listener) error {
	for from := 0; ; {
		w := watch{to: to, plan: p}
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
		to.Finding(p.complete(w.fallen(died)))
		from = w.now.Done + 1
		if from == w.now.Of {
			return nil
		}
	}
}

// watch listens to one process.
type watch struct {
	to     Listener
	plan   Plan
	now    *now
	trying *Finding
}

// process runs one to its end, and says of what it died if it did not come to it.
func (w *watch) process(c *exec.Cmd) (died string, err error) {
	var said bytes.Buffer
	c.Stderr = &said
	lines, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	ended, err := w.hear(lines)
	waited := c.Wait()
	if ended || err != nil {
		return "", err
	}
	return lastWords(said.String(), waited), nil
}

// hear reads lines until there are no more.
func (w *watch) hear(r io.Reader) (ended bool, err error) {
	lines := bufio.NewReader(r)
	for {
		line, read := lines.ReadBytes('\n')
		var t told
		if read != nil || json.Unmarshal(line, &t) != nil {
			return ended, nil // what is cut off is not there
		}
		switch {
		case t.Now != nil:
			w.now, w.trying = t.Now, nil
			w.to.Now(t.Now.What, t.Now.Done, t.Now.Of)
		case t.Trying != nil:
			w.trying = t.Trying
		case t.Finding != nil:
			w.to.Finding(*t.Finding)
		case t.Error != "":
			return true, errors.New(t.Error)
		}
		ended = ended || t.Ended
	}
}

// fallen is what was being tried when a process died.
func (w *watch) fallen(why string) Finding {
	f := Finding{Part: "verbs", What: w.now.What}
	if w.trying != nil {
		f = *w.trying
	}
	f.Status, f.Why = Failed, why
	return f
}

// lastWords are what a process said when it died: a line of the guard of memory, or the
// first that Go's runtime writes.
func lastWords(said string, waited error) string {
	for line := range strings.Lines(said) {
		if text, ok := strings.CutPrefix(line, Fault); ok {
			return strings.TrimSpace(text)
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if first == "" && waited != nil {
		first = waited.Error()
	}
	return "the process died: " + first
}

// Fault is how a line begins that says what a kernel did where memory is guarded.
const Fault = "fault: "

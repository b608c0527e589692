package sweep

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/regular"
)

// report is what a worker says on a line of its standard output.
type report struct {
	Begun   string  `json:"begun,omitempty"` // the name of a point
	Done    string  `json:"done,omitempty"`
	Failed  string  `json:"failed,omitempty"`
	Why     string  `json:"why,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Stop    string  `json:"stop,omitempty"` // why the worker takes no further point
}

// changed is why a worker does not find a point.
const changed = "the script, a file of it, a setting or the program has changed since the sweep began; hint: run the sweep again"

// Serve carries out those of the points whose names are the lines of `in`, and says on `out` how each went. It is
// the whole work of a process, because a kernel may end its process or never end.
func (f Folder) Serve(ctx context.Context, points []Point, device string, in io.Reader, out io.Writer) error {
	known := map[string]Point{}
	for _, p := range points {
		known[p.Name] = p
	}
	say := json.NewEncoder(out)
	for names := bufio.NewScanner(in); names.Scan() && ctx.Err() == nil; {
		p, ok := known[names.Text()]
		if !ok {
			return say.Encode(report{Stop: changed})
		}
		if err := say.Encode(report{Begun: p.Name}); err != nil {
			return err
		}
		began := time.Now()
		err := f.measure(ctx, p, device)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if said := say.Encode(outcome(p, err, time.Since(began))); said != nil {
			return said
		}
		if stops(err) {
			return err
		}
	}
	return ctx.Err()
}

func outcome(p Point, err error, took time.Duration) report {
	switch {
	case err == nil:
		return report{Done: p.Name, Seconds: took.Seconds()}
	case errors.As(err, new(*regular.Failure)):
		return report{Stop: oneLine(err)}
	}
	return report{Failed: p.Name, Why: oneLine(err), Seconds: took.Seconds()}
}

// stops reports whether no further point can be carried out: files cannot be written, or the device is still busy.
func stops(err error) bool {
	return errors.As(err, new(*regular.Failure)) || errors.As(err, new(*engine.HangError))
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

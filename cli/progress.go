package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// progress is a status line on a terminal. Elsewhere it prints nothing.
type progress struct {
	mutex    sync.Mutex
	all      io.Writer // for lines that stay
	out      io.Writer // for the status line; nil without a terminal
	width    int
	shown    time.Time
	stopping bool
}

// newProgress shows progress until the returned function is called. When the context is
// canceled, the line says that the run is about to stop, and how to stop at once.
func newProgress(ctx context.Context, env *Env, quiet bool) (p *progress, end func()) {
	p = &progress{all: env.Err}
	file, ok := env.Err.(*os.File)
	if quiet || !ok || !term.IsTerminal(file.Fd()) {
		return p, func() {}
	}
	if width, _, err := term.GetSize(file.Fd()); err == nil {
		p.out, p.width = env.Err, width
	}
	release := context.AfterFunc(ctx, p.stop)
	return p, func() { release(); p.write("") }
}

// say replaces the line, at a readable rate.
func (p *progress) say(what string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.stopping || time.Since(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = time.Now()
	p.write(what)
}

func (p *progress) stop() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.stopping = true
	p.write("stopping after this batch; interrupt again to stop at once")
}

// above writes a permanent line above the status line.
func (p *progress) above(line string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.write("")
	fmt.Fprintln(p.all, line)
}

func (p *progress) write(what string) {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K"+ansi.Truncate(what, p.width-1, ""))
	}
}

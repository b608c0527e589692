package cli

import (
	"bytes"
	"testing"
	"time"
)

// Off a terminal there is a line now and then, without control characters, unless --quiet.
func TestProgressOffATerminal(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		var out bytes.Buffer
		p, end := newProgress(t.Context(), &Env{Err: &out}, quiet)
		p.say("too early")
		p.shown = time.Now().Add(-2 * tells)
		p.say("a\x1b]0;evil\a line")
		p.say("too early again")
		end()
		if want := "a?]0;evil? line\n"; !quiet && out.String() != want || quiet && out.Len() > 0 {
			t.Errorf("quiet %v: %q", quiet, out.String())
		}
	}
}

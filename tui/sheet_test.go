package tui

import (
	"fmt"
	"io"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// paper is a terminal as far as frames make use of one: it goes to a place, changes the look,
// and writes.
type paper struct {
	w, h   int
	cells  []string // the look and the character; of the second half of a wide one nothing
	x, y   int
	look   string
	cursor bool
}

func (p *paper) Write(text []byte) (int, error) {
	state := byte(0)
	for rest := string(text); len(rest) > 0; {
		sequence, width, n, next := ansi.GraphemeWidth.DecodeSequenceInString(rest, state, nil)
		state, rest = next, rest[n:]
		if err := p.take(sequence, width); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}

func (p *paper) take(sequence string, width int) error {
	switch {
	case sequence == ansi.SetModeAltScreenSaveCursor: // a clear screen
		p.cells = make([]string, p.w*p.h)
		for i := range p.cells {
			p.cells[i] = " "
		}
	case sequence == "\x1b[?25l" || sequence == "\x1b[?25h":
		p.cursor = strings.HasSuffix(sequence, "h")
	case sequence == "\x1b[m":
		p.look = ""
	case strings.HasPrefix(sequence, "\x1b[") && strings.HasSuffix(sequence, "m"):
		p.look += sequence
	case strings.HasPrefix(sequence, "\x1b["):
		if _, err := fmt.Sscanf(sequence, "\x1b[%d;%dH", &p.y, &p.x); err != nil {
			return fmt.Errorf("%q", sequence)
		}
		p.x, p.y = p.x-1, p.y-1
	case width == 0 && p.x > 0: // a mark on what was written last
		p.cells[p.y*p.w+p.x-1] += sequence
	case width < 1 || p.y >= p.h || p.x+width > p.w:
		return fmt.Errorf("%q at %d,%d of %dx%d", sequence, p.x, p.y, p.w, p.h)
	default:
		p.cells[p.y*p.w+p.x] = p.look + sequence
		for i := 1; i < width; i++ {
			p.cells[p.y*p.w+p.x+i] = ""
		}
		p.x += width
	}
	return nil
}

// Whatever was there before, and whatever is pressed: the terminal shows what the canvas is.
func TestScreenIsTheCanvas(t *testing.T) {
	t.Chdir(t.TempDir()) // pictures go there
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 200).Draw(t, "w"), rapid.IntRange(1, 60).Draw(t, "h")
		s := anyStage(t, w, h)
		screen := &paper{w: w, h: h}
		s.m.outlet = newOutlet(screen)
		s.send(tea.ColorProfileMsg{Profile: rapid.SampledFrom([]colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI, colorprofile.ASCII}).Draw(t, "profile")})
		setUp := func() {
			if _, err := s.m.outlet.Write([]byte(ansi.SetModeAltScreenSaveCursor)); err != nil {
				t.Fatal(err)
			}
			s.m.Update(s.m.listenNow())
		}
		setUp()
		keys := strings.Fields("1 2 3 4 5 enter space p b s o + - a v z ? esc down up right end home tab : / 0 pgdown ticked later again")
		for _, key := range rapid.SliceOfN(rapid.SampledFrom(keys), 0, 25).Draw(t, "keys") {
			switch key {
			case "ticked":
				s.send(ticked{})
			case "again":
				setUp()
			case "later":
				if s.host.session != nil {
					s.host.session.run.elapsed += 777777777
				}
				s.look()
			default:
				s.keys(key)
			}
			same(t, s, screen)
		}
	})
}

// listenNow is the message that the library has written.
func (m *Model) listenNow() tea.Msg {
	<-m.outlet.over
	return overwritten{}
}

func same(t *rapid.T, s *stage, screen *paper) {
	var all strings.Builder
	s.m.draw()
	(&sheet{}).become(&all, &s.m.canvas, s.m.theme, s.m.cursor())
	want := &paper{w: screen.w, h: screen.h, cells: make([]string, screen.w*screen.h)}
	if _, err := io.WriteString(want, all.String()); err != nil {
		t.Fatal(err)
	}
	for i := range want.cells {
		if screen.cells[i] != want.cells[i] {
			t.Fatalf("%q is at %d,%d where %q should be", screen.cells[i], i%screen.w, i/screen.w, want.cells[i])
		}
	}
	if screen.cursor != want.cursor || want.cursor && (screen.x != want.x || screen.y != want.y) {
		t.Fatalf("the cursor is at %d,%d and not %d,%d", screen.x, screen.y, want.x, want.y)
	}
}

// A frame is what has changed, and no more.
func TestFramesAreSmall(t *testing.T) {
	s := withRun(t, 120, 40, fakeRun{schemes: fewSchemes})
	screen := &paper{w: 120, h: 40}
	var written strings.Builder
	s.m.outlet = newOutlet(io.MultiWriter(screen, &written))
	_, _ = s.m.outlet.Write([]byte(ansi.SetModeAltScreenSaveCursor))
	s.m.Update(s.m.listenNow())
	whole := written.Len()
	written.Reset()
	s.look()
	if written.Len() != 0 {
		t.Errorf("nothing has changed, and %q was written", written.String())
	}
	s.keys("down")
	if n := written.Len(); n == 0 || n > whole/2 {
		t.Errorf("%d bytes of %d were written for another selection", n, whole)
	}
}

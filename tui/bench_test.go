package tui

import (
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// What a redraw costs. At 10 looks a second, 3 percent of a core are 3 ms for each, of which
// the terminal library takes some.
func BenchmarkView(b *testing.B) {
	for _, screen := range []string{"1", "2", "3", "4", "5"} {
		b.Run(panes[runs[screen[0]-'1']].name, func(b *testing.B) {
			s := withRun(b, 200, 60, fakeRun{schemes: allSchemes})
			s.m.profile = colorprofile.TrueColor
			s.m.paint()
			s.keys(screen)
			b.ReportAllocs()
			for b.Loop() {
				s.m.View()
			}
		})
	}
}

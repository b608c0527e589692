package tui

import (
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// The scripts of the form, and the filter that shows some of them.

func (f *form) scripts() (list []*Script) {
	for i := range f.catalog.Scripts {
		s := &f.catalog.Scripts[i]
		if strings.Contains(strings.ToLower(s.Name+" "+s.Title), strings.ToLower(f.filter)) {
			list = append(list, s)
		}
	}
	return list
}

// script is the chosen one; nil: none is shown.
func (f *form) script() *Script {
	list := f.scripts()
	if len(list) == 0 {
		return nil
	}
	return list[min(f.at[scriptPart], len(list)-1)]
}

func (f *form) noScript() string {
	if len(f.catalog.Scripts) == 0 {
		return "no script to run: write one in this folder"
	}
	return "no script has " + f.filter + " in it: esc shows all"
}

// setFilter keeps the chosen script, if it is still shown.
func (f *form) setFilter(text string) {
	before := f.script()
	f.part, f.filter = scriptPart, text
	f.at[scriptPart] = max(0, slices.Index(f.scripts(), before))
}

func (f *form) drawScript(a area, s *Script) {
	on, widest := s == f.script(), lists.Max(f.scripts(), func(s *Script) int { return width(s.Name) })
	a.text(1, 0, accent, either(on, "●", "○"))
	a.text(3, 0, either(on, bold, normal), fit(s.Name, a.w/2))
	a.text(5+min(widest, a.w/2), 0, either(s.Err == nil, faint, bad), s.Title)
}

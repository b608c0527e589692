package schemes

import (
	"strings"
	"testing"
)

// A stable scheme whose pairs move with some parameters reports so.
func TestStableUnlessChosen(t *testing.T) {
	s := Scheme{
		Caps:   Capabilities{Stable: true},
		Params: []Param{{Name: "grow", Words: []string{"no", "yes"}}, {Name: "n", Min: 0, Max: 1 << 40}},
	}
	if c := s.Defaults(); !c.Caps.Stable || s.MovesWith() != nil {
		t.Error("a stable scheme is not")
	}
	s.Moves = func(c Config) bool { return c.Get("grow") == 1 }
	c, err := s.Defaults().With("grow", "yes")
	if err != nil || c.Caps.Stable || !s.Defaults().Caps.Stable || strings.Join(s.MovesWith(), " ") != "grow=yes" {
		t.Errorf("%v, %v, %v", c.Caps.Stable, s.MovesWith(), err)
	}
}

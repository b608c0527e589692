package lua

import "testing"

func TestMayName(t *testing.T) {
	const plain = "keys = 1\nfunction event(t) t:find(keys) end\n"
	for _, c := range []struct {
		source, name string
		want         bool
	}{
		{plain, "keys", false},
		{plain + `stages = { { name = "per load" } }`, "per load", true},
		{plain + "function done(s) return { lost = 1, ['of all'] = 2 } end", "lost", true},
		{plain + "function done(s) return { lost = 1, ['of all'] = 2 } end", "of all", true},
		{plain + "function done(s) return { lost = 1 } end", "found", false},
		{plain + `function done(s) return { ["part " .. 1] = 1 } end`, "part 1", true},
		{`local other = require "other"`, "anything", true},
	} {
		if s := (&Script{Source: c.source}); s.MayName(c.name) != c.want {
			t.Errorf("%q in %q: %v", c.name, c.source, !c.want)
		}
	}
}

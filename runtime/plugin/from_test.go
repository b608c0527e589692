package plugin

import (
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo"
	"github.com/hashzoo/hashzoo/schemes"
)

// A plugin that starts from a scheme gives what the scheme gives, to the last bit. In the small tier, one does.
func TestPluginsFromSchemesGiveTheSame(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	dev := openCPU(t, 1)
	defer dev.Close()
	list, pairs := Startable(), []schemes.Pair{schemes.Pair4, schemes.Pair8}
	if testing.Short() {
		list, pairs = list[:1], pairs[:1]
	}
	for _, from := range list {
		name := "my" + from
		if _, err := New(name, from); err != nil {
			t.Fatal(err)
		}
		if _, err := Build(t.Context(), name, Options{Only: "hash=fast", Say: io.Discard}); err != nil {
			t.Fatal(err)
		}
		s := must.Get(Load(name+"/"+builtFolder, ""))(t)
		for _, pair := range pairs {
			if !slices.Contains(s.Caps.Pairs, pair) {
				continue
			}
			if diff := cmp.Diff(trace(t, dev, from, pair), trace(t, dev, name, pair)); diff != "" {
				t.Errorf("%s, %s: %s", from, pair, diff)
			}
		}
	}
}

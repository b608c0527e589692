package plugin

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "github.com/hashzoo/hashzoo/runtime/zoo"
	"github.com/hashzoo/hashzoo/schemes"
)

// A plugin that starts from a scheme gives what the scheme gives, to the last bit.
func TestPluginsFromSchemesGiveTheSame(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	dev := openCPU(t, 1)
	defer dev.Close()
	for _, from := range Startable() {
		name := "my" + from
		if _, err := New(name, from); err != nil {
			t.Fatal(err)
		}
		if _, err := Build(t.Context(), name, Options{Only: "hash=fast", Say: io.Discard}); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(name+"/"+builtFolder, ""); err != nil {
			t.Fatal(err)
		}
		for _, pair := range []schemes.Pair{schemes.Pair4, schemes.Pair8} {
			if diff := cmp.Diff(trace(t, dev, from, pair), trace(t, dev, name, pair)); diff != "" {
				t.Errorf("%s, %s: %s", from, pair, diff)
			}
		}
	}
}

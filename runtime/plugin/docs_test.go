package plugin

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// go test ./runtime/plugin -run Docs -update writes the keys of scheme.toml.
var update = flag.Bool("update", false, "write the keys of docs/plugins.md")

const page = "../../docs/plugins.md"

func read(t *testing.T, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(path))(t))
}

// docs/plugins.md lists all keys of a manifest.
func TestDocsOfKeys(t *testing.T) {
	var table strings.Builder
	for _, f := range manifest.Fields {
		fmt.Fprintf(&table, "- `%s` (%s): %s\n", f.Key, f.Takes, f.Help)
	}
	text := read(t, page)
	const begin, end = "-update -->\n", "<!-- end of keys"
	from, to := strings.Index(text, begin)+len(begin), strings.Index(text, end)
	want := text[:from] + "\n" + table.String() + "\n" + text[to:]
	if *update {
		must.OK(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	must.Match(t, text, want, "docs/plugins.md has other keys; go test ./runtime/plugin -run Docs -update writes them anew")
}

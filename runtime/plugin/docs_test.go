package plugin

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/must"
)

const page = "../../docs/plugins.md"

func read(t testing.TB, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(path))(t))
}

// docs/plugins.md lists all keys of a manifest; go test ./runtime/plugin -run Docs -update writes them.
func TestDocsOfKeys(t *testing.T) {
	var table strings.Builder
	for _, f := range manifest.Fields {
		fmt.Fprintf(&table, "- `%s` (%s): %s\n", f.Key, f.Takes, f.Help)
	}
	text := read(t, page)
	const begin, end = "-update -->\n", "<!-- end of keys"
	from, to := strings.Index(text, begin)+len(begin), strings.Index(text, end)
	must.Golden(t, page, text[:from]+"\n"+table.String()+"\n"+text[to:])
}

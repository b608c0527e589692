package host

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
)

var update = flag.Bool("update", false, "write the generated part of docs/host.md")

const (
	hostPage  = "../../docs/host.md"
	pageStart = "-update -->\n"
	pageEnd   = "<!-- end -->"
)

// reference returns the API of host sides in Lua, as Markdown.
func reference() string {
	var b strings.Builder
	for _, v := range luaValues {
		if v.fields == nil {
			continue
		}
		fmt.Fprintf(&b, "\n| `%s` | %s |\n|---|---|\n", v.written, v.what)
		for _, f := range v.fields {
			if v.written != "result" || slices.Index(kernels.Counters, f.name) < slices.Index(kernels.Counters, "probes") {
				fmt.Fprintf(&b, "| `%s.%s` | %s |\n", v.written, f.name, f.help)
			}
		}
		for _, m := range v.methods {
			fmt.Fprintf(&b, "| `%s:%s%s` | %s |\n", v.written, m.name, m.args, m.help)
		}
	}
	b.WriteString("\n| function of hashzoo | what it does | parameters that it reads |\n|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(Operations)) {
		o := Operations[name]
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, o.Help, strings.Join(o.Params, ", "))
	}
	return b.String()
}

// The page documents exactly the API of host sides in the code.
func TestHostDocs(t *testing.T) {
	page, err := os.ReadFile(hostPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(page), pageStart)
	have, after, ok2 := strings.Cut(rest, pageEnd)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no part that is made by this test", hostPage)
	}
	want := reference() + "\n"
	if *update {
		if err := os.WriteFile(hostPage, []byte(before+pageStart+want+pageEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if have != want {
		t.Errorf("%s does not have what there is: go test ./runtime/host -run HostDocs -update", hostPage)
	}
}

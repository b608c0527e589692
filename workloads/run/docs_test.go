package run

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// docs/running.md has every result that a script or threshold can name.
func TestDocsNameEveryResult(t *testing.T) {
	page := must.Get(os.ReadFile("../../docs/running.md"))(t)
	for _, name := range slices.Concat(fields, tableFields) {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/running.md says nothing of %s", name)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// Every command has a man page.
func TestPages(t *testing.T) {
	folder := t.TempDir()
	must.OK(t, write(folder))
	for name, texts := range map[string][]string{"hashzoo": nil, "hashzoo-plugin-check": nil, "hashzoo-completion-bash": nil,
		"hashzoo-run": {`.TH "HASHZOO-RUN" "1"`, "hashzoo run SCRIPT [flags]", "--schemes"}} {
		page, err := os.ReadFile(filepath.Join(folder, name+".1"))
		must.Hold(t, err == nil, "%v", err)
		for _, text := range texts {
			must.Hold(t, strings.Contains(string(page), text), "%s.1 has no %s", name, text)
		}
	}
	must.Hold(t, write("nowhere") != nil, "pages are in a folder that does not exist")
}

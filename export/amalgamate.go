package export

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
)

// amalgam puts headers into one text, each where it is first included: once, or once in each branch of an #if.
type amalgam struct {
	folder fs.FS // of the scheme
	seen   []string
}

var include = regexp.MustCompile(`(?m)^#include "(.*)"\n`)

// text returns a header and what it includes.
func (a *amalgam) text(name string) (string, error) {
	if slices.Contains(a.seen, name) {
		return "", nil
	}
	a.seen = append(a.seen, name)
	text, err := fs.ReadFile(kernels.Headers, name)
	if err != nil {
		text, err = fs.ReadFile(a.folder, name)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return a.expanded(string(text))
}

// expanded replaces the lines that include headers.
func (a *amalgam) expanded(text string) (string, error) {
	var whole strings.Builder
	end := 0
	for _, at := range include.FindAllStringSubmatchIndex(text, -1) {
		before, common := text[:at[0]], a.seen
		inner, err := a.text(text[at[2]:at[3]])
		if err != nil {
			return "", err
		}
		// What only one branch includes, another may include too.
		if branch := strings.Count(before, "\n#if") - strings.Count(before, "\n#endif"); branch > 1 {
			a.seen = slices.Clone(common)
		}
		whole.WriteString(text[end:at[0]] + inner)
		end = at[1]
	}
	return whole.String() + text[end:], nil
}

// digestOf is a digest of files, in their order.
func digestOf(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d\n%s", len(text), text)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

package schemes

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Essay is the comment at the top of a header.
type Essay struct {
	Header string
	Lines  []string
}

// everywhere are headers that all schemes include, which say nothing about a scheme.
var everywhere = []string{"drive.h", "hash.h"}

// Essays returns the essay of the scheme's header, and those of the headers it includes.
func (s *Scheme) Essays() ([]Essay, error) {
	skip := map[string]bool{}
	for _, common := range everywhere {
		if _, err := s.essays(common, skip); err != nil {
			return nil, err
		}
	}
	return s.essays(s.Name+".h", skip)
}

var included = regexp.MustCompile(`(?m)^#include "(.*)"`)

// essays reads a header and what it includes, each header once.
func (s *Scheme) essays(name string, seen map[string]bool) ([]Essay, error) {
	if seen[name] {
		return nil, nil
	}
	seen[name] = true
	text, err := s.Header(name)
	if err != nil {
		return nil, fmt.Errorf("the essay of scheme %s: %w", s.Name, err)
	}
	more, err := lists.TryMap(included.FindAllStringSubmatch(text, -1), func(found []string) ([]Essay, error) {
		return s.essays(found[1], seen)
	})
	return append([]Essay{{name, comment(text)}}, slices.Concat(more...)...), err
}

// Header reads a header of the scheme's folder, or one that schemes share.
func (s *Scheme) Header(name string) (string, error) {
	text, err := kernels.Headers.ReadFile(name)
	if err != nil {
		text, err = fs.ReadFile(s.Files, name)
	}
	return string(text), err
}

// comment returns the lines of the comment that a text begins with.
func comment(text string) (lines []string) {
	for line := range strings.Lines(text) {
		said, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "//")
		if !ok {
			break
		}
		lines = append(lines, strings.TrimPrefix(said, " "))
	}
	return slices.Clip(lines)
}

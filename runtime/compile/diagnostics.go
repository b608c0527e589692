package compile

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// diagnostic is one line of the compiler with a place, and the excerpt of source below it.
type diagnostic struct {
	file, line, column, severity, message string
	excerpt                               []string
}

var placed = regexp.MustCompile(`^(.+?):(\d+):(\d+): (error|fatal error|warning|note): (.*)$`)

// authored rewrites what clang says so that it is about the author's files and no others. An
// error inside a header of hashzoo is reported where the author's file led there. The kernels
// of all pairs and operations repeat most errors, so each is shown once.
func authored(said, headers string) string {
	var out strings.Builder
	shown := map[string]bool{}
	for _, group := range grouped(said) {
		d := report(group, headers)
		if key := fmt.Sprint(d.file, d.line, templateArguments.ReplaceAllString(d.message, "")); !shown[key] {
			shown[key] = true
			out.WriteString(d.text())
		}
	}
	if out.Len() == 0 {
		return said // a linker's error has no place in a source
	}
	return out.String()
}

// grouped splits the compiler's output into errors and warnings, each with its notes.
func grouped(said string) (groups [][]diagnostic) {
	for line := range strings.Lines(said) {
		line = strings.TrimSuffix(line, "\n")
		m := placed.FindStringSubmatch(line)
		switch last := len(groups) - 1; {
		case m != nil && m[4] != "note":
			groups = append(groups, []diagnostic{{m[1], m[2], m[3], m[4], m[5], nil}})
		case last < 0:
		case m != nil:
			groups[last] = append(groups[last], diagnostic{m[1], m[2], m[3], m[4], m[5], nil})
		case strings.HasPrefix(line, " "):
			d := &groups[last][len(groups[last])-1]
			d.excerpt = append(d.excerpt, line)
		}
	}
	return groups
}

var (
	templateArguments = regexp.MustCompile(`<.*>`)
	requirement       = regexp.MustCompile(` due to requirement '[^']*'`)
	operation         = regexp.MustCompile(`hz::op_(\w+)`)
)

// report is an error or warning with those of its notes that explain the author's lines.
func report(group []diagnostic, headers string) diagnostic {
	first := group[0]
	if first.by(headers) {
		return elsewhere(group, headers)
	}
	for _, note := range group[1:] {
		if !note.by(headers) && !strings.HasPrefix(note.message, "in instantiation of") {
			first.excerpt = append(first.excerpt, note.text())
		}
	}
	return first
}

// elsewhere moves an error from a header of hashzoo to the line of the author that led there.
func elsewhere(group []diagnostic, headers string) diagnostic {
	first := group[0]
	needs := fmt.Sprintf("%s; needed by %s:%s", requirement.ReplaceAllString(first.message, ""), filepath.Base(first.file), first.line)
	for _, note := range group[1:] {
		if note.by(headers) {
			continue
		}
		if m := operation.FindStringSubmatch(note.message); m != nil {
			needs += ", for " + m[1]
		}
		return diagnostic{note.file, note.line, note.column, first.severity, needs, nil}
	}
	return first
}

// by reports whether the place is in a header of hashzoo, or in what was generated.
func (d diagnostic) by(headers string) bool {
	return strings.HasPrefix(d.file, headers) || strings.HasPrefix(d.file, "<")
}

func (d diagnostic) text() string {
	text := fmt.Sprintf("%s:%s:%s: %s: %s\n", filepath.Clean(d.file), d.line, d.column, d.severity, d.message)
	for _, line := range d.excerpt {
		text += strings.TrimSuffix(line, "\n") + "\n"
	}
	return text
}

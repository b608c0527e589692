package schemes

import (
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Constants are the numbers that a header defines, by name: enumerators, constexpr values,
// and for a struct S of 32-bit words the index S.f of each field f, and their number S.words.
// Host sides read them from the header, so that they agree with the kernels.
type Constants map[string]uint64

var (
	definitions = regexp.MustCompile(`(?s)(enum|constexpr \w+|struct)\b(?: class)? ?(\w* ?\{.*?\}|[^;{}]*;)`)
	fields      = regexp.MustCompile(`\bu32 ([^;]*);`)
	atom        = regexp.MustCompile(`^(?:u\d+\()?(\w+?)u?\)?$`)
)

// ReadConstants reads the constants of a header.
func ReadConstants(folder fs.FS, header string) Constants {
	text, err := fs.ReadFile(folder, header)
	if err != nil {
		panic(err)
	}
	c := Constants{}
	for _, m := range definitions.FindAllStringSubmatch(candidates(string(text)), -1) {
		name, body, braced := strings.Cut(strings.TrimRight(m[2], "};"), "{")
		switch {
		case m[1] == "enum" && braced:
			c.define("", body)
		case m[1] == "struct" && braced:
			list := lists.Map(fields.FindAllStringSubmatch(body, -1), func(f []string) string { return f[1] })
			c.define(strings.TrimSpace(name)+".", strings.Join(append(list, "words"), ","))
		case !braced:
			c.define("", name)
		}
	}
	return c
}

// candidates returns the lines of possible definitions, without comments: expressions are
// slow on a whole header.
func candidates(text string) string {
	var code strings.Builder
	open, braced := false, false
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		open = open || strings.Contains(line, "enum") || strings.Contains(line, "constexpr") || strings.Contains(line, "struct")
		if !open {
			continue
		}
		code.WriteString(line + "\n")
		braced = braced || strings.Contains(line, "{")
		if strings.Contains(line, "}") || !braced && strings.Contains(line, ";") {
			open, braced = false, false
		}
	}
	return code.String()
}

// define adds the names of a list, which count up unless they are given a value. A value
// that is not made of whole numbers is left out.
func (c Constants) define(prefix, list string) {
	next := uint64(0)
	for _, item := range strings.Split(list, ",") {
		name, value, given := strings.Cut(item, "=")
		ok := true
		if given {
			next, ok = c.value(value)
		}
		if ok {
			c[prefix+strings.TrimSpace(name)] = next
		}
		next++
	}
}

// value evaluates numbers, names, sums and shifts.
func (c Constants) value(text string) (uint64, bool) {
	for _, operator := range []string{"<<", "+"} {
		if left, right, ok := strings.Cut(text, operator); ok {
			a, known := c.value(left)
			b, known2 := c.value(right)
			if operator == "+" {
				return a + b, known && known2
			}
			return a << b, known && known2
		}
	}
	m := atom.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, false
	}
	if n, err := strconv.ParseUint(m[1], 10, 64); err == nil {
		return n, true
	}
	n, ok := c[m[1]]
	return n, ok
}

// Of returns a constant. It panics if the header does not define it.
func (c Constants) Of(name string) uint64 {
	n, ok := c[name]
	if !ok {
		panic(fmt.Sprintf("no header defines %s", name))
	}
	return n
}

package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bounds of a recording's text.
const (
	maxLine   = 1 << 18 // bytes of a line: the longest expression, a few times
	maxText   = 1 << 28 // bytes of all lines
	maxFields = 64      // of a line
)

// line is a word and fields: word name=value name="a text". Values are bare if they have
// nothing but letters, digits and -+._:/,
type line struct {
	word   string
	fields []field
}

type field struct {
	name, value string
	quoted      bool
}

// isBare says whether a value needs no quotes.
func isBare(value string) bool {
	return value != "" && strings.Trim(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-+._:/,") == ""
}

// add appends a field; one without a value is left out.
func (l *line) add(name, value string) {
	if value != "" {
		l.fields = append(l.fields, field{name: name, value: value, quoted: !isBare(value)})
	}
}

// text appends a field that is quoted in any case, which tells texts from numbers.
func (l *line) text(name, value string) {
	l.fields = append(l.fields, field{name: name, value: value, quoted: true})
}

// count appends a number, unless it is 0.
func (l *line) count(name string, n uint64) {
	if n > 0 {
		l.add(name, strconv.FormatUint(n, 10))
	}
}

// flag appends name=true.
func (l *line) flag(name string, is bool) {
	if is {
		l.add(name, "true")
	}
}

// String is the line without its end.
func (l line) String() string {
	var text strings.Builder
	text.WriteString(l.word)
	for _, f := range l.fields {
		text.WriteString(" " + f.name + "=")
		if f.quoted {
			text.WriteString(strconv.Quote(f.value))
		} else {
			text.WriteString(f.value)
		}
	}
	return text.String()
}

// parseLine reads a line as String writes it.
func parseLine(text string) (line, error) {
	if len(text) > maxLine {
		return line{}, fmt.Errorf("a line of %d bytes, at most %d", len(text), maxLine)
	}
	word, rest, _ := strings.Cut(text, " ")
	l := line{word: word}
	if !isName(word) {
		return l, fmt.Errorf("it starts with %s, which is no word", shorten(word))
	}
	for rest != "" {
		var f field
		var err error
		if f, rest, err = parseField(rest); err != nil {
			return l, err
		}
		if l.has(f.name) {
			return l, fmt.Errorf("%s is given twice", f.name)
		}
		if l.fields = append(l.fields, f); len(l.fields) > maxFields {
			return l, fmt.Errorf("more than %d fields", maxFields)
		}
	}
	return l, nil
}

// parseField reads a field, and returns what follows it.
func parseField(text string) (f field, rest string, err error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || !isName(name) {
		return f, "", fmt.Errorf("there is %s where a field should be: name=value", shorten(text))
	}
	f.name = name
	if strings.HasPrefix(value, `"`) {
		quoted, err := strconv.QuotedPrefix(value)
		if err != nil {
			return f, "", fmt.Errorf("%s is %s: the text does not end", name, shorten(value))
		}
		f.value, _ = strconv.Unquote(quoted)
		f.quoted, value = true, value[len(quoted):]
	} else {
		end := strings.IndexByte(value+" ", ' ')
		f.value, value = value[:end], value[end:]
		if !isBare(f.value) {
			return f, "", fmt.Errorf("%s is %s: such a value is in quotes", name, shorten(f.value))
		}
	}
	if value == "" {
		return f, "", nil
	}
	if rest = strings.TrimPrefix(value, " "); rest == value || rest == "" {
		return f, "", fmt.Errorf("after %s there is %s where a space and a field should be", name, shorten(value))
	}
	return f, rest, nil
}

// isName says whether a text is letters, digits and _, and begins with a letter.
func isName(text string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	return text != "" && strings.IndexByte(letters, text[0]) >= 0 && strings.Trim(text, letters+"0123456789") == ""
}

func (l line) has(name string) bool {
	return slices.ContainsFunc(l.fields, func(f field) bool { return f.name == name })
}

// get is a field's value, empty if it is not there.
func (l line) get(name string) string {
	for _, f := range l.fields {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// number is a whole number, 0 if it is not there.
func (l line) number(name string, most uint64) (uint64, error) {
	if !l.has(name) {
		return 0, nil
	}
	n, err := strconv.ParseUint(l.get(name), 10, 64)
	if err != nil || n > most {
		return 0, fmt.Errorf("%s is %s: it takes a whole number up to %d", name, shorten(l.get(name)), most)
	}
	return n, nil
}

// real is a number from 0 on, 0 if it is not there.
func (l line) real(name string, most float64) (float64, error) {
	if !l.has(name) {
		return 0, nil
	}
	x, err := strconv.ParseFloat(l.get(name), 64)
	if err != nil || !(x >= 0 && x <= most) {
		return 0, fmt.Errorf("%s is %s: it takes a number from 0 to %g", name, shorten(l.get(name)), most)
	}
	return x, nil
}

// is says whether a field is true.
func (l line) is(name string) (bool, error) {
	switch l.get(name) {
	case "true":
		return true, nil
	case "":
		return false, nil
	}
	return false, fmt.Errorf("%s is %s: it takes true, or is left out", name, shorten(l.get(name)))
}

// only refuses fields that this version does not know.
func (l line) only(known ...string) error {
	for _, f := range l.fields {
		if !slices.Contains(known, f.name) {
			return fmt.Errorf("unknown field %s: %s has %s", f.name, l.word, strings.Join(known, ", "))
		}
	}
	return nil
}

// shorten is a text as messages can have it.
func shorten(text string) string {
	const most = 60
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strconv.Quote(text)
}

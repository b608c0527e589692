package rows

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

func openNDJSON(r *Reader, in *bufio.Reader) (*pipeline, error) {
	b := newBlocks(r, in)
	b.parse = func(b *block, text string) error { return b.each(text, b.object) }
	if !slices.ContainsFunc(r.Columns, func(c Column) bool { return c.Name == "" }) {
		return &b.pipeline, nil
	}
	return b.begin(func(text string) (int, bool, error) { // a column without a name is that of the first object
		first := block{Reader: *r}
		err := first.each(text, func(line string) error {
			object, err := first.decode(line)
			if err == nil {
				_, err = r.find(slices.Sorted(maps.Keys(object)), untyped)
			}
			return cmp.Or(err, io.EOF)
		})
		if err == io.EOF { // an object was found
			return 0, true, nil
		}
		return len(text), false, err
	})
}

func (b *block) object(line string) error {
	s := scanner{text: line}
	if cells := b.add(); !s.object(b.Columns, cells) {
		b.lines = b.lines[:len(b.lines)-1]
		return b.notObject(line, cells)
	}
	return nil
}

func (r *Reader) decode(line string) (object map[string]json.RawMessage, err error) {
	if err := json.Unmarshal([]byte(line), &object); err != nil || object == nil {
		return nil, r.here(": not a JSON object: %s", nearest.Quoted(line))
	}
	return object, nil
}

// notObject returns the error of a line that is no object, by the cells read so far.
func (r *Reader) notObject(line string, cells []Cell) error {
	object, err := r.decode(line)
	for i, column := range r.Columns {
		if raw, ok := object[column.Name]; !ok && !column.Optional {
			err = cmp.Or(err, r.here(": there is no column %s: choose from %s", nearest.Quoted(column.Name), list(slices.Sorted(maps.Keys(object)))))
		} else if cells[i].Kind == Untyped {
			err = cmp.Or(err, r.cellWrong(i, fmt.Errorf("%s is neither a number nor a text", nearest.Quoted(string(raw)))))
		}
	}
	return err
}

// scanner reads the tokens of a JSON text, mostly without allocating.
type scanner struct {
	text string
	at   int
}

// object sets the cells of the object's members with the names of columns. It reports false if the text has anything
// else, or if a member is missing.
func (s *scanner) object(columns []Column, cells []Cell) bool {
	found := uint64(0)
	for more := s.take('{'); more; more = s.take(',') {
		name, ok := s.string()
		if !ok || !s.take(':') {
			return false
		}
		cell, ok := s.value()
		if !ok {
			return false
		}
		for i := range columns {
			if columns[i].Name == name {
				cells[i] = cell
				found |= 1 << i
			}
		}
	}
	if !s.take('}') || s.skip() {
		return false
	}
	for i := range columns {
		if cells[i].Kind == Untyped || found>>i&1 == 0 && !columns[i].Optional {
			return false
		}
	}
	return true
}

// skip skips blanks and reports whether anything follows.
func (s *scanner) skip() bool {
	for ; s.at < len(s.text); s.at++ {
		if c := s.text[s.at]; c > ' ' || c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return true
		}
	}
	return false
}

func (s *scanner) take(char byte) bool {
	if !s.skip() || s.text[s.at] != char {
		return false
	}
	s.at++
	return true
}

// value takes a value. One that is neither a number, a text nor null is an Untyped cell.
func (s *scanner) value() (Cell, bool) {
	if !s.skip() {
		return Cell{}, false
	}
	from := s.at
	switch first := s.text[from]; {
	case first == '"':
		text, ok := s.string()
		return textCell(text), ok
	case first == '-' || first >= '0' && first <= '9':
		return s.number()
	case first == '{' || first == '[':
		in := json.NewDecoder(strings.NewReader(s.text[from:]))
		err := in.Decode(new(json.RawMessage))
		s.at += int(in.InputOffset())
		return Cell{Kind: Untyped}, err == nil
	}
	for _, word := range []struct {
		text string
		is   Kind
	}{{"null", Null}, {"true", Untyped}, {"false", Untyped}} {
		if strings.HasPrefix(s.text[from:], word.text) {
			s.at += len(word.text)
			return Cell{Kind: word.is}, true
		}
	}
	return Cell{}, false
}

// string takes a text, and decodes one that is not plain.
func (s *scanner) string() (text string, ok bool) {
	from := s.at
	text, plain := s.quoted()
	if plain {
		return text, true
	}
	var decoded string
	err := json.Unmarshal([]byte(s.text[from:s.at]), &decoded)
	return decoded, err == nil
}

// quoted takes a text. It is plain if it is what lies between its quotation marks.
func (s *scanner) quoted() (text string, plain bool) {
	if !s.take('"') {
		return "", false
	}
	from, ascii := s.at, true
	plain = true
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			text = s.text[from:s.at]
			s.at++
			return text, plain && (ascii || utf8.ValidString(text))
		case c == '\\':
			s.at++
			plain = false
		case c < ' ':
			plain = false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	s.at = len(s.text)
	return "", false
}

func (s *scanner) digits() bool {
	from := s.at
	for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}

// either takes one of two characters.
func (s *scanner) either(a, b byte) bool {
	if s.at == len(s.text) || s.text[s.at] != a && s.text[s.at] != b {
		return false
	}
	s.at++
	return true
}

func (s *scanner) number() (Cell, bool) {
	from, kind := s.at, Whole
	s.either('-', '-')
	ok := s.either('0', '0') || s.digits()
	if s.either('.', '.') {
		kind, ok = Real, ok && s.digits()
	}
	if s.either('e', 'E') {
		s.either('+', '-')
		kind, ok = Real, ok && s.digits()
	}
	return Cell{Kind: kind, Text: s.text[from:s.at]}, ok
}

package record

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/workloads/stream"
)

// Bounds of a recording's text.
const (
	maxLine = 1 << 20 // bytes of a line: a header with its script
	maxText = 1 << 30 // bytes of all lines
)

// line is a line of a recording: a JSON object with one of these (docs/recordings.md).
type line struct {
	Recording *Header    `json:"recording,omitempty"`
	Point     *Point     `json:"point,omitempty"`
	Phase     *Phase     `json:"phase,omitempty"`
	Batch     *batchLine `json:"batch,omitempty"`
	Clear     *clearLine `json:"clear,omitempty"`
	Contents  *Contents  `json:"contents,omitempty"`
	Stopped   *stopped   `json:"stopped,omitempty"`
	End       *end       `json:"end,omitempty"`
}

// mark is how recordings that are text begin.
const mark = `{"recording":`

// batchLine is a batch with its expressions.
type batchLine struct {
	Batch
	Round  uint64             `json:"round,omitempty"`
	Keys   *stream.Expression `json:"keys,omitempty"`
	Values *stream.Expression `json:"values,omitempty"`
	Ops    *stream.Expression `json:"ops,omitempty"`
}

// clearLine says that the table was emptied.
type clearLine struct {
	Round  uint64 `json:"round,omitempty"`
	Reseed bool   `json:"reseed,omitempty"`
}

// stopped says why the run ended early.
type stopped struct {
	Why string `json:"why"`
}

// end is the last line. The digest is that of all bytes before it.
type end struct {
	Batches    uint64 `json:"batches"`
	Operations uint64 `json:"operations"`
	Digest     string `json:"digest"`
}

// line is the line of an item, in a recording of some kind.
func (i Item) line(kind Kind) line {
	if i.Batch == nil {
		return line{Clear: &clearLine{i.Round, i.Reseed}}
	}
	b := i.Batch
	return line{Batch: &batchLine{Batch: *b, Round: i.Round,
		Keys: b.Keys.expression(kind), Values: b.Values.expression(kind), Ops: b.Ops.expression(kind)}}
}

// column is the kind of expression that stands for a column of a materialised recording.
const column = "column"

func (s Source) expression(kind Kind) *stream.Expression {
	if s.none() {
		return nil
	}
	if kind == Materialised {
		return &stream.Expression{Kind: column, Label: s.String()}
	}
	e, _ := s.stream.Expression()
	return &e
}

// stoppedLine is a stopped line with at most 400 bytes of the reason, in one line.
func stoppedLine(why string) line {
	const most = 400
	why = strings.Join(strings.Fields(why), " ")
	if len(why) > most {
		why = strings.ToValidUTF8(why[:most], "") + "..."
	}
	return line{Stopped: &stopped{why}}
}

// encode writes the line with its end.
func (l line) encode() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(l)
	if err == nil && out.Len() > maxLine {
		err = fmt.Errorf("a line of %d bytes, at most %d", out.Len(), maxLine)
	}
	return out.Bytes(), err
}

// decode reads a line. Unless it is lenient, fields that this version does not know are
// errors.
func decode(text []byte, lenient bool) (l line, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if !lenient {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(&l); err != nil {
		return l, plain(err)
	}
	if rest := text[d.InputOffset():]; len(bytes.TrimSpace(rest)) > 0 {
		return l, fmt.Errorf("%s follows the object", shorten(string(rest)))
	}
	if lenient {
		return l, nil
	}
	if n := l.parts(); n != 1 {
		return l, fmt.Errorf("an object with %d of the fields that make a line, it takes one", n)
	}
	return l, unrepeated(text)
}

// parts is the number of fields that a line has.
func (l line) parts() (n int) {
	fields := reflect.ValueOf(l)
	for i := range fields.NumField() {
		if !fields.Field(i).IsNil() {
			n++
		}
	}
	return n
}

// maxFields bounds the fields of an object.
const maxFields = 64

// unrepeated refuses an object that has a name twice, or not in lower case: encoding/json
// takes the last one, in any case. The text is a valid object.
func unrepeated(text []byte) error {
	var open [][][]byte // the names of each open object
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			open = append(open, nil)
		case '}':
			open = open[:len(open)-1]
		case '"':
			quoted := quotedText(text[i:])
			if i += len(quoted) + 1; bytes.TrimSpace(text[i+1:])[0] != ':' {
				continue
			}
			names := &open[len(open)-1]
			same := func(name []byte) bool { return bytes.Equal(name, quoted) }
			if slices.ContainsFunc(*names, same) || len(*names) == maxFields || bytes.ContainsFunc(quoted, notInNames) {
				return fmt.Errorf("%s is given twice, is no name, or follows %d others", shorten(string(quoted)), maxFields)
			}
			*names = append(*names, quoted)
		}
	}
	return nil
}

func notInNames(c rune) bool { return c != '_' && (c < 'a' || c > 'z') }

// quotedText is what a text that begins with a quotation mark has up to the next one.
func quotedText(text []byte) []byte {
	end := 1
	for text[end] != '"' {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	return text[1:end]
}

// plain says what is wrong with a line in terms of its fields.
func plain(err error) error {
	var is *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &is):
		return fmt.Errorf("%s is a %s: it takes %s", is.Field, is.Value, typeName(is.Type))
	case errors.As(err, &syntax):
		return fmt.Errorf("character %d: %w", syntax.Offset, err)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Uint64:
		return "a whole number from 0 to 18446744073709551615"
	case reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	}
	return "an " + strings.ReplaceAll(t.Kind().String(), "slice", "array")
}

// atMost refuses a number that is too large.
func atMost[T uint64 | float64](name string, n, most T) error {
	if n < 0 || n > most {
		return fmt.Errorf("%s is %v: it takes a number from 0 to %v", name, n, most)
	}
	return nil
}

// hashOf is the XXH3-128 of a text.
func hashOf(text string) string {
	sum := xxh3.HashString128(text).Bytes()
	return hex.EncodeToString(sum[:])
}

func digestText(h *xxh3.Hasher) string {
	sum := h.Sum128().Bytes()
	return hex.EncodeToString(sum[:])
}

// shorten quotes a text for messages.
func shorten(text string) string {
	const most = 60
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strconv.Quote(text)
}

package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Bounds of a recording's text.
const (
	maxLine = 1 << 20 // bytes of a line: a header with its script
	maxText = 1 << 30 // bytes of all lines
)

// line is a line of a recording: a JSON object with one of these (docs/recordings.md).
type line struct {
	Recording *Header   `json:"recording,omitempty"`
	Point     *Point    `json:"point,omitempty"`
	Phase     *Phase    `json:"phase,omitempty"`
	Batch     *Batch    `json:"batch,omitempty"`
	Clear     *Clear    `json:"clear,omitempty"`
	Contents  *Contents `json:"contents,omitempty"`
	Stopped   *stopped  `json:"stopped,omitempty"`
	End       *end      `json:"end,omitempty"`
}

// mark is the beginning of a recipe.
const mark = `{"recording":`

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

// stoppedLine has at most 400 characters of the reason, in one line.
func stoppedLine(why string) line {
	return line{Stopped: &stopped{nearest.Shorten(strings.Join(strings.Fields(why), " "), 400)}}
}

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

// decode reads a line. Unknown fields are errors unless it is lenient.
func decode(text []byte, lenient bool) (l line, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if !lenient {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(&l); err != nil {
		return l, plain(err)
	}
	if rest := text[d.InputOffset():]; len(bytes.TrimSpace(rest)) > 0 {
		return l, fmt.Errorf("%s follows the object", nearest.Quoted(string(rest)))
	}
	return l, nil
}

// plain rewrites an error of encoding/json in terms of the line.
func plain(err error) error {
	var is *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &is):
		field := strings.Replace(is.Field, "Expression.", "", 1) // of Source
		return fmt.Errorf("%s is a %s: it takes %s", field, is.Value, takes[is.Type.Kind()])
	case errors.As(err, &syntax):
		return fmt.Errorf("character %d: %w", syntax.Offset, err)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

var takes = map[reflect.Kind]string{
	reflect.Uint64: "a whole number from 0 to 18446744073709551615", reflect.Int64: "a whole number", reflect.Float64: "a number",
	reflect.String: "a text", reflect.Bool: "true or false", reflect.Slice: "an array", reflect.Map: "an object", reflect.Struct: "an object",
}

func atMost[T uint64 | float64](name string, n, most T) error {
	if n < 0 || n > most {
		return fmt.Errorf("%s is %v: it takes a number from 0 to %v", name, n, most)
	}
	return nil
}

func hashOf(text string) string { return hashText(xxh3.HashString128(text)) }

func hashText(sum xxh3.Uint128) string { return fmt.Sprintf("%x", sum.Bytes()) }

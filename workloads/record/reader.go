package record

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/workloads/parquet"
	"github.com/hashzoo/hashzoo/workloads/rows"
)

// reader makes a recording of lines.
type reader struct {
	rec     *Recording
	phase   *Phase       // the current one, or nil
	hash    *xxh3.Hasher // of all lines so far
	bytes   uint64       // of all lines so far
	number  int          // of the line, from 1 on
	ended   bool
	lenient bool // the file is of a newer minor version
}

func newReader() *reader { return &reader{rec: &Recording{}, hash: xxh3.New()} }

// lines reads all lines of a text. A last line without a line feed was cut off, and is ignored.
func (r *reader) lines(from io.Reader) error {
	in := bufio.NewReaderSize(from, maxLine)
	for {
		text, err := in.ReadSlice('\n')
		if err == io.EOF {
			return r.finish()
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("line %d: more than %d bytes", r.number+1, maxLine)
		}
		if err == nil {
			err = r.line(text)
		}
		if err != nil {
			return err
		}
	}
}

// line takes the next line, with its line feed.
func (r *reader) line(text []byte) error {
	r.number++
	if r.bytes += uint64(len(text)); r.bytes > maxText {
		return fmt.Errorf("line %d: more than %d bytes of text", r.number, maxText)
	}
	if err := r.take(text); err != nil {
		return fmt.Errorf("line %d: %w", r.number, err)
	}
	r.hash.Write(text)
	return nil
}

func (r *reader) take(text []byte) error {
	if r.ended {
		return errors.New("something follows the end")
	}
	if r.number == 1 {
		if err := r.version(text); err != nil {
			return err
		}
	}
	l, err := decode(text, r.lenient)
	if err != nil {
		return err
	}
	return r.hold(l)
}

// version reads the version in the first line, which decides how the rest is read.
func (r *reader) version(text []byte) error {
	var first struct{ Recording struct{ Format string } }
	var major, minor uint64
	if err := json.Unmarshal(text, &first); err != nil || first.Recording.Format == "" {
		return fmt.Errorf("not a recording: the first line is %s, it should begin with %s", nearest.Quoted(string(text)), mark)
	}
	format := first.Recording.Format
	if _, err := fmt.Sscanf(format, "%d.%d", &major, &minor); err != nil || format != fmt.Sprintf("%d.%d", major, minor) {
		return fmt.Errorf("format is %s: it takes a version such as %d.%d", nearest.Quoted(format), Major, Minor)
	}
	if major != Major {
		return fmt.Errorf("it has format %s, this program reads %d.0 to %d.%d and later ones of %d", format, Major, Major, Minor, Major)
	}
	r.lenient = minor > Minor
	return nil
}

// hold adds a line to the recording, if it fits.
func (r *reader) hold(l line) error {
	switch {
	case (l.Recording != nil) != (r.number == 1):
		return errors.New("the first line, and no other, is the header")
	case r.rec.Stopped != "" && l.End == nil:
		return errors.New("something follows after the run was stopped")
	case r.rec.Points == nil && (l.Phase != nil || l.Stopped != nil || l.End != nil):
		return errors.New("it must follow a point")
	case r.phase == nil && (l.Batch != nil || l.Clear != nil || l.Contents != nil):
		return errors.New("it must be in a phase")
	case l.Recording != nil:
		r.rec.Header = *l.Recording
		return r.rec.check()
	case l.Point != nil:
		r.rec.Points, r.phase = append(r.rec.Points, l.Point), nil
		return l.Point.check()
	case l.Phase != nil:
		p, phase := r.rec.Points[len(r.rec.Points)-1], l.Phase
		if phase.Name == "" || p.phase(phase.Name) != nil {
			return fmt.Errorf("a second phase named %s at one point, or one without a name", nearest.Quoted(phase.Name))
		}
		p.Phases, r.phase = append(p.Phases, phase), phase
		return cmp.Or(atMost("warmup", phase.Warmup, 1<<62), atMost("rate", phase.Rate, 1e15))
	case l.Batch != nil, l.Clear != nil:
		return r.item(l)
	case l.Contents != nil:
		r.phase.Ended, r.phase = l.Contents, nil
		return l.Contents.Check.check()
	case l.Stopped != nil:
		if r.rec.Stopped = l.Stopped.Why; r.rec.Stopped == "" {
			return errors.New("stopped does not say why")
		}
		return nil
	case l.End != nil:
		return r.end(*l.End)
	case r.lenient:
		return nil // of a newer version
	}
	return errors.New("a line of nothing that is known")
}

// item adds an item to the phase. Rounds never decrease.
func (r *reader) item(item line) error {
	const maxOperations = 1 << 62
	if b := item.Batch; b != nil {
		if b.Number != r.rec.Batches+1 {
			return fmt.Errorf("batch %d after batch %d", b.Number, r.rec.Batches)
		}
		if err := cmp.Or(b.check(r.rec.Kind), atMost("the number of operations", r.rec.Operations+b.N, maxOperations)); err != nil {
			return err
		}
		r.rec.Batches++
		r.rec.Operations += b.N
	}
	if n := len(r.phase.Items); n > 0 && r.phase.Items[n-1].round() > item.round() {
		return fmt.Errorf("round %d after round %d", item.round(), r.phase.Items[n-1].round())
	}
	r.phase.Items = append(r.phase.Items, item)
	return nil
}

func (r *reader) end(e end) error {
	switch digest := hashText(r.hash.Sum128()); {
	case e.Digest != digest:
		return fmt.Errorf("the digest of the file is %s, it says %s: it was damaged or changed", digest, nearest.Quoted(e.Digest))
	case e.Batches != r.rec.Batches || e.Operations != r.rec.Operations:
		return errors.New("the numbers of batches and operations are not those of the file")
	}
	r.ended = true
	return nil
}

var errNoBatch = errors.New("it is cut off before the first batch")

// finish checks that the recording has an end. The lines of one that was cut off are whole.
func (r *reader) finish() error {
	if r.ended {
		return nil
	}
	if r.rec.Batches == 0 {
		return errNoBatch
	}
	r.rec.Cut = fmt.Sprintf("it is cut off after batch %d", r.rec.Batches)
	return nil
}

// ErrCutOff means that a recording has no end.
var ErrCutOff = errors.New("hint: --partial takes what is there")

// Open reads a recording, which must be closed. One that is cut off is an error unless partial is set.
func Open(path string, partial bool) (*Recording, error) {
	f, err := regular.Open(path)
	if err != nil {
		hint := "" // what an earlier run left of a recording that is not there
		if _, missing := os.Stat(path); missing != nil && Is(path+regular.Partial) {
			hint = fmt.Sprintf("; hint: what an earlier run left is in %s", path+regular.Partial)
		}
		return nil, fmt.Errorf("recording: %w%s", err, hint)
	}
	r, err := read(f)
	if err == nil {
		r.path = path
	}
	if err == nil && r.Cut != "" && !partial {
		err = fmt.Errorf("%s; %w", r.Cut, ErrCutOff)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("recording %s: %w", path, err)
	}
	if r.columns == nil {
		f.Close()
	}
	return r, nil
}

// Close closes the file of a materialized recording.
func (r *Recording) Close() error {
	if r.columns == nil {
		return nil
	}
	return r.columns.file.Close()
}

// file is an open recording.
type file interface {
	rows.File
	io.Closer
}

func read(f file) (*Recording, error) {
	start := make([]byte, len(parquet.Magic))
	_, _ = f.ReadAt(start, 0)
	switch string(start) {
	case parquet.Magic:
		return readColumns(f)
	case rows.Arrow[:len(start)]:
		return nil, errors.New("a materialized recording of an older version, an Arrow file; hint: the version that wrote it exports it as parquet")
	}
	r := newReader()
	if err := r.lines(f); err != nil {
		return nil, err
	}
	if r.rec.Kind == Materialised {
		return nil, errors.New("it says that it is materialised, but is a text; hint: recording export writes Parquet")
	}
	return r.rec, nil
}

// Is reports whether a file begins like a recipe, or is a Parquet file with the metadata of a recording.
func Is(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, len(mark))
	if n, _ := io.ReadFull(f, start); !bytes.HasPrefix(start[:n], []byte(parquet.Magic)) {
		return string(start[:n]) == mark
	}
	table, err := rows.OpenParquet(f)
	return err == nil && table.Metadata[metaKey] != ""
}

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

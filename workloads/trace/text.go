package trace

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/workloads/columnar"
)

// maxLine bounds a line of text, so that a file without lines takes no memory.
const maxLine = 1 << 20

// csvRows are the lines of a CSV file.
type csvRows struct {
	in *csv.Reader
	at [columns]int // of a column in a line, -1 if it is not wanted
}

func newCSV(f columnar.Opened, comma rune) *csv.Reader {
	in := csv.NewReader(&limited{in: bufio.NewReaderSize(f, 1<<16)})
	in.Comma, in.ReuseRecord, in.FieldsPerRecord = comma, true, -1
	return in
}

// limited refuses lines that are longer than a line may be.
type limited struct {
	in   io.Reader
	line int
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.in.Read(p[:min(len(p), 1<<16)])
	if last := bytes.LastIndexByte(p[:n], '\n'); last >= 0 {
		l.line = n - last
	} else if l.line += n; l.line > maxLine {
		return 0, fmt.Errorf("a line of more than %d bytes", maxLine)
	}
	return n, err
}

func openCSV(comma rune) func(columnar.Opened, *Options) (rows, error) {
	return func(f columnar.Opened, opt *Options) (rows, error) {
		c := &csvRows{in: newCSV(f, comma)}
		var names []string
		if !opt.Numbered {
			first, err := c.in.Read()
			if err == io.EOF {
				return nil, errors.New("the file is empty")
			}
			if err != nil {
				return nil, err
			}
			names = slices.Clone(first)
		}
		for i, name := range opt.wanted() {
			var err error
			if c.at[i], err = place(name, names); err != nil {
				return nil, err
			}
		}
		return c, nil
	}
}

// place is where a column is: by its name, or by its number in a file without names.
func place(name string, names []string) (int, error) {
	if name == "" {
		return -1, nil
	}
	if names != nil {
		if at := slices.Index(names, name); at >= 0 {
			return at, nil
		}
		return 0, nearest.Unknown("column", name, shown(names))
	}
	n, err := strconv.ParseUint(name, 10, 16)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("column %q: in a file without names, columns are numbers from 1 on", name)
	}
	return int(n) - 1, nil
}

// shown are names as messages can have them.
func shown(names []string) (list []string) {
	const most = 20
	for _, name := range names[:min(len(names), most)] {
		list = append(list, short(name))
	}
	return list
}

func (c *csvRows) next() (r row, err error) {
	line, err := c.in.Read()
	if err != nil {
		return r, err
	}
	for i, at := range c.at {
		if at < 0 {
			continue
		}
		if at >= len(line) {
			return r, fmt.Errorf("it has %d columns, and %s is number %d", len(line), columnNames[i], at+1)
		}
		r[i] = cell{text: line[at], is: cellText}
	}
	return r, nil
}

func (c *csvRows) close() {}

// openTwitter reads Twitter's cache traces: timestamp, key, key size, value size, client,
// operation, TTL. The value is the size of the value.
func openTwitter(f columnar.Opened, _ *Options) (rows, error) {
	return &csvRows{in: newCSV(f, ','), at: [columns]int{keyColumn: 1, opColumn: 5, valueColumn: 3, timeColumn: 0}}, nil
}

// jsonRows are the lines of an NDJSON file, each an object.
type jsonRows struct {
	in    *bufio.Scanner
	names [columns]string
}

func openNDJSON(f columnar.Opened, opt *Options) (rows, error) {
	in := bufio.NewScanner(f)
	in.Buffer(nil, maxLine)
	return &jsonRows{in, opt.wanted()}, nil
}

func (j *jsonRows) next() (r row, err error) {
	for j.in.Scan() {
		if line := bytes.TrimSpace(j.in.Bytes()); len(line) > 0 {
			return j.object(line)
		}
	}
	if j.in.Err() != nil {
		return r, j.in.Err()
	}
	return r, io.EOF
}

func (j *jsonRows) object(line []byte) (r row, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return r, err
	}
	for i, name := range j.names {
		raw, there := fields[name]
		if name == "" {
			continue
		}
		if !there {
			return r, fmt.Errorf("it has no field %s", short(name))
		}
		var text string
		var number json.Number
		switch {
		case json.Unmarshal(raw, &number) == nil && number != "" && raw[0] != '"':
			text = number.String()
		case json.Unmarshal(raw, &text) != nil || raw[0] != '"':
			return r, fmt.Errorf("field %s is %s: it takes a number or a text", short(name), short(string(raw)))
		}
		r[i] = cell{text: text, is: cellText}
	}
	return r, nil
}

func (j *jsonRows) close() {}

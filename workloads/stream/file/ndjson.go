package file

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// readNDJSON reads a file that has a JSON object on every line.
func readNDJSON(f Opened, c *collector) error { return c.ndjson(f) }

func (c *collector) ndjson(f io.Reader) error {
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, longestRecord)
	number := uint64(0)
	for lines.Scan() {
		number++
		line := bytes.TrimSpace(lines.Bytes())
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if len(line) == 0 {
			continue
		}
		if err := c.object(line, number); err != nil {
			return ended(err)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf(", line %d: it is longer than %d bytes", number+1, longestRecord)
	}
	return lines.Err()
}

// ended is the error at the end of the reading, if it is one.
func ended(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// object takes a line.
func (c *collector) object(line []byte, number uint64) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil || object == nil {
		return fmt.Errorf(", line %d: it is no JSON object: %s", number, quoted(string(line)))
	}
	names := slices.Sorted(maps.Keys(object))
	if c.Column == "" {
		if _, err := c.find(names); err != nil {
			return err
		}
	}
	cell, there := object[c.Column]
	if !there {
		return fmt.Errorf(", line %d: there is no %s; there are %s", number, quoted(c.Column), list(names))
	}
	return c.json(cell, place{"line", number})
}

// json takes a JSON value, which is a text or a number.
func (c *collector) json(cell json.RawMessage, p place) error {
	switch first := cell[0]; {
	case first == '"':
		var text string
		if err := json.Unmarshal(cell, &text); err != nil {
			return c.at(p, "%s is no text: %w", quoted(string(cell)), err)
		}
		return c.text(text, p)
	case bytes.Equal(cell, []byte("null")):
		return c.missing(p)
	case first != '-' && (first < '0' || first > '9'):
		return c.at(p, "%s is neither a whole number nor a text", quoted(string(cell)))
	case c.As == Text:
		return c.text(string(cell), p)
	case !isInteger(string(cell)):
		return c.at(p, "%s is no whole number", cell)
	}
	return c.number(string(cell), p)
}

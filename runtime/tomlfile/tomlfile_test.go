package tomlfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

const small = `# a comment
name = "x"
[b.c]
list = [1, 2]

[empty]
[a]
text = """name = 7
"""
`

func TestValuesComeInOrderWithTheirLines(t *testing.T) {
	var have []string
	err := Read("small.toml", small, nil, func(k Key, v any) error {
		have = append(have, fmt.Sprintf("%d %s %v", k.Line, k, v))
		return nil
	})
	want := []string{"2 name x", "4 b.c.list [1 2]", "6 empty map[]", "9 a.text name = 7\n"}
	must.Hold(t, err == nil && strings.Join(have, ";") == strings.Join(want, ";"), "%q, %v; it should be %q", have, err, want)
}

func TestErrorsHaveFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		small:          "small.toml:3: no list",
		"a = 1\na = 2": "small.toml:2: ",
		"a = ":         "small.toml:1: ",
	} {
		err := Read("small.toml", text, func(key string) bool { return key == "b.c" }, func(k Key, v any) error {
			if k.String() == "b.c" {
				return errors.New("no list")
			}
			return nil
		})
		must.Begin(t, err, want, text)
	}
}

func TestDecodeIsStrict(t *testing.T) {
	var into struct {
		A int `toml:"a"`
	}
	for text, want := range map[string]string{
		"a = 1\nb = 2": "small.toml: unknown key b",
		"a = ":         "small.toml:1: ",
		"a = 'x'":      "small.toml: ",
	} {
		must.Begin(t, Decode("small.toml", text, &into), want, text)
	}
	err := Decode("small.toml", "a = 7", &into)
	must.Hold(t, err == nil && into.A == 7, "%d, %v", into.A, err)
}

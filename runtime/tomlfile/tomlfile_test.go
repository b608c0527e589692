package tomlfile

import (
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

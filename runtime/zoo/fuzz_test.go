package zoo

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/schemes"
)

// Any text given as a scheme is refused in one line, or parses to a scheme whose text parses
// to the same one.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"bcht", "1cht:hashes=3", "bcht:bucket=8,hash=universal", "bcht:bucket=8,,bucket=16", "bcht:",
		" bcht : bucket = 8", "bcht:max_chain=-1", "bcht:max_chain=99999999999999999999", ":", "bcht:=", "bcht:placement", "ÿ:\n="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := schemes.Parse(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") || err.Error() == "" {
				t.Fatalf("%q: error %q", text, err)
			}
			return
		}
		again, err := schemes.Parse(c.String())
		if err != nil || !reflect.DeepEqual(again.Settings(), c.Settings()) || again.Name != c.Name {
			t.Fatalf("%q is %q, which is %v, %v", text, c, again, err)
		}
	})
}

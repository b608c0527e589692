package zoo_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"bcht":                           "bcht",
		"bcht:":                          "bcht",
		"bcht:bucket=8":                  "bcht", // the default
		"bcht:bucket=4":                  "bcht:bucket=4",
		" bcht : bucket = 4 , hashes=2 ": "bcht:bucket=4,hashes=2",
		"bcht:hashes=2,bucket=4":         "bcht:bucket=4,hashes=2",
		"bcht:bucket=8,bucket=32":        "bcht:bucket=32",
		"1cht:hash=universal":            "1cht:hash=universal",
		"1cht:max_chain=4096":            "1cht:max_chain=4096",
	} {
		c := must.Get(schemes.Parse(text))(t)
		must.Hold(t, c.String() == want, "%q is read as %q, want %q", text, c, want)
		again, err := schemes.Parse(c.String())
		must.Hold(t, err == nil && maps.Equal(again.Settings(), c.Settings()), "%q does not read back: %v, %v", c, again.Settings(), err)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     `unknown scheme ""`,
		"bhct":                                 `unknown scheme "bhct": did you mean bcht`,
		"bcht:buckets=8":                       `scheme bcht: unknown parameter "buckets": did you mean bucket?`,
		"bcht:bucket=7":                        `scheme bcht: parameter bucket is "7": it takes 1, 2, 4, 8, 16, 32`,
		"bcht:bucket":                          `"bucket" is no setting: write param=value, as in bcht:bucket=8`,
		"bcht:hash=md5":                        `parameter hash is "md5": it takes fast, universal`,
		"1cht:hashes=1":                        `parameter hashes is "1": it takes 2 to 5`,
		"1cht:hashes=6":                        `parameter hashes is "6": it takes 2 to 5`,
		"megakv:max_chain=842511":              `parameter max_chain is "842511": it takes 0 to 4096`,
		"fks:max_chain=65536":                  `parameter max_chain is "65536": it takes 1 to 4096`,
		"bcht:bucket=2,placement=least_loaded": `bucket=2,placement=least_loaded is not compiled: there are bucket=1,placement=first; `,
	} {
		err := must.Err(schemes.Parse(text))
		must.Hold(t, err != nil && strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "\n"), "%q: %v, not one line with %q", text, err, want)
	}
}

// Any text given as a scheme is refused in one line, or parses to a scheme whose text parses to the same one.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"bcht", "1cht:hashes=3", "bcht:bucket=8,hash=universal", "bcht:bucket=8,,bucket=16", "bcht:",
		" bcht : bucket = 8", "bcht:max_chain=-1", "bcht:max_chain=99999999999999999999", ":", "bcht:=", "bcht:placement", "ÿ:\n="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := schemes.Parse(text)
		if err != nil {
			must.Need(t, !strings.ContainsAny(err.Error(), "\n\r") && err.Error() != "", "%q: error %q", text, err)
			return
		}
		again, err := schemes.Parse(c.String())
		must.Need(t, err == nil && reflect.DeepEqual(again.Settings(), c.Settings()) && again.Name == c.Name, "%q is %q, which is %v, %v", text, c, again, err)
	})
}

package session

import (
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/schemes"
)

// A piece that is a setting belongs to the scheme before it.
func TestSchemeList(t *testing.T) {
	for text, want := range map[string]string{
		"":                             strings.Join(schemes.Names(), " "),
		"bcht":                         "bcht",
		"1cht,bcht":                    "1cht bcht",
		"1cht,bcht:bucket=8,1cht":      "1cht bcht:bucket=8 1cht",
		"bcht:bucket=8,hashes=2,1cht":  "bcht:bucket=8,hashes=2 1cht",
		"bcht:bucket=8;bcht:bucket=32": "bcht:bucket=8 bcht:bucket=32",
		"1cht:hashes=3,hash=universal": "1cht:hashes=3,hash=universal",
	} {
		var given []string
		if text != "" {
			given = strings.Split(text, ";") // --schemes given more than once
		}
		got, err := Schemes(given)
		var names []string
		for _, c := range got {
			names = append(names, c.String())
		}
		if list := strings.Join(names, " "); err != nil || list != want {
			t.Errorf("%q: %s, %v; it should be %s", text, list, err, want)
		}
	}
	for text, want := range map[string]string{
		"bucket=8,bcht":      `schemes are "bucket=8,bcht": the setting bucket=8 has no scheme before it`,
		"1cht,bcht,bucket=8": `schemes are "1cht,bcht,bucket=8": the first setting comes after a colon: bcht:bucket=8`,
		"bcht,":              `unknown scheme "": `,
		"bcht:bucket=7,1cht": "scheme bcht: parameter bucket is",
	} {
		if _, err := Schemes([]string{text}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; it should say %s", text, err, want)
		}
	}
}

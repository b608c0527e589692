package session

import (
	"strconv"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// A piece that is a setting belongs to the scheme before it.
func TestSchemeList(t *testing.T) {
	many := "bcht:max_chain={" + strings.Repeat("9,", 1000) + "9}"
	endless := "bcht:bucket=" + strings.Repeat("{4,8}", 100)
	for text, want := range map[string]string{
		"":                               strings.Join(schemes.Names(), " "),
		"bcht":                           "bcht",
		"1cht,bcht":                      "1cht bcht",
		"1cht,bcht:bucket=4,1cht":        "1cht bcht:bucket=4 1cht",
		"bcht:bucket=4,hashes=2,1cht":    "bcht:bucket=4,hashes=2 1cht",
		"bcht:bucket=4;bcht:bucket=32":   "bcht:bucket=4 bcht:bucket=32",
		"1cht:hashes=3,hash=universal":   "1cht:hashes=3,hash=universal",
		"bcht:bucket={2,4},hashes={2,4}": "bcht:bucket=2,hashes=2 bcht:bucket=2,hashes=4 bcht:bucket=4,hashes=2 bcht:bucket=4,hashes=4",
		"1cht,bcht:bucket={8,32},1cht":   "1cht bcht bcht:bucket=32 1cht",
		"{1cht,bcht}:hashes=2":           "1cht:hashes=2 bcht:hashes=2",
		"bcht,bcht:bucket={4,8},bcht":    "bcht bcht:bucket=4 bcht",
		"bcht:bucket={4}":                "bcht:bucket=4",
	} {
		var given []string
		if text != "" {
			given = strings.Split(text, ";") // --schemes given more than once
		}
		got, err := Schemes(given)
		names := lists.Map(got, schemes.Config.String)
		if list := strings.Join(names, " "); err != nil || list != want {
			t.Errorf("%q: %s, %v; it should be %s", text, list, err, want)
		}
	}
	for text, want := range map[string]string{
		"bucket=8,bcht":      `schemes are "bucket=8,bcht": the setting bucket=8 has no scheme before it`,
		"1cht,bcht,bucket=8": `schemes are "1cht,bcht,bucket=8": the first setting comes after a colon: bcht:bucket=8`,
		"bcht,":              `unknown scheme "": `,
		"bcht:bucket=7,1cht": "scheme bcht: parameter bucket is",

		"bcht:bucket={4,8":     `schemes are "bcht:bucket={4,8": bcht:bucket={4,8 has a brace without its other one, or a set in a set; write sets as in {4,8}`,
		"bcht:bucket=4}":       `schemes are "bcht:bucket=4}": bcht:bucket=4} has a brace without`,
		"bcht:bucket={4,{8}}":  `schemes are "bcht:bucket={4,{8}}": bcht:bucket={4,{8}} has a brace without`,
		"bcht:bucket={}":       `schemes are "bcht:bucket={}": the set {} lacks a value; write sets as in {4,8}`,
		"bcht:bucket={4,}":     `schemes are "bcht:bucket={4,}": the set {4,} lacks a value`,
		"bcht:bucket={4,7}":    "scheme bcht: parameter bucket is",
		"bcht:{bucket=8,1cht}": "scheme bcht: ",
		many:                   "schemes are " + strconv.Quote(many) + ": its sets stand for more than 1000 schemes; hint: write fewer values",
		"1cht," + endless:      "schemes are " + strconv.Quote("1cht,"+endless) + ": its sets stand for more than 1000",
	} {
		if _, err := Schemes([]string{text}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; it should say %s", text, err, want)
		}
	}
}

package results

import (
	"bytes"
	"errors"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

var zoo = Table{
	Columns: []Column{{Title: "scheme"}, {Title: "rate", Unit: "Mop/s", Number: true}, {Title: "note"}},
	Rows:    [][]string{{"bcht", "9237", "-"}, nil, {"1cht:hash=universal", "7.5", "± 1 %"}},
}

// Outside a terminal the table is aligned, without trailing spaces or escape codes.
func TestPlainTable(t *testing.T) {
	want := "" +
		"scheme                rate  note\n" +
		"                     Mop/s\n" +
		"bcht                  9237  -\n" +
		"\n" +
		"1cht:hash=universal    7.5  ± 1 %\n"
	var out bytes.Buffer
	err := zoo.Print(&out)
	must.Hold(t, err == nil && out.String() == want, "%v, got\n%swant\n%s", err, out.String(), want)
}

func TestTerminalTable(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	want := "" +
		"\x1b[1mscheme                rate  note\x1b[m\n" +
		"\x1b[1m                     Mop/s\x1b[m\n" +
		"─────────────────────────────────\n" +
		"bcht                  9237  -\n" +
		"\n" +
		"1cht:hash=universal    7.5  ± 1 %\n"
	must.Match(t, zoo.Fit(80, true), want)
}

// A long value goes on below where it begins, and no word is broken.
func TestParagraphsAndWrapped(t *testing.T) {
	list := Table{Columns: []Column{{Title: "scheme"}, {Title: "operations"}}, Rows: [][]string{{"linear", "insert find retrieve update erase upsert flush"}}}
	wide := Table{Columns: []Column{{Title: "longer"}, {Title: "help"}}, Rows: [][]string{{"x", "one two three four five six seven"}, {"y", "short"}}}
	wide.Wrap = 28
	for got, want := range map[string]string{
		zoo.Fit(30, true):  "scheme  bcht\nrate    9237 Mop/s\n\nscheme  1cht:hash=universal\nrate    7.5 Mop/s\nnote    ± 1 %\n",
		list.Fit(32, true): "scheme      linear\noperations  insert find retrieve\n            update erase upsert\n            flush\n",
		wide.Fit(0, false): "longer  help\nx       one two three four\n        five six seven\ny       short\n",
	} {
		must.Match(t, got, want)
	}
}

// titled is a table whose rows are named by two columns.
var titled = Table{
	Columns: []Column{{Title: "scheme"}, {Title: "load", Number: true}, {Title: "find 100 %", Unit: "Mop/s", Number: true},
		{Title: "bytes", Unit: "per pair", Number: true}, {Title: "a far longer title", Number: true}},
	Rows: [][]string{{"bcht", "0.6", "23.1", "13.3", "7"}, nil, {"1cht", "0.9", "19.9", "8.9", "8"}},
	Keys: 2,
}

func TestNarrowTables(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	for _, c := range []struct {
		width int
		want  string
	}{
		{60, "" +
			"scheme  load  find 100 %     bytes  a far longer title\n" +
			"                   Mop/s  per pair\n" +
			"──────────────────────────────────────────────────────\n" +
			"bcht     0.6        23.1      13.3                   7\n" +
			"\n" +
			"1cht     0.9        19.9       8.9                   8\n"},
		{50, "" +
			"                             a far\n" +
			"               find         longer\n" +
			"scheme  load  100 %  bytes   title\n" +
			"              Mop/s    per\n" +
			"                      pair\n" +
			"──────────────────────────────────\n" +
			"bcht     0.6   23.1   13.3       7\n" +
			"\n" +
			"1cht     0.9   19.9    8.9       8\n"},
		{32, "" +
			"               find\n" +
			"scheme  load  100 %  bytes\n" +
			"              Mop/s    per\n" +
			"                      pair\n" +
			"──────────────────────────\n" +
			"bcht     0.6   23.1   13.3\n" +
			"\n" +
			"1cht     0.9   19.9    8.9\n" +
			"\n" +
			"scheme  load  a far longer title\n" +
			"────────────────────────────────\n" +
			"bcht     0.6                   7\n" +
			"\n" +
			"1cht     0.9                   8\n"},
		{18, "scheme     bcht\nload       0.6\nfind 100 %  23.1 Mop/s\nbytes      13.3 per pair\na far longer title  7\n\n" +
			"scheme     1cht\nload       0.9\nfind 100 %  19.9 Mop/s\nbytes      8.9 per pair\na far longer title  8\n"},
	} {
		must.Match(t, titled.Fit(c.width, true), c.want, c.width)
	}
}

// Texts of scripts cannot control the terminal.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"± 1 %": "± 1 %", "a\tb\nc": "a b c", "\x1b[2J": "?[2J", "\x00\a\u009b": "???", "a\xffb": "a?b",
	} {
		must.Match(t, Plain(text), want, text)
	}
	wild := Table{Columns: []Column{{Title: "a\x1b[2J", Unit: "\r"}}, Rows: [][]string{{"\x1b]0;title\a"}}}
	var out bytes.Buffer
	err := wild.Print(&out)
	must.Hold(t, err == nil && out.String() == "a?[2J\n?\n?]0;title?\n", "%q, %v", out.String(), err)
}

// A table without rows is not shown, but the notes are.
func TestNotes(t *testing.T) {
	var out bytes.Buffer
	one := TableOf("a | #b", []string{"x"}, func(s string) []string { return []string{s, "12"} })
	must.OK(t, errors.Join(one.Print(&out, "note"), (Table{Columns: zoo.Columns}).Print(&out, "a\x1b")))
	must.Match(t, out.String(), "a   b\nx  12\n\nnote\na?\n")
}

package results

import (
	"bytes"
	"errors"
	"testing"
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
	if err := zoo.Print(&out); err != nil || out.String() != want {
		t.Errorf("%v, got\n%swant\n%s", err, out.String(), want)
	}
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
	if got := zoo.grid(zoo.plain(), true); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestParagraphs(t *testing.T) {
	want := "" +
		"scheme  bcht\n" +
		"rate    9237 Mop/s\n" +
		"\n" +
		"scheme  1cht:hash=universal\n" +
		"rate    7.5 Mop/s\n" +
		"note    ± 1 %\n"
	if got := paragraphs(zoo.plain()); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Texts of scripts cannot control the terminal.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"± 1 %": "± 1 %", "a\tb\nc": "a b c", "\x1b[2J": "?[2J", "\x00\a\u009b": "???", "a\xffb": "a?b",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q becomes %q instead of %q", text, got, want)
		}
	}
	wild := Table{Columns: []Column{{Title: "a\x1b[2J", Unit: "\r"}}, Rows: [][]string{{"\x1b]0;title\a"}}}
	var out bytes.Buffer
	if err := wild.Print(&out); err != nil || out.String() != "a?[2J\n?\n?]0;title?\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// A table without rows is not shown, but the notes are.
func TestNotes(t *testing.T) {
	var out bytes.Buffer
	one := TableOf("a | #b", []string{"x"}, func(s string) []string { return []string{s, "12"} })
	if err := errors.Join(one.Print(&out, "note"), (Table{Columns: zoo.Columns}).Print(&out, "a\x1b")); err != nil {
		t.Fatal(err)
	}
	if want := "a   b\nx  12\n\nnote\na?\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
}

package rows

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// taker is a Part that hears of each row.
type taker func(cells []Cell)

func (do taker) Take(cells []Cell, width int) (int, error) {
	for row := range slices.Chunk(cells, width) {
		do(row)
	}
	return 0, nil
}

// readRows calls do with each row of a file, and returns the error at which it ends.
func readRows(name, text string, opt Options, do taker) error {
	r, err := Open(name, bytes.NewReader([]byte(text)), opt)
	if err != nil {
		return err
	}
	return r.Make(Parts{Rows: math.MaxUint64, First: func([]Cell) {}, New: func(int) Part { return do }, Done: func(Part) error { return nil }})
}

// readAll returns the cells of a file as texts, and the error at which it ends.
func readAll(name, text string, opt Options) (list []string, err error) {
	err = readRows(name, text, opt, func(cells []Cell) { list = append(list, fmt.Sprintf("%q", cells)) })
	return list, err
}

// oddCells are cells as people write them, plain and in quotation marks.
var oddCells = []string{"1", "-2.50", "", "a b", " x ", `"a,b"`, `"say ""x"""`, "\"two\nlines\"", "\"two\r\nlines\"", `""`, "ü", "x\ry", `","`, `"` + strings.Repeat("long ", 99) + `"`}

// A CSV file of many blocks has the cells that encoding/csv finds in it.
func TestBlocksOfCSV(t *testing.T) {
	for _, layout := range []Layout{{Delimiter: ","}, {Delimiter: ";"}, {Delimiter: "§", Numbered: true}, {Delimiter: ",", Comment: "#"}} {
		opt := Options{Layout: layout}
		comma := opt.Delimiter
		random, text := rand.New(rand.NewPCG(1, 2)), strings.Builder{}
		text.WriteString("a" + comma + "b" + comma + "c\r\n")
		for text.Len() < 3*blockBytes {
			for i := range 3 {
				text.WriteString(oddCells[random.IntN(len(oddCells))] + []string{comma, comma, "\n"}[i])
			}
			switch random.IntN(8) {
			case 0:
				text.WriteString("\n\r\n")
			case 1:
				text.WriteString("x" + comma + comma + "y\r\n")
			case 2:
				if opt.Comment != "" {
					text.WriteString("# don\"t\n")
				}
			}
		}
		text.WriteString("end" + comma + "of" + comma + "file")
		in := csv.NewReader(strings.NewReader(text.String()))
		in.Comma = []rune(comma)[0]
		if opt.Comment != "" {
			in.Comment = '#'
		}
		all := must.Get(in.ReadAll())(t)
		var want []string
		for _, record := range all {
			want = append(want, fmt.Sprintf("%q", []Cell{{Text: record[2]}, {Text: record[0]}}))
		}
		opt.Columns = []Column{{Name: "c"}, {Name: "a"}}
		if opt.Numbered {
			opt.Columns = []Column{{Name: "3"}, {Name: "1"}}
		} else {
			want = want[1:]
		}
		have := must.Get(readAll("a.csv", text.String(), opt))(t)
		must.Match(t, have, want)
	}
}

// oddValues are values of JSON, and names that stand for one of the columns.
var (
	oddValues = []string{"1", "-0", "2.5e-3", "1E4", "null", `"a"`, `"say \"x\""`, `"\u00fc\n"`, `"ü"`, "\"\xff\"", `"` + strings.Repeat("long ", 99) + `"`, `""`}
	oddExtras = []string{`"x":[1,{"id":"]}"}],`, `"\u0069d":5,`, `"id" :	7 ,`, `"y":true,`, `"z":{},`, ""}
)

// An NDJSON file of many blocks has the cells that encoding/json finds in it.
func TestBlocksOfNDJSON(t *testing.T) {
	random, text := rand.New(rand.NewPCG(3, 4)), strings.Builder{}
	var want []string
	for text.Len() < 3*blockBytes {
		value := func() string { return oddValues[random.IntN(len(oddValues))] }
		line := "{" + oddExtras[random.IntN(len(oddExtras))] + `"other":` + value() + []string{`,"id":` + value(), ""}[random.IntN(2)] + " }"
		text.WriteString(line + []string{"\n", "\r\n", "\n\n"}[random.IntN(3)])
		object, cells := map[string]any{}, []Cell{{}, {}}
		in := json.NewDecoder(strings.NewReader(line))
		in.UseNumber()
		must.OK(t, in.Decode(&object))
		for i, name := range []string{"id", "other"} {
			if object[name] != nil {
				cells[i].Text = fmt.Sprint(object[name])
			}
		}
		want = append(want, fmt.Sprintf("%q", cells))
	}
	have := must.Get(readAll("a.ndjson", text.String(), Options{Columns: []Column{{Name: "id", Optional: true}, {Name: "other"}}}))(t)
	must.Match(t, have, want)
}

// What encoding/json refuses is refused, with a line's number, after all rows before it.
func TestWrongLinesOfBlocks(t *testing.T) {
	const rows = 20_000
	for _, line := range []string{`{"a":1,}`, `{"a":01}`, `{"a":1.}`, `{"a":+1}`, `{"a":-}`, `{"a":1e}`, `{"a":1} x`, `{"a":1`, `{"a" 1}`, `{"a":"x}`, `{"a":"` + "\t" + `"}`,
		`{"a":"\x"}`, `{"a":1,"b":[}`, `{"a":1,"b":{"c"}}`, `{"a":1,"b":tru}`, `{a:1}`, `{"a":1 "b":2}`, `{,"a":1}`, `{"a":"\`, `{"a":1,"b":[1}`, `{}`, `{"b":1}`, `{"a":[]}`, `{"a":false}`} {
		text := strings.Repeat("{\"a\": 5, \"name\": \"abc\"}\n\r\n", rows/2) + line + "\n{\"a\":6}\n"
		have, err := readAll("a.ndjson", text, Options{Columns: []Column{{Name: "a"}}})
		if want := fmt.Sprintf("a.ndjson, line %d", rows+1); err == nil || !strings.HasPrefix(err.Error(), want) || len(have) != rows/2 {
			t.Errorf("%s: %d rows, then %v; it should say %s", line, len(have), err, want)
		}
	}
	for _, line := range []string{"1", "1,2,3", `"a"b,2`, `a",2`, `"a,2` + "\n\n"} {
		text := "a,b\n# it's \"\n" + strings.Repeat("5,\"x\ny\"\n", rows/2) + line
		have, err := readAll("a.csv", text, Options{Layout: Layout{Comment: "#"}, Columns: []Column{{Name: "a"}}})
		in := csv.NewReader(strings.NewReader(text))
		in.Comment = '#'
		_, all := in.ReadAll()
		want := fmt.Sprintf("a.csv, line %d: ", all.(*csv.ParseError).Line)
		must.Hold(t, err != nil && strings.HasPrefix(err.Error(), want) && len(have) == rows/2, "%s: %d rows, then %v; it should say %s", line, len(have), err, want)
	}
}

// A quotation mark in an odd place is reported where it is, however much text without another one follows.
func TestQuoteOfNoPair(t *testing.T) {
	text := "a,b\n5,x\n6\",y\n" + strings.Repeat("7,z\n", longestRecord/2)
	have, err := readAll("a.csv", text, Options{Columns: []Column{{Name: "a"}}})
	want := `a.csv, line 3: character 2: bare " in non-quoted-field`
	must.Hold(t, err != nil && err.Error() == want && len(have) == 1, "%q, %v, want %s", have, err, want)
}

// Reading allocates memory by block, not by row; CSV also once for the text of a row.
func TestRowsAllocateNothing(t *testing.T) {
	const rows = 50_000
	for name, line := range map[string]string{
		"a.csv": "5,\"some text\",7.25\n", "a.ndjson": "{\"a\": 5, \"b\": \"some text\", \"c\": 7.25}\n",
	} {
		text := strings.Repeat(line, rows)
		if name == "a.csv" {
			text = "a,b,c\n" + text
		}
		opt := Options{Columns: []Column{{Name: "a", Scaled: true}, {Name: "b"}, {Name: "c", Scaled: true, Decimals: 3}}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := readRows(name, text, opt, func(cells []Cell) {
			if cells[2].Number != 7250 {
				t.Error(cells)
			}
		})
		if runtime.ReadMemStats(&after); err != nil || after.Mallocs-before.Mallocs > rows/10+map[string]uint64{"a.csv": rows}[name] {
			t.Errorf("%s: %d allocations for %d rows, %v", name, after.Mallocs-before.Mallocs, rows, err)
		}
	}
}

package session

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/workloads/parquet"
	"github.com/hashzoo/hashzoo/workloads/rows"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/stream/file"
)

// asked is a run whose contents DuckDB was asked for, too (testdata/duckdb/make.sql).
type asked struct {
	script string
	set    []string
	answer string
	other  bool // it is what retrieve gave
}

var answered = []asked{
	{"groupby", []string{"key=pay,zone", "value=fare", "decimals=2"}, "fares", false},
	{"groupby", []string{"key=delta", "value=tip", "decimals=2"}, "tips", false},
	{"groupby", []string{"key=day"}, "day", false},
	{"groupby", []string{"key=at"}, "at", false},
	{"groupby", []string{"key=flag"}, "flag", false},
	{"join", []string{"on=zone", "left=zones.csv"}, "join", true},
}

// What comes out has the names, the types and the numbers that DuckDB gives, from each format to each.
func TestContentsAsDuckDB(t *testing.T) {
	data := must.Get(filepath.Abs("testdata/duckdb"))(t)
	for _, a := range answered {
		for _, in := range []string{"trips.parquet", "trips.csv", "trips.ndjson"} {
			if in != "trips.parquet" && (a.answer == "day" || a.answer == "at" || a.answer == "flag") {
				continue // the others have no such types
			}
			t.Run(a.answer+" of "+in, func(t *testing.T) { a.compare(t, data, in) })
		}
	}
}

// Columns that are no values are refused with what helps.
func TestColumnsThatAreNoValues(t *testing.T) {
	data := must.Get(filepath.Abs("testdata/duckdb"))(t)
	for column, want := range map[string]string{"pay": `column pay: "cash" is not a whole number`, "tip": "hint: decimals=2 takes them"} {
		for _, name := range []string{"trips.parquet", "trips.ndjson"} {
			r := inFolder(t, func(*Request) {}).request
			r.Script, r.Set = "groupby", []string{"data=" + filepath.Join(data, name), "key=zone", "value=" + column}
			must.Say(t, must.Err(r.Open(t.Context())), want, name)
		}
	}
}

func (a asked) compare(t *testing.T, data, in string) {
	want := must.Get(os.ReadFile(filepath.Join(data, a.answer+".csv")))(t)
	set := append([]string{"runs=1"}, a.set...)
	for i, s := range set {
		set[i] = strings.Replace(s, "left=", "left="+data+"/", 1)
	}
	option := map[string]string{"groupby": "data=", "join": "right="}[a.script]
	set = append(set, option+filepath.Join(data, in))
	for _, format := range rows.Writable {
		path := a.write(t, "out."+format, set...)
		must.Match(t, asCSV(t, path), string(want), in, format, want)
	}
}

// write runs the script on several schemes, some of which lack what it asks for, and returns where the answer is.
func (a asked) write(t *testing.T, path string, set ...string) string {
	t.Helper()
	h := inFolder(t, func(r *Request) {
		r.Contents, r.Choice.Schemes = path, []string{"bcht", "iht", "csr", "linear", "chained"}
	})
	r := h.request
	r.Script, r.Set, r.Out = a.script, set, io.Discard
	must.OK(t, runs(t, r))
	if a.other {
		return regular.Beside(path, "retrieved")
	}
	return path
}

func runs(t *testing.T, r Request) error {
	t.Helper()
	s, err := r.Open(t.Context())
	if err != nil {
		return err
	}
	return s.Run(t.Context(), Watcher{Hear: func(run.Event) {}, Print: func(string, string) {}})
}

// asCSV is a file of any format as CSV, read by other means than it was written where there are any.
func asCSV(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must.OK(t, err)
	var records [][]string
	switch filepath.Ext(path) {
	case ".csv":
		return string(text)
	case ".tsv":
		in := csv.NewReader(bytes.NewReader(text))
		in.Comma = '\t'
		records, err = in.ReadAll()
	case ".ndjson":
		records, err = ofObjects(text)
	case ".parquet":
		records, err = ofParquet(t, path, text)
	}
	must.Need(t, err == nil, "%v %v", path, err)
	var out strings.Builder
	must.OK(t, csv.NewWriter(&out).WriteAll(records))
	return out.String()
}

// ofObjects are the members of objects in their order, after a line of their names.
func ofObjects(text []byte) (records [][]string, err error) {
	for line := range bytes.Lines(text) {
		in := json.NewDecoder(bytes.NewReader(line))
		in.UseNumber()
		var tokens []string
		for token, err := in.Token(); err != io.EOF; token, err = in.Token() {
			if err != nil {
				return nil, err
			}
			tokens = append(tokens, fmt.Sprint(token))
		}
		var names, values []string
		for i := 1; i+1 < len(tokens)-1; i += 2 {
			names, values = append(names, tokens[i]), append(values, tokens[i+1])
		}
		if records == nil {
			records = append(records, names)
		}
		records = append(records, values)
	}
	return records, nil
}

// typesOf are the types of columns in Parquet.
var typesOf = map[string]string{
	"pay,zone,fare": "text,INT64,INT64.2", "delta,tip": "INT32,INT64.2", "day,count": "INT32 date,INT64 unsigned",
	"at,count": "INT64 stamp 6,INT64 unsigned", "flag,count": "BOOLEAN,INT64 unsigned", "zone,left_row,right_row": "INT64,INT64 unsigned,INT64 unsigned",
}

func stored(c parquet.Column) string {
	text := c.Type.String()
	switch {
	case c.Text:
		return "text"
	case c.Decimal:
		return fmt.Sprint(text, ".", c.Scale)
	case c.Time.Is == parquet.Date:
		return text + " date"
	case c.Time.Is == parquet.Stamp:
		return fmt.Sprint(text, " stamp ", c.Time.Digits)
	case c.Unsigned:
		return text + " unsigned"
	}
	return text
}

// ofParquet are the rows of a file whose columns have the right types.
func ofParquet(t *testing.T, path string, text []byte) (records [][]string, err error) {
	table, err := parquet.Open(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, err
	}
	var names, types []string
	var columns [][]string
	for _, c := range table.Columns {
		names, types = append(names, c.Name), append(types, stored(c))
		column, err := column(path, c.Name)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column)
	}
	have, want := strings.Join(types, ","), typesOf[strings.Join(names, ",")]
	must.Hold(t, have == want || have == strings.ReplaceAll(want, "INT32,", "INT64,"), // other formats have no narrow numbers
		"%v are of the types %s, they should be %s", names, have, want)
	records = [][]string{names}
	for i := range columns[0] {
		var record []string
		for _, column := range columns {
			record = append(record, column[i])
		}
		records = append(records, record)
	}
	return records, nil
}

// column reads a column of a file as scripts do, and returns what its numbers stand for.
func column(path, name string) (cells []string, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := file.Read(path, f, nil, file.Options{Column: name, Width: 8, Limit: 1 << 20, Texts: true})
	if err != nil {
		return nil, err
	}
	for _, n := range c[0].Numbers {
		cells = append(cells, c[0].Fields[0].Cell(n))
	}
	return cells, nil
}

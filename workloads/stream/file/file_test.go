package file

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/rows"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// keys are options for a column of keys of 4 bytes.
func keys(column string) Options { return Options{Column: column, Width: 4, Limit: 1000} }

// changed are the options for the column id, changed.
func changed(change func(o *Options)) Options {
	o := keys("id")
	change(&o)
	return o
}

// read reads a file of that name with that text.
func read(t testing.TB, name, text string, opt Options) (*Column, error) {
	t.Helper()
	return readOne("folder/"+name, memoryFile([]byte(text)), opt)
}

func hash8(text string) uint64 { return xxh3.HashString(text) }
func hash4(text string) uint64 { return hash8(text) & 0xffffffff }

func TestTextFiles(t *testing.T) {
	wide, few, text, integer, numbered := keys("id"), keys("id"), keys("id"), keys("id"), keys("2")
	wide.Width = 8
	few.Rows = 2
	text.As, integer.As, numbered.Numbered = rows.AsText, rows.AsInteger, true
	only := keys("")
	named := keys("id")
	named.Format = "csv"
	const minus1 = 1<<32 - 1
	for _, c := range []struct {
		name, text string
		opt        Options
		want       []uint64
	}{
		{"a.csv", "id,x\n1,a\n2,b\n3,c\n", keys("id"), []uint64{1, 2, 3}},
		{"a.csv", "x,id\r\n\"a\nb\",7\r\n,\" 8 \"", keys("id"), []uint64{7, 8}},
		{"a.csv", "\xef\xbb\xbfid\n5\n", keys("id"), []uint64{5}},
		{"a.csv", "id\n0\n-1\n-2147483648\n4294967295\n0xff\n", keys("id"), []uint64{0, minus1, 1 << 31, minus1, 255}},
		{"a.csv", "id\n-1\n18446744073709551615\n-9223372036854775808\n", wide, []uint64{1<<64 - 1, 1<<64 - 1, 1 << 63}},
		{"a.csv", "id\nanna\n5\nanna\n", keys("id"), []uint64{hash4("anna"), hash4("5"), hash4("anna")}},
		{"a.csv", "id\nanna\n", wide, []uint64{xxh3.HashString("anna")}},
		{"a.csv", "id\n5\n\"\"\n", text, []uint64{hash4("5"), hash4("")}},
		{"a.csv", "id\n5\n6\nnot even read\n", few, []uint64{5, 6}},
		{"a.csv", "1,2\n3,4\n", numbered, []uint64{2, 4}},
		{"a.csv", "id\n5\n", only, []uint64{5}},
		{"a.TSV", "x\tid\n\"a\"\t6\n", keys("id"), []uint64{6}},
		{"a.dat", "id\n5\n", named, []uint64{5}},
		{"a.ndjson", "{\"id\": 1}\n\n {\"x\": [1, {}], \"id\": 2}\r\n", keys("id"), []uint64{1, 2}},
		{"a.jsonl", "{\"id\": \"1\"}\n{\"id\":\"\\u0061nna\"}", keys("id"), []uint64{hash4("1"), hash4("anna")}},
		{"a.ndjson", "{\"id\": 18446744073709551615}\n{\"id\": -1}\n", wide, []uint64{1<<64 - 1, 1<<64 - 1}},
		{"a.ndjson", "{\"id\": \"12\"}\n{\"id\": 13}\n", integer, []uint64{12, 13}},
		{"a.ndjson", "{\"id\": 1.50}\n{\"id\": \"x\"}\n", text, []uint64{hash4("1.50"), hash4("x")}},
		{"a.ndjson", "\xef\xbb\xbf{\"id\": 9}\n", only, []uint64{9}},
	} {
		column, err := read(t, c.name, c.text, c.opt)
		must.Hold(t, err == nil && slices.Equal(column.Numbers, c.want), "%q: %v, %v, want %v", c.text, err, column, c.want)
	}
}

func TestTextErrors(t *testing.T) {
	const good = "id,name\n1,a\n2,b\n"
	long := strings.Repeat("x", 1<<20+10)
	for _, c := range []struct {
		name, text string
		opt        Options
		want       string
	}{
		{"a.csv", good, keys("ids"), `a.csv: unknown column "ids": did you mean id?`},
		{"a.csv", good, keys("key"), `a.csv: unknown column "key": choose from id, name`},
		{"a.csv", good, keys(""), `a.csv: it has 2 columns, so one must be named: choose from id, name`},
		{"a.csv", "id,id\n1,2\n", keys("id"), `a.csv: column "id" occurs more than once`},
		{"a.csv", "", keys("id"), `a.csv: it has no rows`},
		{"a.csv", "id\n5\n\n7x\n", keys("id"), `a.csv, line 4, column id: "7x" is not a whole number, but the first cell is; hint: as = "text" takes all as texts`},
		{"a.csv", "id\n1.5x\n", changed(func(o *Options) { o.As = rows.AsInteger }), `a.csv, line 2, column id: "1.5x" is not a whole number`},
		{"a.csv", "id\n1.5\n2\n3.25\n", keys("id"), `a.csv, line 4, column id: 3.25 has more than 1 digits after the point; hint: decimals says how many there are`},
		{"a.csv", "id,x\n5,\n,6\n", keys("id"), `a.csv, line 3, column id: there is no value`},
		{"a.csv", "id\n5\n4294967296\n", keys("id"), `a.csv, line 3, column id: 4294967296 does not fit 4 bytes; hint: width = 8, for keys or values of 8 bytes (pair = "k8v8"), or as = "text"`},
		{"a.csv", "id\n-2147483649\n", keys("id"), `a.csv, line 2, column id: -2147483649 does not fit 4 bytes; hint: width = 8, for keys or values of 8 bytes (pair = "k8v8"), or as = "text"`},
		{"a.csv", "id\n-9223372036854775809\n", changed(func(o *Options) { o.Width = 8 }), `a.csv, line 2, column id: -9223372036854775809 does not fit 8 bytes; hint: as = "text"`},
		{"a.csv", "id\n18446744073709551616\n", changed(func(o *Options) { o.Width = 8 }), `a.csv, line 2, column id: 18446744073709551616 does not fit 8 bytes; hint: as = "text"`},
		{"a.csv", "id,x\n1,2\n3\n", keys("id"), `a.csv, line 3: 1 cells, the first line has 2`},
		{"a.csv", "id\n\"a\"b\n", keys("id"), `a.csv, line 2: character 3: extraneous or missing " in quoted-field`},
		{"a.csv", "id\n\"" + long + long, keys("id"), `a.csv: a record is longer than 1048576 bytes; hint: a quotation mark that is not closed?`},
		{"a.csv", good, changed(func(o *Options) { o.Limit = 1 }), `a.csv: more than 1 rows, which is the most that are read; hint: rows says how many to read from the first on`},
		{"a.csv", good, changed(func(o *Options) { o.Rows = 3 }), `a.csv: rows is 3, the file has 2`},
		{"a.csv", good, changed(func(o *Options) { o.Rows = 2000 }), `a.csv: rows is 2000, allowed are at most 1000`},
		{"a.csv", good, changed(func(o *Options) { o.Width = 5 }), `a.csv: keys of 5 bytes, allowed are 4 and 8`},
		{"a.csv", good, changed(func(o *Options) { o.As = "float" }), `a.csv: as is "float", allowed are integer and text`},
		{"a.csv", good, changed(func(o *Options) { o.Format = "xls" }), `a.csv: unknown format "xls": choose from csv, tsv, ndjson, parquet, snap, tpch, fasta, fastq, oracle-general, lcs, twr, vscsi`},
		{"a.feather", "", keys("id"), `a.feather: it is an Arrow file, which cannot be read; hint: make it Parquet, in Python by pandas.read_feather(f).to_parquet(...)`},
		{"a.xls", good, keys("id"), `a.xls: the extension ".xls" says no format; hint: format takes csv, tsv, ndjson, parquet, snap, tpch, fasta, fastq, oracle-general, lcs, twr, vscsi`},
		{"a.ndjson", "{\"id\": 1}\n{\"id\" 2}\n", keys("id"), `a.ndjson, line 2: not a JSON object: "{\"id\" 2}"`},
		{"a.ndjson", "[1, 2]\n", keys("id"), `a.ndjson, line 1: not a JSON object: "[1, 2]"`},
		{"a.ndjson", "null\n", keys("id"), `a.ndjson, line 1: not a JSON object: "null"`},
		{"a.ndjson", "{\"id\": 1}\n{\"x\": 2, \"b\": 3}\n", keys("id"), `a.ndjson, line 2: there is no column "id": choose from b, x`},
		{"a.ndjson", "{\"id\": 1, \"x\": 2}\n", keys(""), `a.ndjson: it has 2 columns, so one must be named: choose from id, x`},
		{"a.ndjson", "{\"id\": null}\n", keys("id"), `a.ndjson, line 1, column id: there is no value`},
		{"a.ndjson", "{\"id\": {\"a\": 1}}\n", keys("id"), `a.ndjson, line 1, column id: "{\"a\": 1}" is neither a number nor a text`},
		{"a.ndjson", "{\"id\": 1e3}\n", keys("id"), `a.ndjson, line 1, column id: 1e3 is not a whole number; hint: decimals=2 takes them with two digits after the point`},
		{"a.ndjson", "{\"id\": 1}\n{\"id\": \"1\"}\n", keys("id"), `a.ndjson, line 2, column id: "1" is not a whole number, but the first cell is; hint: as = "text" takes all as texts`},
		{"a.ndjson", "{\"id\": \"1\"}\n{\"id\": 1}\n", keys("id"), `a.ndjson, line 2, column id: 1 is a whole number, but the first cell is a text; hint: as = "text" takes all as texts`},
		{"a.ndjson", "{\"id\": 1}\n" + long, keys("id"), `a.ndjson, line 2: longer than 1048576 bytes`},
		{"a.ndjson", "\n\n", keys("id"), `a.ndjson: it has no rows`},
	} {
		must.Equal(t, must.Err(read(t, c.name, c.text, c.opt)), c.want, c.text)
	}
}

func TestManyColumnsAreNotAllListed(t *testing.T) {
	names := make([]string, 30)
	for i := range names {
		names[i] = fmt.Sprint("column", i)
	}
	_, err := read(t, "a.csv", strings.Join(names, ",")+"\n", keys("id"))
	must.Hold(t, err != nil && strings.HasSuffix(err.Error(), "column18, column19 and 10 more"), "%v", err)
}

// Texts that hash to the same number are counted, equal texts are not.
func TestCollisions(t *testing.T) {
	const n = 200_000
	var text strings.Builder
	text.WriteString("id\n")
	distinct := map[uint64]bool{}
	for i := range n {
		fmt.Fprintf(&text, "user%d\n", i)
		distinct[hash4(fmt.Sprint("user", i))] = true
	}
	fmt.Fprintf(&text, "user0\nuser1\n")
	opt := keys("id")
	opt.Limit = n + 2
	column, err := read(t, "a.csv", text.String(), opt)
	must.OK(t, err)
	want := uint64(n - len(distinct))
	must.Hold(t, want != 0 && remarked(column, fmt.Sprintf("share it with another text: %d\n", want)), "%q, want %d", column.Remarks, want)
	must.Hold(t, column.Numbers[0] == hash4("user0") && column.Numbers[n] == hash4("user0"), "counting has changed the order")
	opt.Width = 8
	column, err = read(t, "a.csv", text.String(), opt)
	must.Hold(t, err == nil && remarked(column, "share it with another text: 0\n"), "%v, of 8 bytes: %q", err, column.Remarks)
}

func TestReserved(t *testing.T) {
	opt := keys("id")
	column, err := read(t, "ids.csv", "id\n-1\n-2\n-3\n4294967294\n5\n", opt)
	must.Hold(t, err == nil && remarked(column, "which no table takes: 3\n") && len(column.Remarks) == 1 && column.Label == "ids.csv, column id", "%v, %+v", err, column)
	s := stream.Data(column.Label, column.Numbers)
	must.Hold(t, s.Len() == 5 && s.Largest() == 1<<32-1 && s.Sources()[0].Label == column.Label, "as a stream: %v", s)
	opt.Width = 8
	column, err = read(t, "ids.csv", "id\n-1\n-2\n-3\n4294967294\n5\n", opt)
	must.Hold(t, err == nil && remarked(column, "which no table takes: 2\n"), "%v, %+v", err, column)
}

// remarked reports whether a remark on a column, which ends its line, contains a text.
func remarked(c *Column, text string) bool {
	return slices.ContainsFunc(c.Remarks, func(remark string) bool {
		return strings.Contains(remark+"\n", text)
	})
}

// memoryFile is a file in memory.
func memoryFile(text []byte) rows.File { return bytes.NewReader(text) }

// Any text gives a column or an error of one line, and a column can be written and read again.
func fuzzText(f *testing.F, name string, write func(numbers []uint64) string) {
	f.Fuzz(func(t *testing.T, text []byte, column, as string, wide, numbered bool) {
		opt := Options{Column: column, Width: 4, Limit: 100, As: as, Shared: Shared{Layout: rows.Layout{Numbered: numbered}}}
		if wide {
			opt.Width = 8
		}
		c, err := readOne(name, memoryFile(text), opt)
		if err != nil {
			must.Hold(t, !strings.Contains(err.Error(), "\n") && strings.HasPrefix(err.Error(), name), "error %q", err)
			return
		}
		n := len(c.Numbers)
		must.Hold(t, n != 0 && n <= 100 && (wide || slices.Max(c.Numbers) < 1<<32), "%d numbers: %v", n, c.Numbers)
		again, err := readOne(name, memoryFile([]byte(write(c.Numbers))), Options{Column: "id", Width: opt.Width, Limit: 100})
		must.Hold(t, err == nil && slices.Equal(again.Numbers, c.Numbers) && !remarked(again, "texts"), "%v: %v became %v", err, c, again)
	})
}

func FuzzCSV(f *testing.F) {
	for _, text := range []string{
		"id,x\n1,a\n2,b\n", "\xef\xbb\xbfid\r\n-1\r\n", "x,id\n\"a\nb\",0xff\n", "id\nanna\n5\n", "id,id\n1", "1\n2\n", "a\"b\n",
		"id\n99999999999999999999\n", "\"id\n\n\"\n1", "id\n\"\n",
	} {
		f.Add([]byte(text), "id", "", true, false)
		f.Add([]byte(text), "", "text", false, true)
		f.Add([]byte(text), "1", "integer", false, true)
	}
	fuzzText(f, "a.csv", func(numbers []uint64) string {
		text := "x,id\n"
		for _, x := range numbers {
			text += fmt.Sprintf("\"a\nb\",%d\n", x)
		}
		return text
	})
}

func FuzzNDJSON(f *testing.F) {
	for _, text := range []string{
		"{\"id\": 1}\n\n{\"id\": -2, \"x\": [{}]}", "{\"id\": \"a\\u0000\"}", "{\"id\": null}", "{\"id\": 1e5}", "{\"id\": {}}\n", "[]", "{",
		"{\"\": 1}", "{\"id\":18446744073709551615}", "{\"id\":1,\"id\":\"2\"}", "\xef\xbb\xbf{\"id\":-0}",
	} {
		f.Add([]byte(text), "id", "", true, false)
		f.Add([]byte(text), "", "text", false, false)
		f.Add([]byte(text), "id", "integer", false, false)
	}
	fuzzText(f, "a.ndjson", func(numbers []uint64) string {
		text := ""
		for _, x := range numbers {
			text += fmt.Sprintf("{\"x\": \"\\n\", \"id\": %d}\n", x)
		}
		return text
	})
}

// kmersOf are the canonical k-mers of a sequence, computed base by base.
func kmersOf(sequence string, k int) (list []uint64) {
	for i := 0; i+k <= len(sequence); i++ {
		var forward, reverse uint64
		for j := range k {
			forward = forward<<2 | uint64(strings.IndexByte("ACGT", sequence[i+j]))
			reverse = reverse<<2 | uint64(3-strings.IndexByte("ACGT", sequence[i+k-1-j]))
		}
		list = append(list, min(forward, reverse))
	}
	return list
}

func TestKmers(t *testing.T) {
	const first, second = "ACGTTGCAACGGTACCATTTGACCAGTACGTAC", "GATTACAGATTACA"
	joined := slices.Concat(kmersOf(first, 5), kmersOf(second, 5))
	five := Options{Width: 8, Limit: 1000, Shared: Shared{Layout: rows.Layout{K: 5}}}
	for name, text := range map[string]string{
		"a.fa":    ">one\n" + first[:7] + "\n" + first[7:] + "\r\n>two\n" + second + "\n",
		"a.fasta": ">one\n" + strings.ToLower(first) + "N" + strings.ReplaceAll(second, "T", "U"),
		"a.fq":    "@one\n" + first + "\n+\n" + strings.Repeat("@", len(first)) + "\n@two\n" + second + "\n+two\n" + second + "\n",
	} {
		column, err := read(t, name, text, five)
		must.Hold(t, err == nil && slices.Equal(column.Numbers, joined) && column.Label == name+", column kmer", "%s: %v, %+v, want %v", name, err, column, joined)
	}
	column, err := read(t, "a.fna", ">\n"+first, Options{Width: 8, Limit: 1000})
	must.Hold(t, err == nil && slices.Equal(column.Numbers, kmersOf(first, 31)), "%v, %+v", err, column)
	for _, c := range [][3]string{
		{"a.fa", "ACGT\n", "a.fa: it does not begin with >, as a fasta file does"},
		{"a.fa", ">x\nAC\n", "a.fa: it has no rows"},
		{"a.fa", ">x\nAC\n>\nAC1GT\n", "a.fa, line 4: '1' is not part of a sequence"},
		{"a.fq", "@x\nACGTACGT\n+\nFFFFFFFF\nACGT\n", "a.fq, line 5: a record of four lines begins with @, not with 'A'"},
		{"a.csv", "id\n1\n", "a.csv: k is 5: it is for fasta and fastq, the format is csv"},
	} {
		must.Equal(t, must.Err(read(t, c[0], c[1], five)), c[2], c[1])
	}
	five.K = 32
	must.Equal(t, must.Err(read(t, "a.fa", ">x\nACGT\n", five)), "a.fa: k is 32, allowed are 1 to 31")
}

func FuzzBases(f *testing.F) {
	f.Add([]byte(">one\nACGTTGCANACG\n;\n>two\nACG\n"), false)
	f.Add([]byte("@one\nACGTTGCAN\n+\n@@@@\n@two\nacgt\n+\n\n"), true)
	f.Fuzz(func(t *testing.T, text []byte, quality bool) {
		format := map[bool]string{false: "fasta", true: "fastq"}[quality]
		c, err := readOne("a", memoryFile(text), Options{Shared: Shared{Layout: rows.Layout{Format: format, K: 3}}, Width: 4, Limit: 1000})
		must.Hold(t, err == nil || !strings.Contains(err.Error(), "\n"), "error %q", err)
		must.Hold(t, err != nil || slices.Max(c.Numbers) < 1<<6, "%v", c.Numbers)
	})
}

// A row may stand for several numbers, but not for more than the limit.
func TestRepetitions(t *testing.T) {
	opt := keys("id")
	opt.Count = "n"
	column, err := read(t, "a.csv", "id,n\n5,3\n6,0\n7,1\n", opt)
	must.Hold(t, err == nil && slices.Equal(column.Numbers, []uint64{5, 5, 5, 7}), "%v, %v", err, column)
	opt.Rows = 2
	column, err = read(t, "a.csv", "id,n\n5,3\n6,0\n7,1\n", opt)
	must.Hold(t, err == nil && slices.Equal(column.Numbers, []uint64{5, 5, 5}), "%v, %v", err, column)
	for text, want := range map[string]string{
		"id,n\n5,1001\n": "a.csv: more than 1000 rows, which is the most that are read; hint: rows says how many to read from the first on",
		"id,n\n5,x\n":    `a.csv, line 2, column n: "x" repetitions: it takes a whole number up to 16777216`,
	} {
		must.Equal(t, must.Err(read(t, "a.csv", text, opt)), want, text)
	}
}

func readOne(name string, f rows.File, opt Options) (*Column, error) {
	list, err := Read(name, f, nil, opt)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

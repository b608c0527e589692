package file

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/parquet"
)

// table is random rows of a number, a decimal, a text and a small number, as files.
func table(t *testing.T, random *rand.Rand, n int) map[string][]byte {
	csv, ndjson := strings.Builder{}, strings.Builder{}
	csv.WriteString("\ufeffid,price,name,n\r\n")
	var chunks [4]parquet.Chunk
	columns := []parquet.Column{int64s, {Name: "price", Type: parquet.Int64, Decimal: true, Scale: 2}, {Name: "name", Type: parquet.ByteArray, Text: true}, {Name: "n", Type: parquet.Int64}}
	for i := range 40 {
		chunks[2].Dictionary = append(chunks[2].Dictionary, fmt.Appendf(nil, "%q\nof %d", "text", i))
	}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, columns)
	rows := 0
	for i := range n {
		id, price, name, repeat := random.Int64N(1<<20)-1<<19, random.Int64N(100_000), random.IntN(40), random.Int64N(3)
		text := string(chunks[2].Dictionary[name])
		fmt.Fprintf(&csv, "%d,%d.%02d,\"%s\",%d%s", id, price/100, price%100, strings.ReplaceAll(text, `"`, `""`), repeat, []string{"\n", "\r\n", "\n\n"}[i%3])
		fmt.Fprintf(&ndjson, "{\"id\":%d, \"price\":%d.%02d, \"name\":%q, \"n\":%d}\n", id, price/100, price%100, text, repeat)
		for c, number := range []int64{id, price, 0, repeat} {
			if c == 2 {
				chunks[c].Indices = append(chunks[c].Indices, byte(name))
			} else {
				chunks[c].Values = binary.LittleEndian.AppendUint64(chunks[c].Values, uint64(number))
			}
		}
		if rows++; random.IntN(n/5) == 0 || i == n-1 {
			must.OK(t, w.Group(rows, chunks[:]...))
			rows = 0
			for c := range chunks {
				chunks[c].Values, chunks[c].Indices = nil, nil
			}
		}
	}
	must.OK(t, w.Close("", ""))
	return map[string][]byte{"a.csv": []byte(csv.String()), "a.ndjson": []byte(ndjson.String()), "a.parquet": out.Bytes()}
}

// Columns that are read on all cores in one pass are those that are read row by row and one after the other.
func TestColumnsInOnePass(t *testing.T) {
	const n = 20_000
	random := rand.New(rand.NewPCG(5, 6))
	of := func(column string, edit func(*Options)) Options {
		o := Options{Column: column, Width: 8, Limit: 1 << 20, Texts: true}
		edit(&o)
		return o
	}
	opts := []Options{of("id", func(o *Options) { o.Count = "n" }), of("price", func(o *Options) { o.Decimals = 2 }), of("name", func(*Options) {}),
		of("n,name", func(o *Options) { o.Width = 4 }), of("n", func(o *Options) { o.As = "text" })}
	for name, text := range table(t, random, n) {
		var heard []float64
		all := must.Get(Read(name, memoryFile(text), func(_ string, share float64) { heard = append(heard, share) }, opts...))(t)
		for i, opt := range opts {
			opt.Rows = n // reads row by row
			one := must.Get(readOne(name, memoryFile(text), opt))(t)
			for _, c := range []*Column{all[i], one} {
				ofFile := func(remark string) bool { return strings.Contains(remark, "decimals with") }
				c.Remarks = append([]string(nil), slices.DeleteFunc(c.Remarks, ofFile)...)
			}
			if !reflect.DeepEqual(all[i], one) {
				t.Errorf("%s, %s: %d numbers, want %d; %v, want %v", name, opt.Column, len(all[i].Numbers), len(one.Numbers), all[i].Remarks, one.Remarks)
			}
		}
		for i, share := range heard {
			must.Hold(t, share <= 1 && (i == 0 || share >= heard[i-1]), "%s: progress goes %v", name, heard)
		}
		must.Hold(t, len(heard) >= 2 && heard[len(heard)-1] == 1, "%s: progress ends with %v", name, heard)
	}
}

// The first wrong cell of a file is the one that is reported, whatever column it is in.
func TestFirstErrorInOnePass(t *testing.T) {
	const n = 20_000
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 8))
		wrong := map[int]string{}
		for range 3 {
			wrong[1+random.IntN(n-1)] = []string{"x", "-", "1.5", "", "5000000000", "1,2", `"`, `a"`}[random.IntN(8)]
		}
		for name, format := range map[string]string{"a.csv": "%d,%d,%s\n", "a.ndjson": "{\"1\":%d,\"2\":%d,\"3\":%q}\n"} {
			var text []byte
			for i := range n {
				line := fmt.Sprintf(format, i, random.IntN(1000), strings.Repeat("x", random.IntN(40)))
				if with, is := wrong[i]; is {
					line = strings.Replace(line, fmt.Sprint(i), with, 1)
				}
				text = append(text, line...)
			}
			opts := []Options{keys("1"), keys("2"), keys("3")}
			for i := range opts {
				opts[i].Numbered, opts[i].Limit = name == "a.csv", 1<<20
			}
			_, err := Read(name, memoryFile(text), nil, opts...)
			opts[0].Rows = n
			_, want := Read(name, memoryFile(text), nil, opts...)
			must.Hold(t, err != nil && want != nil && err.Error() == want.Error(), "%s, %v: %v, want %v", name, wrong, err, want)
		}
	}
}

package record

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/parquet"
)

// A materialized recording is a Parquet file that others read: a row for each operation, a row group for each batch.
func TestMaterialisedIsAParquetFile(t *testing.T) {
	recording := must.Get(readBytes(contents(t, recorded(t, everything, Materialised, "slab"))))(t)
	table, batches := recording.columns.table, 0
	for _, item := range recording.lines {
		b := item.Batch
		if b == nil || b.wholeTable() {
			continue
		}
		var first [valueColumn + 1]parquet.Value
		for column := range first {
			must.Get(table.Cells(batches, column).Read(first[column : column+1]))(t)
		}
		number, op, null := first[batchColumn].Number, first[opColumn].Text, first[valueColumn].Null
		must.Hold(t, number == b.Number && (op == b.Op || b.Op == engine.Mix) && null == (b.Values == nil) && uint64(table.Groups[batches].Rows) == b.N,
			"%v: %v", b, first)
		batches++
	}
	must.Hold(t, len(table.Groups) == batches && batches >= 20, "%d row groups of %d batches", len(table.Groups), batches)
}

// A recipe turns into a materialized recording when a script makes numbers itself or reads
// them; what came before is there, too, and all of it replays on several schemes at once.
func TestNumbersOfTheHostAreMaterialised(t *testing.T) {
	const source = `shape = { n = 1000, load = 0.5 }
function prepare(t)
  t:insert(gen.keys{}:take(100), 1)
  t:insert(gen.from(function(i) return 4000000000 + i end, { n = 10 }), 2)
  t:clear()
  if t:has("flush") then t:flush() end
  t:insert(gen.keys{}:take(10), 7)
  t:find(gen.file("keys.csv"))
  t:find(gen.keys{}:take(10))
end`
	path := recorded(t, source, Recipe, "slab")
	r := must.Get(Open(path, false))(t)
	defer r.Close()
	must.Hold(t, r.Kind == Materialised && r.Batches == 6, "%s, %d batches", r.Kind, r.Batches)
	_, err := os.Stat(path + ".recipe")
	must.Hold(t, errors.Is(err, os.ErrNotExist), "the recipe is still there: %v", err)
	c, err := replayed(t, r, Pace{}, true, "bcht", "slab", "1cht")
	must.OK(t, errors.Join(err, c.Err()))
	must.OK(t, r.Verify(open(t, 1)))
}

// Recording the replay of a materialized recording gives a materialized one with the same
// numbers; a replay of a recipe gives a recipe.
func TestReplaysAreRecorded(t *testing.T) {
	for _, kind := range kinds {
		first := must.Get(Open(recorded(t, strings.Replace(everything, ", rate = 1e9", "", 1), kind, "slab"), false))(t)
		defer first.Close()
		path := filepath.Join(t.TempDir(), "again")
		header := first.Header
		header.Kind = Recipe
		to := must.Get(NewRecorder(path, header, open(t, 1)))(t)
		must.OK(t, runOn(t, first, to, "slab"))
		must.OK(t, to.Close())
		second := must.Get(Open(path, false))(t)
		defer second.Close()
		list, err := Diff(first, second)
		must.Hold(t, err == nil && len(list) == 0 && second.Kind == kind, "%s: %s: %q, %v", kind, second.Kind, list, err)
	}
}

// Lines that do not fit the columns are refused, and so are columns that are not those of a recording.
func TestMaterialisedThatDoNotFit(t *testing.T) {
	all := contents(t, recorded(t, little, Materialised, "bcht"))
	for old, want := range map[string]string{
		`"op":"insert","n":20`: `"op":"insert","n":21`, `"number":1`: `"number":2`, `"format":"2.1"`: `"format":"3.0"`, "hashzoo.recording": "hashzoo.recordinG",
	} {
		changed := bytes.ReplaceAll(all, []byte(old), []byte(want))
		r, err := readBytes(changed)
		must.Hold(t, (err != nil || r.Cut != "") && !bytes.Equal(changed, all), "%s: read", want)
	}
	r := must.Get(readBytes(all))(t)
	b := r.Points[0].Phases[0].Items[0].Batch
	for want, change := range map[string]func(){
		"batch 1 (insert 19): n is 19, and it has 20 rows":                     func() { b.N = 19 },
		"batch 1 (find 20): the file is damaged: it has operations \"insert\"": func() { b.Op = "find" },
		"batch 9 (insert 20): the file is damaged: it has rows of batch 1":     func() { b.Number = 9 },
		"batch 1 (insert 20): its columns are [":                               func() { r.columns.table.Columns[2].Name = "keys" },
	} {
		was := *b
		change()
		must.Say(t, r.Verify(open(t, 1)), want)
		*b, r.columns.table.Columns[2].Name = was, "key"
	}
}

// Another table, a recording of an older version, and one without its end are errors that say so.
func TestOtherFiles(t *testing.T) {
	all := contents(t, recorded(t, little, Materialised, "bcht"))
	for want, other := range map[string][]byte{
		"a materialized recording of an older version, an Arrow file; hint: ":               []byte("ARROW1\x00\x00and so on"),
		"not a recording: a Parquet file without the metadata hashzoo.recording":            bytes.ReplaceAll(all, []byte(metaKey), []byte("hashzoo.recordinG")),
		"the file is damaged: it does not end with PAR1: it is cut off, or no Parquet file": all[:len(all)-1],
	} {
		must.Begin(t, must.Err(readBytes(other)), want)
	}
}

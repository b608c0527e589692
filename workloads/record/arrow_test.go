package record

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/hashzoo/hashzoo/kernels"
)

// A materialized recording is an Arrow file that others read: a row for each operation, a
// record batch for each batch.
func TestMaterialisedIsAnArrowFile(t *testing.T) {
	all := contents(t, recorded(t, everything, Materialised, "slab"))
	r, err := ipc.NewFileReader(bytes.NewReader(all))
	must(t, err)
	recording, err := readBytes(all)
	must(t, err)
	batches := 0
	for _, item := range recording.lines {
		if b := item.Batch; b == nil || b.wholeTable() {
			continue
		}
		record, err := r.RecordBatchAt(batches)
		must(t, err)
		batches++
		if uint64(record.NumRows()) != item.Batch.N || record.ColumnName(0) != "op" || record.ColumnName(1) != "key" || record.ColumnName(2) != "value" {
			t.Fatalf("%v: %v", item.Batch, record.Schema())
		}
		op := record.Column(0).(*array.Dictionary)
		name := op.Dictionary().(*array.String).Value(op.GetValueIndex(0))
		if want := item.Batch.Op; name != want && want != "mix" {
			t.Errorf("%v: op is %s", item.Batch, name)
		}
		if none := record.Column(2).NullN() == int(record.NumRows()); none != (item.Batch.Values == nil) {
			t.Errorf("%v: %d of %d values are null", item.Batch, record.Column(2).NullN(), record.NumRows())
		}
	}
	if r.NumRecords() != batches+1 || batches < 20 || len(kernels.Ops) < 5 {
		t.Errorf("%d record batches of %d batches", r.NumRecords(), batches)
	}
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
	r, err := Open(path, false)
	must(t, err)
	defer r.Close()
	if r.Kind != Materialised || r.Batches != 6 {
		t.Errorf("%s, %d batches", r.Kind, r.Batches)
	}
	if _, err := os.Stat(path + ".recipe"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the recipe is still there: %v", err)
	}
	c, err := replayed(t, r, Pace{}, true, "bcht", "slab", "1cht")
	must(t, errors.Join(err, c.Err()))
	must(t, r.Verify(open(t, 1)))
}

// Recording the replay of a materialized recording gives a materialized one with the same
// numbers; a replay of a recipe gives a recipe.
func TestReplaysAreRecorded(t *testing.T) {
	for _, kind := range kinds {
		first, err := Open(recorded(t, strings.Replace(everything, ", rate = 1e9", "", 1), kind, "slab"), false)
		must(t, err)
		defer first.Close()
		path := filepath.Join(t.TempDir(), "again")
		header := first.Header
		header.Kind = Recipe
		to, err := NewRecorder(path, header, open(t, 1))
		must(t, err)
		must(t, runOn(t, first, to, "slab"))
		must(t, to.Close())
		second, err := Open(path, false)
		must(t, err)
		defer second.Close()
		if list, err := Diff(first, second); err != nil || len(list) > 0 || second.Kind != kind {
			t.Errorf("%s: %s: %q, %v", kind, second.Kind, list, err)
		}
	}
}

// Lines that do not fit the columns are refused.
func TestMaterialisedThatDoNotFit(t *testing.T) {
	all := contents(t, recorded(t, little, Materialised, "bcht"))
	for old, want := range map[string]string{
		`"op":"insert","n":20`: `"op":"insert","n":21`, `"number":1`: `"number":2`, `"format":"2.0"`: `"format":"3.0"`, "hashzoo.recording": "hashzoo.recordinG",
	} {
		changed := bytes.ReplaceAll(all, []byte(old), []byte(want))
		if r, err := readBytes(changed); err == nil && r.Cut == "" {
			t.Errorf("%s: read", want)
		}
	}
	r, err := readBytes(all)
	must(t, err)
	r.Points[0].Phases[0].Items[0].Batch.N = 19
	if err := r.Verify(open(t, 1)); err == nil || !strings.Contains(err.Error(), "batch 1 (insert 19): n is 19, and it has 20 rows") {
		t.Error(err)
	}
}

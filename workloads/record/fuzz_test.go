package record

import (
	"os"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// seeds are the recordings that fuzzing starts from: those in testdata, and a part of one.
func seeds(f *testing.F, name string) {
	all := must.Get(os.ReadFile("testdata/" + name))(f)
	f.Add(all)
	f.Add(all[:len(all)/2])
	f.Add(contents(f, recorded(f, little, Recipe, "bcht")))
}

// Any text is an error, or a recording that can be written again with the same batches.
func FuzzRecipe(f *testing.F) {
	seeds(f, "2.0-recipe.rec")
	f.Fuzz(func(t *testing.T, all []byte) {
		r, err := readBytes(all)
		if err != nil || r.Kind != Recipe || r.Format != format {
			return
		}
		again, err := readBytes([]byte(written(r)))
		if err != nil {
			t.Fatalf("written again it does not read: %v\n%s", err, written(r))
		}
		if again.Batches != r.Batches || again.Operations != r.Operations {
			t.Errorf("%d batches of %d operations, then %d of %d", r.Batches, r.Operations, again.Batches, again.Operations)
		}
	})
}

// Any Parquet file is an error, or every batch has as many numbers as its metadata says.
func FuzzMaterialised(f *testing.F) {
	seeds(f, "2.1-materialised.rec")
	f.Fuzz(func(t *testing.T, all []byte) {
		r, err := readBytes(all)
		if err != nil || r.Kind != Materialised {
			return
		}
		for p, l := range r.lines {
			b := l.Batch
			if b == nil || b.wholeTable() {
				continue
			}
			batch := engine.Batch{Op: b.Op}
			must.Hold(t, r.columns.fill(b, &batch, p.Shape.Pair) != nil || batch.Len() == b.N, "%v: %d numbers", b, batch.Len())
		}
	})
}

package results

import (
	"encoding/json"
	"fmt"

	"github.com/zeebo/xxh3"
)

// Seal gives each row the digest of itself and the run, and the end that of the whole document, so that an edit or a row
// of another run shows. Whoever edits may make new digests: package suite derives again what can be derived.
func (d *Document) Seal() {
	for i := range d.Rows {
		d.Rows[i].Seal = d.seal(i)
	}
	d.End.Seal = d.seal(len(d.Rows))
}

// seal is the digest of a row, or beyond the last one that of the document.
func (d *Document) seal(i int) string {
	part := []any{d.Run}
	if i < len(d.Rows) {
		r := d.Rows[i]
		r.Seal = ""
		part = append(part, r)
	} else {
		end := d.End
		end.Seal = ""
		part = append(part, d.Rows, d.LeftOut, d.Summaries, end)
	}
	text, err := json.Marshal(part)
	if err != nil {
		panic(err) // it came from JSON, or goes there
	}
	return fmt.Sprintf("%x", xxh3.Hash128(text).Bytes())
}

// Unsealed returns the index of the first row that was edited or is of another run. It is the number of rows if only the
// rest was changed, and negative if nothing was.
func (d *Document) Unsealed() int {
	for i, r := range d.Rows {
		if r.Seal != d.seal(i) {
			return i
		}
	}
	if d.End.Seal != d.seal(len(d.Rows)) {
		return len(d.Rows)
	}
	return -1
}

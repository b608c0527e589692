package results

import (
	"encoding/json"
	"fmt"

	"github.com/zeebo/xxh3"
)

// Seal gives each row the digest of itself and the run, and the end that of the whole document, so that an edit or a row
// of another run shows. It keeps nobody from making new digests: suite.Verify derives again what can be derived.
func (d *Document) Seal() {
	for i := range d.Rows {
		d.Rows[i].Seal = d.sealOf(d.Rows[i])
	}
	d.End.Seal = d.wholeSeal()
}

func (d *Document) sealOf(r Row) string {
	r.Seal = ""
	return sealed(d.Run, r)
}

func (d *Document) wholeSeal() string {
	end := d.End
	end.Seal = ""
	return sealed(d.Run, d.Rows, d.LeftOut, d.Summaries, end)
}

func sealed(parts ...any) string {
	text, err := json.Marshal(parts)
	if err != nil {
		panic(err) // it came from JSON, or goes there
	}
	return fmt.Sprintf("%x", xxh3.Hash128(text).Bytes())
}

// Unsealed returns the index of the first row that was edited or is of another run: that of no row if only the rest of
// the document was changed, and -1 if all is as it was written.
func (d *Document) Unsealed() int {
	for i, r := range d.Rows {
		if r.Seal != d.sealOf(r) {
			return i
		}
	}
	if d.End.Seal != d.wholeSeal() {
		return len(d.Rows)
	}
	return -1
}

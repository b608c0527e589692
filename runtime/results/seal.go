package results

import (
	"encoding/json"
	"fmt"

	"github.com/zeebo/xxh3"
)

// Seals are the digests of each row with the run, and at last of the whole document without them. They show an edit or a
// row of another run, but whoever edits may make new ones: package suite derives again what can be derived.
func (d Document) Seals() (list []string) {
	d.End.Seals = nil
	for _, r := range d.Rows {
		list = append(list, sealOf(d.Run, r))
	}
	return append(list, sealOf(d))
}

func sealOf(parts ...any) string {
	text, err := json.Marshal(parts)
	if err != nil {
		panic(err) // it came from JSON, or goes there
	}
	return fmt.Sprintf("%x", xxh3.Hash128(text).Bytes())
}

package results

import (
	"encoding/json"
	"io"
)

// WriteJSON writes a value, indented.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

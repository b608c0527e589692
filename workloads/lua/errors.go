package lua

import (
	"errors"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
)

// Error is an error in a script, or of what one of its lines asked for.
type Error = sandbox.Error

// declarationError places an error at the line of its field, or the first line.
func (h *host) declarationError(err error) *Error {
	field, ok := errors.AsType[*sandbox.FieldError](err)
	if !ok {
		field = &sandbox.FieldError{}
	}
	if at := h.Library.LineOf(field.Path); at != nil {
		return h.Library.Located(at.File, at.Line, err.Error(), field.Err)
	}
	return h.Library.Located(h.script.Name, 1, err.Error(), field.Err)
}

package lua

import (
	"errors"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
)

// Error is an error in a script, or in an operation that one of its lines requested.
type Error = sandbox.Error

// declarationError places an error at the line of its field, or the first line.
func (h *host) declarationError(err error) *Error {
	field, ok := errors.AsType[*sandbox.FieldError](err)
	if !ok {
		field = &sandbox.FieldError{}
	}
	file, line := h.LineOf(field.Path)
	return h.Located(file, line, err.Error(), field.Err)
}

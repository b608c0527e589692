package lua

import (
	"errors"
	"fmt"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
)

// Error is an error in a script, or of what one of its lines asked for.
type Error = sandbox.Error

// raise moves the error of a declared field from the calling line to the line of the field, before Lua sees it.
func (h *host) raise(L *glua.LState, err error) {
	if lack := schemes.Lacking(err); lack != nil {
		h.lack = lack
	}
	if field, ok := errors.AsType[*sandbox.FieldError](err); ok && h.declaring {
		if at := h.Library.LineOf(field.Path); at != nil {
			L.Error(glua.LString(fmt.Sprintf("%s:%d: %s", at.File, at.Line, err)), 0)
		}
	}
}

// cause returns the lack behind a failed call, if the scheme caused it.
func (h *host) cause(err error) error {
	if h.lack != nil && strings.Contains(err.Error(), h.lack.Error()) {
		return h.lack
	}
	return nil
}

// declarationError places an error at the line of its field, or the first line.
func (h *host) declarationError(err error) error {
	field, ok := errors.AsType[*sandbox.FieldError](err)
	if !ok {
		field = &sandbox.FieldError{}
	}
	if at := h.Library.LineOf(field.Path); at != nil {
		return h.Library.Located(at.File, at.Line, err.Error(), field.Err)
	}
	return h.Library.Located(h.script.Name, 1, err.Error(), field.Err)
}

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

// fieldError is a mistake in a field of a declaration. The path, such as shape.load, tells its line.
type fieldError struct {
	path, text string
	err        error // the wrapped error, or nil
}

func (e *fieldError) Error() string { return e.text }
func (e *fieldError) Unwrap() error { return e.err }

// wrongField returns an error whose text begins with the path.
func wrongField(path, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &fieldError{path, path + err.Error(), errors.Unwrap(err)}
}

// wrongValue is the error for a value of the wrong kind.
func wrongValue(path string, v glua.LValue, takes string) error {
	return wrongField(path, " is %s, it takes %s", sandbox.Describe(v), takes)
}

// raise moves the error of a declared field from the calling line to the line of the field, before Lua sees it.
func (h *host) raise(L *glua.LState, err error) {
	if lack := schemes.Lacking(err); lack != nil {
		h.lack = lack
	}
	if field, ok := errors.AsType[*fieldError](err); ok {
		if at := h.Library.LineOf(field.path); at != nil {
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

// declarationError places an error at the line of its field, of its assignment, or the first line.
func (h *host) declarationError(err error) error {
	field, ok := errors.AsType[*fieldError](err)
	if !ok {
		field = &fieldError{}
	}
	if at := h.Library.LineOf(field.path); at != nil {
		return h.Library.Located(at.File, at.Line, err.Error(), field.err)
	}
	name, _, _ := strings.Cut(strings.ReplaceAll(field.path, "[", "."), ".")
	if file, line, _, ok := h.Library.Place(h.declared.lines[name]); ok {
		return h.Library.Located(file, line, err.Error(), field.err)
	}
	return h.Library.Located(h.script.Name, 1, err.Error(), field.err)
}

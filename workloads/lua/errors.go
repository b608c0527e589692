package lua

import (
	"errors"
	"fmt"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/schemes"
)

// Error is something wrong with a script, or something that went wrong while one of its
// lines ran: a batch that failed, a run that was stopped, a scheme that lacks something.
type Error = sandbox.Error

// fieldError is a mistake in a field of something that a script declares. The path,
// such as shape.load, finds its line.
type fieldError struct {
	path, text string
	err        error // what it wraps
}

func (e *fieldError) Error() string { return e.text }
func (e *fieldError) Unwrap() error { return e.err }

// wrongField is an error that begins with the path.
func wrongField(path, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &fieldError{path, path + err.Error(), errors.Unwrap(err)}
}

// raise is told of an error before it is that of the Lua line that called. One of a declared
// field is put on the line where the field is written, if that is known.
func (h *host) raise(L *glua.LState, err error) {
	if lack := schemes.Lacking(err); lack != nil {
		h.lack = lack
	}
	var field *fieldError
	if errors.As(err, &field) {
		if at := h.Library.LineOf(field.path); at != nil {
			L.Error(glua.LString(fmt.Sprintf("%s:%d: %s", at.File, at.Line, err)), 0)
		}
	}

}

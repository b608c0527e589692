package lua

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	glua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"github.com/hashzoo/hashzoo/schemes"
)

// Error is something wrong with a script, or something that went wrong while one of
// its lines ran.
type Error struct {
	File string
	Line int    // 0 if it is no line's fault
	Text string // what is wrong
	Code string // the line
	Err  error  // why, if it is not the script alone: a batch that failed, a run that was stopped, a scheme that lacks something
}

// Error is one line: file, line, what is wrong, and the line of the script.
func (e *Error) Error() string {
	if e.Code == "" {
		return e.Place() + ": " + e.Text
	}
	return e.Place() + ": " + e.Text + " | " + e.Code
}

// Place is the file and the line.
func (e *Error) Place() string {
	if e.Line == 0 {
		return e.File
	}
	return e.File + ":" + strconv.Itoa(e.Line)
}

// Unwrap is why, if it is not the script alone.
func (e *Error) Unwrap() error { return e.Err }

const (
	maxShown = 100  // characters of a script's line in an error
	maxText  = 2000 // of what is wrong: scripts raise errors, too
)

func shorten(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// located makes an error of a line. Lines that are not there give one of the whole
// file.
func (l *library) located(file string, line int, text string, cause error) *Error {
	text = shorten(oneLine(strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")), maxText)
	e := &Error{File: file, Text: text, Err: cause}
	if c := l.sources[file]; c != nil && line > 0 && line <= len(c.lines) {
		e.Line, e.Code = line, shorten(oneLine(strings.TrimSpace(c.lines[line-1])), maxShown)
	}
	return e
}

// oneLine is a text of a script as it is shown: without what could change a terminal,
// since scripts are not trusted.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return '?'
		}
		return r
	}, text)
}

// failed turns what the interpreter says into an Error. The place is in front of the
// message, or, of an error that the script made itself, in the stack trace.
func (l *library) failed(file string, err error, cause error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	text, trace := err.Error(), ""
	var api *glua.ApiError
	if errors.As(err, &api) {
		text, trace = message(api.Object), api.StackTrace
	}
	if at, line, rest, ok := l.place(text); ok {
		return l.located(at, line, rest, cause)
	}
	for entry := range strings.Lines(trace) {
		if at, line, _, ok := l.place(strings.TrimSpace(entry)); ok {
			return l.located(at, line, text, cause)
		}
	}
	return l.located(file, 0, text, cause)
}

// message is what an error says that may be any Lua value.
func message(v glua.LValue) string {
	if text, ok := v.(glua.LString); ok {
		return string(text)
	}
	return "error with " + describe(v) + " instead of a message"
}

// place splits "a.lua:3: message".
func (l *library) place(text string) (file string, line int, rest string, ok bool) {
	for name := range l.sources {
		after, found := strings.CutPrefix(text, name+":")
		digits, rest, colon := strings.Cut(after, ":")
		if line, err := strconv.Atoi(digits); found && colon && err == nil {
			return name, line, strings.TrimSpace(rest), true
		}
	}
	return "", 0, "", false
}

// invalid turns what the parser or the compiler says into an Error.
func (l *library) invalid(file string, err error) *Error {
	var syntax *parse.Error
	var compile *glua.CompileError
	last := len(l.sources[file].lines)
	switch {
	case errors.As(err, &syntax) && syntax.Pos.Line == parse.EOF && syntax.Message == "syntax error":
		return l.located(file, last, "the file ends here, where more should come: an end, or a bracket", nil)
	case errors.As(err, &syntax):
		line := syntax.Pos.Line
		switch {
		case line == parse.EOF:
			line = last
		case syntax.Message == "unterminated string":
			line-- // the parser is past the line's end
		}
		return l.located(file, min(line, last), fmt.Sprintf("%s near %q", lower(syntax.Message), shorten(syntax.Token, 40)), nil)
	case errors.As(err, &compile):
		line, text := compile.Line, compile.Message
		if m := atLine.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[2])
			text = m[1]
		}
		return l.located(file, line, text, nil)
	}
	return l.located(file, 0, err.Error(), nil)
}

// atLine: of a goto without its label only the message has the line.
var atLine = regexp.MustCompile(`^(.*) at line (\d+)$`)

func lower(text string) string { return strings.ToLower(text[:1]) + text[1:] }

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

// raise makes a Go error an error of the Lua line that called. One of a declared
// field is put on the line where the field is written, if that is known.
func (h *host) raise(L *glua.LState, err error) {
	if lack := schemes.Lacking(err); lack != nil {
		h.lack = lack
	}
	var field *fieldError
	if errors.As(err, &field) {
		if at := h.library.lineOf(field.path); at != nil {
			L.Error(glua.LString(fmt.Sprintf("%s:%d: %s", at.file, at.line, err)), 0)
		}
	}
	L.RaiseError("%s", err.Error())
}

// function makes a Lua function of a Go function whose errors are the caller's.
func (h *host) function(f luaFunction) *glua.LFunction { return h.L.NewFunction(h.raising(f)) }

func (h *host) raising(f luaFunction) glua.LGFunction {
	return func(L *glua.LState) int {
		n, err := f(L)
		if err != nil {
			h.raise(L, err)
		}
		return n
	}
}

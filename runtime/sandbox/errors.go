package sandbox

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	glua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// Error is something wrong with code, or something that went wrong while one of its
// lines ran.
type Error struct {
	File string
	Line int    // 0 if it is no line's fault
	Text string // what is wrong
	Code string // the line
	Err  error  // why, if it is not the code alone: whom it called failed, or it was stopped
}

// Error is one line: file, line, what is wrong, and the line itself.
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

// Unwrap is why, if it is not the code alone.
func (e *Error) Unwrap() error { return e.Err }

// MaxText is how many characters an error has at most: code raises errors, too.
const MaxText = 2000

const maxShown = 100 // characters of a line in an error

// Shorten cuts a text off that is longer than so many characters.
func Shorten(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// Located makes an error of a line. Lines that are not there give one of the whole
// file.
func (l *Library) Located(file string, line int, text string, cause error) *Error {
	text = Shorten(OneLine(strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")), MaxText)
	e := &Error{File: file, Text: text, Err: cause}
	if c := l.sources[file]; c != nil && line > 0 && line <= len(c.lines) {
		e.Line, e.Code = line, Shorten(OneLine(strings.TrimSpace(c.lines[line-1])), maxShown)
	}
	return e
}

// OneLine is a text of the code as it is shown: without what could change a terminal,
// since the code is not trusted.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return '?'
		}
		return r
	}, text)
}

// Failed turns what the interpreter says into an Error. The place is in front of the
// message, or, of an error that the code made itself, in the stack trace.
func (l *Library) Failed(file string, err error, cause error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	text, trace := err.Error(), ""
	var api *glua.ApiError
	if errors.As(err, &api) {
		text, trace = message(api.Object), api.StackTrace
	}
	if at, line, rest, ok := l.Place(text); ok {
		return l.Located(at, line, rest, cause)
	}
	for entry := range strings.Lines(trace) {
		if at, line, _, ok := l.Place(strings.TrimSpace(entry)); ok {
			return l.Located(at, line, text, cause)
		}
	}
	return l.Located(file, 0, text, cause)
}

// message is what an error says that may be any Lua value.
func message(v glua.LValue) string {
	if text, ok := v.(glua.LString); ok {
		return string(text)
	}
	return "error with " + Describe(v) + " instead of a message"
}

// Place splits "a.lua:3: message".
func (l *Library) Place(text string) (file string, line int, rest string, ok bool) {
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
func (l *Library) invalid(file string, err error) *Error {
	var syntax *parse.Error
	var compile *glua.CompileError
	last := len(l.sources[file].lines)
	switch {
	case errors.As(err, &syntax) && syntax.Pos.Line == parse.EOF && syntax.Message == "syntax error":
		return l.Located(file, last, "the file ends here, where more should come: an end, or a bracket", nil)
	case errors.As(err, &syntax):
		line := syntax.Pos.Line
		switch {
		case line == parse.EOF:
			line = last
		case syntax.Message == "unterminated string":
			line-- // the parser is past the line's end
		}
		return l.Located(file, min(line, last), fmt.Sprintf("%s near %q", lower(syntax.Message), Shorten(syntax.Token, 40)), nil)
	case errors.As(err, &compile):
		line, text := compile.Line, compile.Message
		if m := atLine.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[2])
			text = m[1]
		}
		return l.Located(file, line, text, nil)
	}
	return l.Located(file, 0, err.Error(), nil)
}

// atLine: of a goto without its label only the message has the line.
var atLine = regexp.MustCompile(`^(.*) at line (\d+)$`)

func lower(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// Function is a function for Lua whose errors are those of the line that called.
type Function = func(L *glua.LState) (int, error)

// raise makes a Go error an error of the Lua line that called.
func (box *Box) raise(L *glua.LState, err error) {
	if box.options.Raising != nil {
		box.options.Raising(L, err)
	}
	L.RaiseError("%s", err.Error())
}

// Function makes a Lua function of a Go function whose errors are the caller's.
func (box *Box) Function(f Function) *glua.LFunction { return box.L.NewFunction(box.raising(f)) }

func (box *Box) raising(f Function) glua.LGFunction {
	return func(L *glua.LState) int {
		n, err := f(L)
		if err != nil {
			box.raise(L, err)
		}
		return n
	}
}
